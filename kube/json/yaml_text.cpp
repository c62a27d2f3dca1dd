#include "kube/json/yaml_text.hpp"

#include "base/ascii.hpp"
#include "kube/json/compact_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using nlohmann::json;

constexpr std::size_t step = 2;  // Columns.

// Words that YAML 1.1 or 1.2 doesn't read as strings.
constexpr std::array<std::string_view, 11> words = {"true", "false", "null", "yes",  "no",  "on",
                                                    "off",  "y",     "n",    ".inf", ".nan"};

// True if the text needs no quotes: a letter first, then characters of names and paths.
bool is_plain(std::string_view text) {
    if (text.empty() || !base::is_letter(text.front()))
        return false;
    const auto is_tame = [](char c) {
        return base::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '/';
    };
    std::string lower;
    for (const char c : text)
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::ranges::all_of(text, is_tame) && std::ranges::find(words, lower) == words.end();
}

std::string scalar(const json& value) {
    if (value.is_string() && is_plain(value.get_ref<const std::string&>()))
        return value.get<std::string>();
    std::string text = compact_text(value);
    // DEL: JSON may leave it as it is, YAML may not.
    for (auto at = text.find('\x7f'); at != std::string::npos; at = text.find('\x7f', at))
        text.replace(at, 1, "\\x7f");
    return text;
}

bool is_block(const json& value) {
    return value.is_structured() && !value.empty();
}

// Requires: a block. The recursion is at most 64 deep, as documents are. `is_in_line`: the first entry follows a dash
// and needs no indentation.
void write(const json& value, std::size_t indent, bool is_in_line, std::string& out) {
    for (const auto& [key, item] : value.items()) {
        out.append(is_in_line ? 0 : indent, ' ');
        is_in_line = false;
        if (value.is_array()) {
            out += "- ";
        } else {
            out += scalar(json(key)) + ":";
        }
        if (!is_block(item)) {
            out += (value.is_array() ? "" : " ") + scalar(item) + "\n";
        } else if (value.is_array()) {
            write(item, indent + step, true, out);
        } else {
            out += '\n';
            write(item, indent + (item.is_array() ? 0 : step), false, out);
        }
    }
}

}  // namespace

std::string yaml_text(const json& document) {
    std::string out;
    if (!is_block(document))
        return scalar(document) + "\n";
    write(document, 0, false, out);
    return out;
}

}  // namespace echelon::kube
