#include "model/facts/plain_pod.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace echelon::model {

namespace {

constexpr std::string_view host_label = "kubernetes.io/hostname";
constexpr std::string_view name_field = "metadata.name";

// The one host that the requirements allow; nullopt: they allow several.
std::optional<std::string_view> host_of(const std::vector<Requirement>& requirements, std::string_view key) {
    const auto names_one = [key](const Requirement& requirement) {
        return requirement.key == key && requirement.op == Requirement::Operator::in && requirement.values.size() == 1;
    };
    const auto found = std::ranges::find_if(requirements, names_one);
    return found == requirements.end() ? std::nullopt : std::optional<std::string_view>(found->values.front());
}

std::optional<std::string_view> host_of(const NodeTerm& term) {
    const auto by_field = host_of(term.fields, name_field);
    return by_field ? by_field : host_of(term.labels, host_label);
}

}  // namespace

bool names_one_host(const PodClass& pod_class) {
    const auto is_host = [](const auto& label) { return label.first == host_label; };
    if (std::ranges::any_of(pod_class.node_selector, is_host))
        return true;
    if (!pod_class.node_affinity || pod_class.node_affinity->empty())
        return false;
    const auto first = host_of(pod_class.node_affinity->front());
    return first &&
           std::ranges::all_of(*pod_class.node_affinity, [&](const NodeTerm& term) { return host_of(term) == first; });
}

}  // namespace echelon::model
