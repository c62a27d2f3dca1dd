#include "config/health_section.hpp"

#include "base/kubernetes_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace echelon::config {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

// "TYPE" or "TYPE=STATUS".
bool is_condition(std::string_view text) {
    const auto equals = text.find('=');
    return base::is_label_key(text.substr(0, equals)) &&
           (equals == std::string_view::npos || is_one_of(text.substr(equals + 1), {"True", "False", "Unknown"}));
}

// "KEY", "KEY=VALUE", "KEY:EFFECT" or "KEY=VALUE:EFFECT".
bool is_taint(std::string_view text) {
    if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
        if (!is_one_of(text.substr(colon + 1), {"NoSchedule", "PreferNoSchedule", "NoExecute"}))
            return false;
        text = text.substr(0, colon);
    }
    return base::is_label_key(text.substr(0, text.find('=')));
}

void read_list(Section& section, std::string_view key, bool (*is_right)(std::string_view), std::string_view form,
               std::vector<std::string>& out) {
    section.read_texts(key, out);
    for (const std::string& text : out) {
        if (!is_right(text))
            section.complain(*section.find(key), fmt::format("has \"{}\", which isn't {}", text, form));
    }
}

}  // namespace

void read_health(const Value& value, Health& out, Faults& faults) {
    Section section(value, "health", {"conditions", "taints"}, faults);
    read_list(section, "conditions", is_condition, "TYPE or TYPE=STATUS (True, False or Unknown)", out.conditions);
    read_list(section, "taints", is_taint, "KEY, KEY=VALUE, KEY:EFFECT or KEY=VALUE:EFFECT", out.taints);
}

}  // namespace echelon::config
