#pragma once

// Which events does a YAML text consist of, and which type has a plain scalar? Shared by the readers of the
// configuration and of manifests: yaml-cpp's parser with fixes, and the core schema of YAML 1.2. Pure and thread-safe.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

namespace echelon::yaml {

struct Fault {
    YAML::Mark mark;
    std::string what;   // "isn't valid YAML", "can't be read".
    std::string cause;  // In the parser's words, which may quote the text.
};

// Parses the documents of the text into `handler`. `next`: called after each document; false ends the parsing.
[[nodiscard]] std::optional<Fault> parse(std::string_view text, YAML::EventHandler& handler,
                                         const std::function<bool()>& next);

// infinite: .inf and .nan, which JSON has no word for.
enum class Scalar : std::uint8_t { null, boolean, integer, real, infinite, text };

// Of a scalar without quotation marks and tag.
[[nodiscard]] Scalar plain_scalar(std::string_view text);

}  // namespace echelon::yaml
