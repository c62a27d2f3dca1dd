#include "report/snapshot_report.hpp"

#include "report/json_text.hpp"
#include "report/table.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::report {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string snapshot_json(const model::Snapshot& snapshot) {
    auto trees = Json::array();
    for (const auto& tree : snapshot.trees)
        trees.push_back({{"name", tree.name}, {"levels", tree.keys}});
    auto nodes = Json::array();
    for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
        auto places = Json::array();
        for (std::uint32_t tree = 0; tree < snapshot.trees.size(); ++tree)
            places.push_back(snapshot.path(tree, snapshot.trees[tree].host_depth(), node));
        auto capacity = Json::object();
        auto room = Json::object();
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            if (snapshot.capacity[r][node] == 0 && snapshot.room[r][node] == 0)
                continue;
            capacity[snapshot.resources[r]] = snapshot.capacity[r][node];
            room[snapshot.resources[r]] = snapshot.room[r][node];
        }
        nodes.push_back({{"name", snapshot.node_names[node]},
                         {"usable", snapshot.usable[node] != 0},
                         {"places", std::move(places)},
                         {"capacity", std::move(capacity)},
                         {"room", std::move(room)}});
    }
    const Json json{{"apiVersion", "echelon.sh/v1alpha1"},
                    {"kind", "Snapshot"},
                    {"trees", std::move(trees)},
                    {"nodes", std::move(nodes)}};
    return json_text(json);
}

std::string snapshot_text(const model::Snapshot& snapshot, bool has_colour) {
    Table table({"NODE", "PLACE", "USABLE", "ROOM"});
    for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
        std::vector<std::string> devices;
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            if (snapshot.resources[r].find('/') != std::string::npos && snapshot.capacity[r][node] != 0) {
                devices.push_back(fmt::format("{} {} of {}", snapshot.resources[r], snapshot.room[r][node],
                                              snapshot.capacity[r][node]));
            }
        }
        table.add({{snapshot.node_names[node]},
                   {snapshot.path(0, snapshot.trees.front().host_depth(), node)},
                   {snapshot.usable[node] != 0 ? "yes" : "no"},
                   {fmt::format("{}", fmt::join(devices, ", "))}});
    }
    return table.text(has_colour);
}

}  // namespace echelon::report
