#include "kube/topology/topology_object.hpp"

#include "base/kubernetes_names.hpp"
#include "kube/json/quoted_text.hpp"

#include <cstddef>
#include <map>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr std::size_t most_levels = 16;
constexpr std::string_view host_level = "kubernetes.io/hostname";

using Where = std::map<std::string, std::size_t, std::less<>>;  // Name -> index of the level.

std::string label_problem(const std::vector<DeclaredLevel>& levels, Where& seen) {
    for (std::size_t index = 0; index < levels.size(); ++index) {
        const DeclaredLevel& level = levels[index];
        for (const std::string& label : level.labels) {
            if (!base::is_label_key(label))
                return fmt::format("{} is {}, which isn't a label key", level.label_path, shown(label));
            if (!seen.emplace(label, index).second)
                return fmt::format("{} {} is listed twice", level.label_path, shown(label));
            if (label == host_level && index + 1 < levels.size())
                return fmt::format("{} {} may only be the last level", level.label_path, shown(label));
        }
    }
    return {};
}

std::string alias_problem(const std::vector<DeclaredLevel>& levels, Where& seen) {
    for (std::size_t index = 0; index < levels.size(); ++index) {
        for (const std::string& alias : levels[index].aliases) {
            if (alias.empty())
                continue;
            const auto [at, is_new] = seen.emplace(alias, index);
            if (!is_new && at->second != index)
                return fmt::format("{} {} names two levels", levels[index].alias_path, shown(alias));
        }
    }
    return {};
}

std::string problem_of(const std::vector<DeclaredLevel>& levels, std::string_view list_path) {
    if (levels.empty())
        return fmt::format("{} is empty", list_path);
    if (levels.size() > most_levels)
        return fmt::format("{} has {} entries, at most {} are allowed", list_path, levels.size(), most_levels);
    Where seen;
    if (std::string problem = label_problem(levels, seen); !problem.empty())
        return problem;
    return alias_problem(levels, seen);
}

}  // namespace

std::string TopologyKind::full_name() const {
    return std::string(kind).append(".").append(group);
}

model::Topology topology_of(const TopologyKind& kind, const Metadata& metadata,
                            const std::vector<DeclaredLevel>& levels, std::string_view list_path) {
    model::Topology topology;
    topology.name = metadata.name;
    topology.api_kind = kind.full_name();
    topology.precedence = kind.precedence;
    topology.problem = problem_of(levels, list_path);
    for (const DeclaredLevel& level : levels) {
        if (level.labels.empty())
            continue;
        const std::string& key = level.labels.front();
        topology.levels.push_back(key);
        if (level.labels.size() > 1)
            topology.labels[key] = level.labels;
        for (const auto* names : {&level.labels, &level.aliases}) {
            for (const std::string& name : *names) {
                if (!name.empty() && name != key)
                    topology.aliases.emplace(name, key);
            }
        }
    }
    return topology;
}

}  // namespace echelon::kube
