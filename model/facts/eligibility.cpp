#include "model/facts/eligibility.hpp"

#include "base/whole_number.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace echelon::model {

namespace {

// Compares the label with the one operand of Gt and Lt; anything that isn't an integer matches nothing.
bool compares(const Requirement& requirement, std::string_view value, bool wants_greater) {
    if (requirement.values.size() != 1)
        return false;
    const auto have = base::whole_number<std::int64_t>(value);
    const auto limit = base::whole_number<std::int64_t>(requirement.values.front());
    if (!have || !limit)
        return false;
    return wants_greater ? *have > *limit : *have < *limit;
}

bool holds(const NodeTerm& term, const NodeView& node) {
    if (term.labels.empty() && term.fields.empty())
        return false;
    const auto label_holds = [&node](const Requirement& requirement) {
        return holds(requirement, node.labels.value_of(requirement.key));
    };
    const auto field_holds = [&node](const Requirement& requirement) {
        return requirement.key == "metadata.name" && holds(requirement, node.name());
    };
    return std::ranges::all_of(term.labels, label_holds) && std::ranges::all_of(term.fields, field_holds);
}

bool covers(const Toleration& toleration, const Taint& taint) {
    if (toleration.effect && *toleration.effect != taint.effect)
        return false;
    if (toleration.exists)
        return toleration.key.empty() || toleration.key == taint.key;
    return toleration.key == taint.key && toleration.value == taint.value;
}

}  // namespace

bool holds(const Requirement& requirement, std::optional<std::string_view> value) {
    const auto is_listed = [&] { return value && std::ranges::binary_search(requirement.values, *value); };
    switch (requirement.op) {
        case Requirement::Operator::in:
            return is_listed();
        case Requirement::Operator::not_in:
            return !is_listed();
        case Requirement::Operator::exists:
            return value.has_value();
        case Requirement::Operator::does_not_exist:
            return !value.has_value();
        case Requirement::Operator::greater_than:
            return value && compares(requirement, *value, true);
        case Requirement::Operator::less_than:
            return value && compares(requirement, *value, false);
    }
    return false;
}

bool matches(const NodeView& node, const NodeTerm& term) {
    return holds(term, node);
}

bool is_selected(const NodeView& node, const PodClass& pod_class) {
    const auto carries = [&node](const auto& wanted) { return node.labels.value_of(wanted.first) == wanted.second; };
    if (!std::ranges::all_of(pod_class.node_selector, carries))
        return false;
    return !pod_class.node_affinity ||
           std::ranges::any_of(*pod_class.node_affinity, [&node](const NodeTerm& term) { return holds(term, node); });
}

bool is_tolerated(const NodeView& node, const PodClass& pod_class) {
    return std::ranges::all_of(node.taints, [&pod_class](const Taint& taint) {
        if (taint.effect == TaintEffect::prefer_no_schedule)
            return true;
        return std::ranges::any_of(pod_class.tolerations,
                                   [&taint](const Toleration& toleration) { return covers(toleration, taint); });
    });
}

bool may_host(const NodeView& node, const PodClass& pod_class) {
    return node.usable && is_selected(node, pod_class) && is_tolerated(node, pod_class);
}

}  // namespace echelon::model
