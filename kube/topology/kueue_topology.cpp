#include "kube/topology/kueue_topology.hpp"

#include "kube/topology/topology_object.hpp"

#include <string>
#include <vector>

namespace echelon::kube {

namespace {

model::Topology read_levels(const Field& object, const Metadata& metadata, const TopologyKind& kind, bool has_alias) {
    std::vector<DeclaredLevel> levels;
    for (const Field& level : object.at("spec").at("levels").items()) {
        DeclaredLevel& declared = levels.emplace_back();
        declared.label_path = level.path() + ".nodeLabel";
        declared.alias_path = level.path() + ".alias";
        declared.labels = {level.required_text("nodeLabel")};
        if (has_alias)
            declared.aliases = {level.text("alias")};
    }
    return topology_of(kind, metadata, levels, "spec.levels");
}

}  // namespace

model::Topology read_kueue_topology(const Field& object, const Metadata& metadata) {
    return read_levels(object, metadata, kueue_topology, false);
}

model::Topology read_kai_topology(const Field& object, const Metadata& metadata) {
    return read_levels(object, metadata, kai_topology, true);
}

}  // namespace echelon::kube
