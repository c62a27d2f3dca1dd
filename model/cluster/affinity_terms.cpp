#include "model/cluster/affinity_terms.hpp"

#include "model/topology/presets.hpp"

#include <string_view>

namespace echelon::model {

namespace {

bool bears_terms(const Pod& pod) {
    return !pod.terms.empty() || pod.has_unread_terms;
}

bool is_beyond_host(const PodTerm& term) {
    return term.kind == PodTerm::Kind::apart && term.key != host_level;
}

// Empty: it occupies none.
const std::string& node_of(const Pod& pod) {
    static const std::string none;
    return pod.occupies() ? pod.node.str() : none;
}

}  // namespace

void AffinityTerms::add(const Pod& pod) {
    pods_ += bears_terms(pod) ? 1U : 0U;
    for (const auto& term : pod.terms) {
        if (term.kind != PodTerm::Kind::apart)
            continue;
        const auto [known, is_first] = apart_.try_emplace(term);
        if (is_first)
            index_of_apart_.add(known->first);
        ++known->second[node_of(pod)];
    }
}

void AffinityTerms::remove(const Pod& pod) {
    pods_ -= bears_terms(pod) ? 1U : 0U;
    for (const auto& term : pod.terms) {
        if (term.kind != PodTerm::Kind::apart)
            continue;
        const auto known = apart_.find(term);
        const auto node = known->second.find(node_of(pod));
        if (--node->second == 0)
            known->second.erase(node);
        if (!known->second.empty())
            continue;
        index_of_apart_.remove(known->first);
        apart_.erase(known);
    }
}

void AffinityTerms::Counted::add(const PodTerm& term) {
    const auto [known, is_first] = counts.try_emplace(term, 0);
    if (is_first)
        index.add(known->first);
    ++known->second;
}

void AffinityTerms::Counted::remove(const PodTerm& term) {
    const auto known = counts.find(term);
    if (--known->second > 0)
        return;
    index.remove(known->first);
    counts.erase(known);
}

template <typename Take>
void AffinityTerms::Counted::for_each_selecting(const Pod& pod, const LabelViews& labels, const Take& take) const {
    index.for_each(pod.ns, labels, [&](const PodTerm& term) {
        if (selects(term, pod.ns, labels))
            take(term);
    });
}

std::set<std::string> AffinityTerms::keys_apart(const Pod& pod, const LabelViews& labels) const {
    std::set<std::string> keys;
    for (const auto& term : pod.terms) {
        if (is_beyond_host(term))
            keys.insert(term.key);
    }
    apart_of_members_.for_each_selecting(pod, labels, [&keys](const PodTerm& term) { keys.insert(term.key); });
    return keys;
}

bool AffinityTerms::attracts_members(const Pod& pod, const LabelViews& labels) const {
    bool is_any = false;
    together_of_members_.for_each_selecting(pod, labels, [&is_any](const PodTerm&) { is_any = true; });
    return is_any;
}

void AffinityTerms::add_member(const Pod& pod) {
    for (const auto& term : pod.terms) {
        if (is_beyond_host(term))
            apart_of_members_.add(term);
        if (term.kind != PodTerm::Kind::together)
            continue;
        together_of_members_.add(term);
        if (topology_keys_[term.key]++ == 0)
            ++version_;
    }
}

void AffinityTerms::remove_member(const Pod& pod) {
    for (const auto& term : pod.terms) {
        if (is_beyond_host(term))
            apart_of_members_.remove(term);
        if (term.kind != PodTerm::Kind::together)
            continue;
        together_of_members_.remove(term);
        const auto known = topology_keys_.find(term.key);
        if (--known->second > 0)
            continue;
        topology_keys_.erase(known);
        ++version_;
    }
}

}  // namespace echelon::model
