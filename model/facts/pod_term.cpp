#include "model/facts/pod_term.hpp"

#include "model/facts/eligibility.hpp"

#include <algorithm>
#include <optional>

namespace echelon::model {

bool selects_namespace(const PodTerm& term, std::string_view ns) {
    return term.is_everywhere || std::ranges::binary_search(term.namespaces, ns);
}

bool selects(const PodTerm& term, std::string_view ns, const LabelViews& labels) {
    if (!selects_namespace(term, ns))
        return false;
    return std::ranges::all_of(term.labels, [&labels](const Requirement& requirement) {
        const auto label = std::ranges::find(labels, requirement.key, &LabelViews::value_type::first);
        return holds(requirement, label == labels.end() ? std::nullopt : std::optional(label->second));
    });
}

}  // namespace echelon::model
