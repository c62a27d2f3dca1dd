#include "config/simulation_settings.hpp"

#include "config/document.hpp"

#include <algorithm>
#include <vector>

namespace echelon::config {

namespace {

// Null: the map has no such key.
const Value* value_of(const Value& map, std::string_view key) {
    const auto found = std::ranges::find(map.entries, key, &Value::Entry::key);
    return found == map.entries.end() ? nullptr : &found->value;
}

bool says(const Value* map, std::string_view key, std::string_view word) {
    const auto* value = map == nullptr ? nullptr : value_of(*map, key);
    return value != nullptr && value->text == word;
}

}  // namespace

SimulationSettings simulation_settings(std::string_view yaml) {
    SimulationSettings settings;
    if (yaml.empty())
        return settings;
    std::vector<Fault> faults;
    const Value document = read_document(yaml, faults);
    if (says(value_of(document, "simulation"), "scoring", "MostAllocated"))
        settings.scoring = StockScoring::most_allocated;
    const auto* profiles = value_of(document, "profiles");
    settings.packs =
        profiles != nullptr && !profiles->items.empty() && says(&profiles->items.front(), "scores", "pack");
    return settings;
}

}  // namespace echelon::config
