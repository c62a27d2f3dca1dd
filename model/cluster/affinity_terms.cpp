#include "model/cluster/affinity_terms.hpp"

namespace echelon::model {

namespace {

bool bears_terms(const Pod& pod) {
    return !pod.terms.empty() || pod.has_unread_terms;
}

}  // namespace

void AffinityTerms::add(const Pod& pod) {
    pods_ += bears_terms(pod) ? 1U : 0U;
    if (!pod.occupies())
        return;
    for (const auto& term : pod.terms) {
        if (term.kind == PodTerm::Kind::apart)
            ++apart_[term][pod.node];
    }
}

void AffinityTerms::remove(const Pod& pod) {
    pods_ -= bears_terms(pod) ? 1U : 0U;
    if (!pod.occupies())
        return;
    for (const auto& term : pod.terms) {
        if (term.kind != PodTerm::Kind::apart)
            continue;
        const auto known = apart_.find(term);
        const auto node = known->second.find(pod.node);
        if (--node->second == 0)
            known->second.erase(node);
        if (known->second.empty())
            apart_.erase(known);
    }
}

void AffinityTerms::add_member(const Pod& pod) {
    for (const auto& term : pod.terms) {
        if (term.kind == PodTerm::Kind::together && topology_keys_[term.key]++ == 0)
            ++version_;
    }
}

void AffinityTerms::remove_member(const Pod& pod) {
    for (const auto& term : pod.terms) {
        if (term.kind != PodTerm::Kind::together)
            continue;
        const auto known = topology_keys_.find(term.key);
        if (--known->second > 0)
            continue;
        topology_keys_.erase(known);
        ++version_;
    }
}

}  // namespace echelon::model
