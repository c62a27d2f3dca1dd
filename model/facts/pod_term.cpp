#include "model/facts/pod_term.hpp"

#include "model/facts/eligibility.hpp"

#include <algorithm>
#include <optional>

namespace echelon::model {

namespace {

std::optional<std::string_view> value_of(const LabelViews& labels, std::string_view key) {
    const auto label = std::ranges::lower_bound(labels, key, {}, &LabelViews::value_type::first);
    return label == labels.end() || label->first != key ? std::nullopt : std::optional(label->second);
}

}  // namespace

bool selects_namespace(const PodTerm& term, std::string_view ns) {
    return term.is_everywhere || std::ranges::binary_search(term.namespaces, ns);
}

bool selects(const PodTerm& term, std::string_view ns, const LabelViews& labels) {
    if (!selects_namespace(term, ns))
        return false;
    return std::ranges::all_of(term.labels, [&labels](const Requirement& requirement) {
        return holds(requirement, value_of(labels, requirement.key));
    });
}

}  // namespace echelon::model
