#include "kube/shown.hpp"

#include "kube/value.hpp"

#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

constexpr std::size_t longest_shown = 120;

}  // namespace

std::string shown(std::string_view text) {
    const bool cut = text.size() > longest_shown;
    if (cut) {
        std::size_t end = longest_shown;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
            --end;  // Not inside a character.
        text = text.substr(0, end);
    }
    // A flat string: `dump` doesn't recurse here, and `replace` keeps it from throwing.
    std::string out = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (cut)
        out.insert(out.size() - 1, "...");
    return out;
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
