#include "kube/core/protection.hpp"

#include "kube/core/pod_constraints.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace echelon::kube {

namespace {

constexpr std::string_view evict_annotation = "echelon.sh/evict";
constexpr std::string_view volcano_mark = "volcano.sh/preemptable";
constexpr std::string_view koordinator_label = "quota.scheduling.koordinator.sh/preemptible";
constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";
constexpr std::string_view source_annotation = "kubernetes.io/config.source";

// True for strconv.ParseBool, which Volcano uses.
constexpr std::array<std::string_view, 6> true_words = {"1", "t", "T", "TRUE", "true", "True"};

bool is_owned_by_node(const Field& object) {
    const auto owners = object.at("metadata").at("ownerReferences").items();
    return std::ranges::any_of(owners, [](const Field& owner) { return owner.text("kind") == "Node"; });
}

bool is_static(const Field& object, const Metadata& metadata) {
    const std::string source = metadata.annotations.text(source_annotation);
    return metadata.annotations.has(mirror_annotation) || (!source.empty() && source != "api") ||
           is_owned_by_node(object);
}

}  // namespace

bool is_of_daemon_set(const Field& object) {
    const auto owners = object.at("metadata").at("ownerReferences").items();
    return std::ranges::any_of(owners, [](const Field& owner) {
        return owner.text("kind") == "DaemonSet" && owner.flag("controller", false);
    });
}

bool is_unpreemptable(const Metadata& metadata) {
    for (const Field* marks : {&metadata.annotations, &metadata.labels}) {
        if (marks->has(volcano_mark))
            return std::ranges::find(true_words, marks->text(volcano_mark)) == true_words.end();
    }
    return false;
}

bool is_pod_of_node(const Field& object, const Metadata& metadata) {
    return is_static(object, metadata) || is_of_daemon_set(object);
}

bool is_marked_protected(const Metadata& metadata) {
    return metadata.annotations.text(evict_annotation) == "never" ||
           metadata.labels.text(koordinator_label) == "false" || is_unpreemptable(metadata);
}

model::DisruptionBudget read_disruption_budget(const Field& object, const Metadata& metadata) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    model::DisruptionBudget budget{.ns = metadata.ns, .name = metadata.name, .selector = {}, .allowed = 0};
    if (const Field selector = object.at("spec").at("selector"); selector.exists())
        budget.selector = read_label_selector(selector);
    const Field status = object.at("status");
    const auto seen = status.integer("observedGeneration", 0, most).value_or(0);
    const auto allowed = status.integer("disruptionsAllowed", 0, most).value_or(0);
    const bool is_stale = seen < metadata.generation;
    budget.allowed = is_stale ? 0 : allowed;
    const auto healthy = status.integer("currentHealthy", 0, most).value_or(0);
    const auto desired = status.integer("desiredHealthy", 0, most).value_or(0);
    budget.ignores_unready = object.at("spec").text("unhealthyPodEvictionPolicy") == "AlwaysAllow" ||
                             (!is_stale && desired > 0 && healthy >= desired);
    return budget;
}

}  // namespace echelon::kube
