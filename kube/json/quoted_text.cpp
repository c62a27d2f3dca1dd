#include "kube/json/quoted_text.hpp"

#include "base/shortened.hpp"
#include "kube/json/compact_text.hpp"
#include "kube/json/value.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

constexpr std::size_t longest_shown = 120;

// Escapes the control characters that JSON leaves as they are: DEL, and U+0080 to U+009F. Terminals act on them.
std::string without_controls(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
        if (byte == 0x7f) {
            out += "\\u007f";
        } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
            out += fmt::format("\\u{:04x}", next);
            ++at;
        } else {
            out += text[at];
        }
    }
    return out;
}

}  // namespace

std::string shown(std::string_view text) {
    const bool cut = text.size() > longest_shown;
    // A flat string: `dump` doesn't recurse here.
    std::string out = without_controls(compact_text(nlohmann::json(base::beginning(text, longest_shown))));
    if (cut)
        out.insert(out.size() - 1, "...");
    return out;
}

std::string shown_bare(std::string_view text) {
    const std::string quoted = shown(text);
    return quoted.substr(1, quoted.size() - 2);
}

std::string shown(const nlohmann::json& value) {
    if (value.is_string())
        return shown(std::string_view(value.get_ref<const std::string&>()));
    if (value.is_array())
        return "a list";
    if (value.is_object())
        return "an object";
    return value.dump();
}

std::string shown(const Value& value) {
    if (value.is_text())
        return shown(value.text());
    if (value.is_list())
        return "a list";
    if (value.is_object())
        return "an object";
    return value.tree().dump();
}

}  // namespace echelon::kube
