#include "kube/kueue_topology.hpp"

#include "kube/shown.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr std::size_t most_levels = 16;
constexpr std::string_view host_level = "kubernetes.io/hostname";

std::string problem_of(const std::vector<std::string>& levels) {
    if (levels.empty())
        return "spec.levels is empty";
    if (levels.size() > most_levels) {
        return fmt::format("spec.levels has {} entries, at most {} are allowed", levels.size(), most_levels);
    }
    for (auto at = levels.begin(); at != levels.end(); ++at) {
        const auto index = at - levels.begin();
        if (!is_label_key(*at)) {
            return fmt::format("spec.levels[{}].nodeLabel is {}, which isn't a label key", index, shown(*at));
        }
        if (std::find(levels.begin(), at, *at) != at) {
            return fmt::format("spec.levels[{}].nodeLabel {} is listed twice", index, shown(*at));
        }
        if (*at == host_level && at + 1 != levels.end()) {
            return fmt::format("spec.levels[{}].nodeLabel {} may only be the last level", index, shown(*at));
        }
    }
    return {};
}

}  // namespace

model::Topology read_kueue_topology(const Field& object, const Metadata& metadata) {
    model::Topology topology{.name = metadata.name,
                             .source = model::TopologySource::object,
                             .api_kind = std::string(kueue_topology_kind),
                             .levels = {},
                             .problem = {}};
    for (const Field& level : object.at("spec").at("levels").items()) {
        topology.levels.push_back(level.required_text("nodeLabel"));
    }
    topology.problem = problem_of(topology.levels);
    return topology;
}

}  // namespace echelon::kube
