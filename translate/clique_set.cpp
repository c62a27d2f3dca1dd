#include "translate/clique_set.hpp"

#include "kube/json/quoted_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {

namespace {

bool resolves_to(const kube::Field& spec, const KoordinatorBackend& backend) {
    return std::ranges::any_of(spec.at("cliques").items(), [&](const kube::Field& clique) {
        return clique.at("spec").at("podSpec").text("schedulerName") == backend.scheduler_name;
    });
}

void check_nvlink(const kube::Field& annotations, const std::string& where, std::vector<std::string>& out) {
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
    return resolves_to(set.at("spec").at("template"), backend) ? violations_of(set) : std::vector<std::string>();
}

std::vector<std::string> violations_of(const kube::Field& set) {
    std::vector<std::string> out;
    const kube::Field spec = set.at("spec").at("template");
    check_nvlink(set.at("metadata").at("annotations"), "metadata", out);
    for (const kube::Field& clique : spec.at("cliques").items())
        check_nvlink(clique.at("annotations"), fmt::format("clique {}", kube::shown(clique.text("name"))), out);
    for (const kube::Field& group : spec.at("podCliqueScalingGroups").items()) {
        const std::string where = fmt::format("scaling group {}", kube::shown(group.text("name")));
        check_nvlink(group.at("annotations"), where, out);
        if (group.at("topologyConstraint").exists()) {
            out.push_back(
                fmt::format("{}: a topologyConstraint isn't representable in Koordinator: one gang group has "
                            "one constraint",
                            where));
        }
    }
    return out;
}

std::string clique_set_of(const nlohmann::json& pod_gang) {
    kube::FieldFault fault;
    const kube::Field metadata = kube::Field(pod_gang, fault).at("metadata");
    for (const kube::Field& owner : metadata.at("ownerReferences").items()) {
        if (owner.text("kind") == "PodCliqueSet" && owner.text("apiVersion").starts_with("grove.io/"))
            return owner.text("name");
    }
    return metadata.at("labels").text("app.kubernetes.io/part-of");
}

std::string refusal_by(const nlohmann::json& set, const std::string& scheduler_name) {
    kube::FieldFault fault;
    const kube::Field root(set, fault);
    const auto violations = scheduler_name.empty()
                                ? violations_of(root)
                                : violations_of(root, {.scheduler_name = scheduler_name, .qos_class = {}});
    const std::string name = kube::shown(root.at("metadata").text("name"));
    if (fault.found())
        return fmt::format("PodCliqueSet {}: {}", name, fault.sentence());
    return violations.empty() ? std::string() : fmt::format("PodCliqueSet {}: {}", name, fmt::join(violations, "; "));
}

}  // namespace echelon::translate
