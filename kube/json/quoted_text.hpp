#pragma once

// How does a sentence show an untrusted value? Quoted, on one line, and cut to 120 bytes.
//
// Pure. Every text of a user that reaches a log, a report or an error goes through here.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

class Value;

// In quotation marks; control characters are escaped, bytes that aren't UTF-8 are replaced, long texts are cut.
[[nodiscard]] std::string shown(std::string_view text);
// The same without quotation marks: names and paths inside a longer word.
[[nodiscard]] std::string shown_bare(std::string_view text);
// A string as above, a number or boolean as it is written, "a list" or "an object".
[[nodiscard]] std::string shown(const nlohmann::json& value);
[[nodiscard]] std::string shown(const Value& value);
inline std::string shown(const std::string& text) {
    return shown(std::string_view(text));
}
inline std::string shown(const char* text) {
    return shown(std::string_view(text));
}

}  // namespace echelon::kube
