#include "app/pushed_topologies.hpp"

#include "kube/json/packed_text.hpp"
#include "kube/topology/topograph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::app {

namespace {

using nlohmann::json;

std::string name_of(std::string_view key) {
    for (const std::string_view ending : {".json", ".yaml"}) {
        if (key.ends_with(ending) && key.size() > ending.size())
            return std::string(key.substr(0, key.size() - ending.size()));
    }
    return std::string(key);
}

kube::TopographSource source_of(std::string name) {
    return {.name = std::move(name), .source = model::TopologySource::object, .file = {}};
}

void append(std::vector<model::Event>& events, std::vector<model::Event> more) {
    std::ranges::move(more, std::back_inserter(events));
}

}  // namespace

std::vector<model::Event> PushedTopologies::apply(const json& config_map, kube::Change change) {
    const std::lock_guard lock(mutex_);
    std::vector<model::Event> events;
    std::map<std::string, std::pair<std::string, bool>> stored;  // By name: what is stored, and whether it is packed.
    for (const auto& [part, is_packed] : {std::pair{"data", false}, std::pair{"binaryData", true}}) {
        const auto entries = config_map.find(part);
        if (change == kube::Change::gone || entries == config_map.end() || !entries->is_object())
            continue;
        for (const auto& [key, value] : entries->items()) {
            if (value.is_string())
                stored.insert_or_assign(name_of(key), std::pair{value.get<std::string>(), is_packed});
        }
    }
    for (auto known = kept_.begin(); known != kept_.end();) {
        if (stored.contains(known->first)) {
            ++known;
            continue;
        }
        append(events, kube::topograph_gone(source_of(known->first)));
        known = kept_.erase(known);
    }
    for (const auto& [name, entry] : stored)
        take(name, entry.first, entry.second, events);
    return events;
}

void PushedTopologies::take(const std::string& name, const std::string& stored, bool is_packed,
                            std::vector<model::Event>& events) {
    const std::size_t hash = std::hash<std::string>()(stored);
    const auto [at, is_new] = kept_.try_emplace(name);
    Kept& kept = at->second;
    if (!is_new && kept.seen == hash)
        return;
    kept.seen = hash;
    base::Result<std::string> text = is_packed ? kube::unpack(stored, largest_topology) : stored;
    auto parsed = text ? kube::read_topograph_text(*text, source_of(name)) : std::unexpected(text.error());
    if (parsed) {
        ++figures_.applied;
        kept.text = std::move(*text);
        append(events, std::move(*parsed));
        return;
    }
    ++figures_.refused;
    const bool is_known = !kept.text.empty();
    log_(fmt::format("topology \"{}\" {}: {}", name, is_known ? "stays as it was" : "can't be used",
                     parsed.error().sentence));
    if (!is_known)
        append(events, kube::faulty_topograph(source_of(name), parsed.error()));
}

std::optional<std::string> PushedTopologies::text_of(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto known = kept_.find(name);
    return known == kept_.end() || known->second.text.empty() ? std::nullopt : std::optional(known->second.text);
}

PushedTopologies::Figures PushedTopologies::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace echelon::app
