#include "kube/core/pod_constraints.hpp"

#include "base/whole_number.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::NodeTerm;
using model::Requirement;
using model::TaintEffect;
using model::Toleration;

// Each pod's constraints are judged on every node of the cluster.
constexpr Bound selector_bound{128, "terms or requirements that a node selector may have"};

std::optional<Requirement::Operator> operator_named(std::string_view text) {
    using enum Requirement::Operator;
    static constexpr std::array<std::pair<std::string_view, Requirement::Operator>, 6> rows{{
        {"In", in},
        {"NotIn", not_in},
        {"Exists", exists},
        {"DoesNotExist", does_not_exist},
        {"Gt", greater_than},
        {"Lt", less_than},
    }};
    for (const auto& [name, op] : rows) {
        if (name == text)
            return op;
    }
    return std::nullopt;
}

// The fault of a requirement's values; "" if there is none.
std::string_view fault_of_values(const Requirement& requirement) {
    using enum Requirement::Operator;
    switch (requirement.op) {
        case in:
        case not_in:
            return requirement.values.empty() ? "must not be empty for In and NotIn" : "";
        case exists:
        case does_not_exist:
            return requirement.values.empty() ? "" : "must be empty for Exists and DoesNotExist";
        case greater_than:
        case less_than:
            // Another text than an integer is no fault: the API server takes it, and no node matches it.
            return requirement.values.size() == 1 ? "" : "must be one value for Gt and Lt";
    }
    return "";
}

std::optional<Requirement> read_requirement(const Field& expression) {
    Requirement out;
    out.key = expression.required_text("key");
    const std::string op = expression.required_text("operator");
    const std::optional<Requirement::Operator> known = operator_named(op);
    if (!known) {
        expression.wrong("operator", fmt::format("{} isn't an operator", shown(op)));
        return std::nullopt;
    }
    out.op = *known;
    for (const Field& value : expression.at("values").items())
        out.values.push_back(value.text());
    std::ranges::sort(out.values);
    out.values.erase(std::ranges::unique(out.values).begin(), out.values.end());
    if (const std::string_view fault = fault_of_values(out); !fault.empty())
        expression.wrong("values", fault);
    return out;
}

std::vector<Requirement> read_requirements(const Field& expressions, const Bound& bound = list_bound) {
    std::vector<Requirement> out;
    for (const Field& expression : expressions.items(bound)) {
        if (std::optional<Requirement> read = read_requirement(expression))
            out.push_back(std::move(*read));
    }
    std::ranges::sort(out);
    return out;
}

NodeTerm read_term(const Field& term) {
    NodeTerm out;
    out.labels = read_requirements(term.at("matchExpressions"));
    const Field fields = term.at("matchFields");
    out.fields = read_requirements(fields);
    for (const Requirement& requirement : out.fields) {
        using enum Requirement::Operator;
        if (requirement.key != "metadata.name") {
            fields.wrong(fmt::format("{} isn't a field of a node that can be selected by", shown(requirement.key)));
        } else if (requirement.op != in && requirement.op != not_in) {
            fields.wrong("takes In and NotIn only");
        }
    }
    return out;
}

}  // namespace

std::vector<Requirement> read_label_selector(const Field& selector, const Bound& bound) {
    const Field expressions = selector.at("matchExpressions");
    std::vector<Requirement> out = read_requirements(expressions, bound);
    for (const Requirement& requirement : out) {
        using enum Requirement::Operator;
        if (requirement.op == greater_than || requirement.op == less_than)
            expressions.wrong("takes In, NotIn, Exists and DoesNotExist only");
    }
    static_cast<void>(selector.at("matchLabels").members(bound));  // Notes an excess.
    for (auto& [key, value] : selector.at("matchLabels").texts())
        out.push_back({.key = key, .op = Requirement::Operator::in, .values = {value}});
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

std::optional<std::vector<NodeTerm>> read_node_affinity(const Field& spec) {
    const Field required = spec.at("affinity").at("nodeAffinity").at("requiredDuringSchedulingIgnoredDuringExecution");
    return required.exists() ? std::optional(read_node_selector(required)) : std::nullopt;
}

std::vector<NodeTerm> read_node_selector(const Field& selector) {
    const Field list = selector.at("nodeSelectorTerms");
    std::vector<NodeTerm> terms;
    std::int64_t requirements = 0;
    for (const Field& term : list.items(selector_bound)) {
        const NodeTerm& read = terms.emplace_back(read_term(term));
        requirements += std::ssize(read.labels) + std::ssize(read.fields);
    }
    if (requirements > selector_bound.most) {
        list.excessive(beyond(requirements, selector_bound));
        terms.clear();  // Matches no node.
    }
    std::ranges::sort(terms);
    return terms;
}

std::optional<TaintEffect> read_effect(const Field& taint) {
    const std::string effect = taint.text("effect");
    if (effect == "NoSchedule")
        return TaintEffect::no_schedule;
    if (effect == "PreferNoSchedule")
        return TaintEffect::prefer_no_schedule;
    if (effect == "NoExecute")
        return TaintEffect::no_execute;
    if (!effect.empty())
        taint.wrong("effect", fmt::format("{} isn't an effect of a taint", shown(effect)));
    return std::nullopt;
}

std::vector<Toleration> read_tolerations(const Field& spec, const Bound& bound) {
    std::vector<Toleration> out;
    for (const Field& field : spec.at("tolerations").items(bound)) {
        if (field.text("effect") == "None")
            continue;  // Tolerates a taint of a device; such a taint keeps no pod off the node.
        Toleration toleration{
            .key = field.text("key"), .exists = false, .value = field.text("value"), .effect = read_effect(field)};
        const std::string op = field.text("operator");
        if (op == "Exists") {
            toleration.exists = true;
            toleration.value.clear();
        } else if (op == "Lt" || op == "Gt") {
            continue;  // Compares numbers (1.35, alpha). Without it the pod is kept off some nodes, and never put on a
                       // wrong one.
        } else if (!op.empty() && op != "Equal") {
            field.wrong("operator", fmt::format("{} isn't an operator", shown(op)));
        } else if (toleration.key.empty()) {
            field.wrong("operator", "must be Exists when there is no key");
        }
        out.push_back(std::move(toleration));
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

}  // namespace echelon::kube
