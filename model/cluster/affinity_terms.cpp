#include "model/cluster/affinity_terms.hpp"

#include "model/topology/presets.hpp"

#include <algorithm>
#include <string_view>

namespace echelon::model {

namespace {

bool bears_terms(const Pod& pod) {
    return !pod.terms.empty() || pod.has_unread_terms;
}

bool is_beyond_host(const PodTerm& term) {
    return term.kind == PodTerm::Kind::apart && term.key != host_level;
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

std::set<AffinityTerms::Selection> AffinityTerms::selections_of(const PodTerm& term) {
    const auto spaces = term.is_everywhere ? std::vector<std::string>{""} : term.namespaces;
    const auto listed = std::ranges::find(term.labels, Requirement::Operator::in, &Requirement::op);
    std::set<Selection> selections;
    for (const auto& ns : spaces) {
        if (listed == term.labels.end())
            selections.emplace(ns, "", "");
        for (const auto& value : listed == term.labels.end() ? std::vector<std::string>{} : listed->values)
            selections.emplace(ns, listed->key, value);
    }
    return selections;
}

void AffinityTerms::add_to(Selected& terms, const PodTerm& term) {
    for (const auto& selection : selections_of(term))
        ++terms[selection][term];
}

void AffinityTerms::remove_from(Selected& terms, const PodTerm& term) {
    for (const auto& selection : selections_of(term)) {
        const auto found = terms.find(selection);
        if (const auto known = found->second.find(term); --known->second == 0)
            found->second.erase(known);
        if (found->second.empty())
            terms.erase(found);
    }
}

template <typename Take>
void AffinityTerms::for_each_selecting(const Selected& terms, const Pod& pod, const LabelViews& labels,
                                       const Take& take) {
    if (terms.empty())
        return;
    const auto look = [&](const std::string& ns, std::string_view key, std::string_view value) {
        const auto found = terms.find({ns, std::string(key), std::string(value)});
        if (found == terms.end())
            return;
        for (const auto& [term, count] : found->second) {
            if (selects(term, pod.ns, labels))
                take(term);
        }
    };
    for (const auto& ns : {pod.ns, std::string()}) {
        look(ns, "", "");
        for (const auto& [key, value] : labels)
            look(ns, key, value);
    }
}

std::set<std::string> AffinityTerms::keys_apart(const Pod& pod, const LabelViews& labels) const {
    std::set<std::string> keys;
    for (const auto& term : pod.terms) {
        if (is_beyond_host(term))
            keys.insert(term.key);
    }
    for_each_selecting(apart_of_members_, pod, labels, [&keys](const PodTerm& term) { keys.insert(term.key); });
    return keys;
}

bool AffinityTerms::attracts_members(const Pod& pod, const LabelViews& labels) const {
    bool is_any = false;
    for_each_selecting(together_of_members_, pod, labels, [&is_any](const PodTerm&) { is_any = true; });
    return is_any;
}

void AffinityTerms::add_member(const Pod& pod) {
    for (const auto& term : pod.terms) {
        if (is_beyond_host(term))
            add_to(apart_of_members_, term);
        if (term.kind != PodTerm::Kind::together)
            continue;
        add_to(together_of_members_, term);
        if (topology_keys_[term.key]++ == 0)
            ++version_;
    }
}

void AffinityTerms::remove_member(const Pod& pod) {
    for (const auto& term : pod.terms) {
        if (is_beyond_host(term))
            remove_from(apart_of_members_, term);
        if (term.kind != PodTerm::Kind::together)
            continue;
        remove_from(together_of_members_, term);
        const auto known = topology_keys_.find(term.key);
        if (--known->second > 0)
            continue;
        topology_keys_.erase(known);
        ++version_;
    }
}

}  // namespace echelon::model
