#include "kube/topology/grove_topology.hpp"

#include <string>
#include <vector>

namespace echelon::kube {

namespace {

constexpr std::string_view host_level = "kubernetes.io/hostname";

}  // namespace

model::Topology read_grove_topology(const Field& object, const Metadata& metadata, const TopologyKind& kind) {
    std::vector<DeclaredLevel> levels;
    bool is_below_host = false;
    for (const Field& level : object.at("spec").at("levels").items()) {
        DeclaredLevel declared;
        declared.label_path = level.path() + ".key";
        declared.alias_path = level.path() + ".domain";
        declared.labels = {level.required_text("key")};
        declared.aliases = {level.required_text("domain")};
        if (!is_below_host)
            levels.push_back(declared);
        is_below_host = is_below_host || declared.labels.front() == host_level;
    }
    return topology_of(kind, metadata, levels, "spec.levels");
}

}  // namespace echelon::kube
