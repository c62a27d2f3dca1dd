#include "translate/clique_set.hpp"

#include "kube/json/quoted_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

bool resolves_to(const kube::Field& spec, const KoordinatorBackend& backend) {
    return std::ranges::any_of(spec.at("cliques").items(), [&](const kube::Field& clique) {
        return clique.at("spec").at("podSpec").text("schedulerName") == backend.scheduler_name;
    });
}

void judge_nvlink(const kube::Field& annotations, const std::string& where, std::vector<std::string>& out) {
    const std::string group = annotations.text("grove.io/mnnvl-group");
    const char* key = nullptr;
    if (!group.empty() && group != "none") {
        key = "grove.io/mnnvl-group";
    } else if (annotations.text("grove.io/auto-mnnvl") == "enabled") {
        key = "grove.io/auto-mnnvl";
    }
    if (key == nullptr)
        return;
    out.push_back(
        fmt::format("{}: the annotation {} asks for multi-node NVLink, which Koordinator doesn't support: use "
                    "kai-scheduler",
                    where, key));
}

}  // namespace

std::vector<std::string> violations_of(const kube::Field& set, const KoordinatorBackend& backend) {
    std::vector<std::string> out;
    const kube::Field spec = set.at("spec").at("template");
    if (!resolves_to(spec, backend))
        return out;
    judge_nvlink(set.at("metadata").at("annotations"), "metadata", out);
    for (const kube::Field& clique : spec.at("cliques").items())
        judge_nvlink(clique.at("annotations"), fmt::format("clique {}", kube::shown(clique.text("name"))), out);
    for (const kube::Field& group : spec.at("podCliqueScalingGroups").items()) {
        const std::string where = fmt::format("scaling group {}", kube::shown(group.text("name")));
        judge_nvlink(group.at("annotations"), where, out);
        if (group.at("topologyConstraint").exists()) {
            out.push_back(
                fmt::format("{}: a topologyConstraint isn't representable in Koordinator: one gang group has "
                            "one constraint",
                            where));
        }
    }
    return out;
}

}  // namespace echelon::translate
