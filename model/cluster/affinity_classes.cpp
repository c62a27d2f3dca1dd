#include "model/cluster/affinity_classes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace echelon::model {

namespace {

// By what a term says: equal ones of several pods are one.
struct ByTerm {
    bool operator()(const PodTerm* a, const PodTerm* b) const { return *a < *b; }
};

}  // namespace

AffinityClasses::AffinityClasses(const AffinityPods& pods, Gang& gang) : pods_(pods), gang_(gang) {
    collect_terms();
    if (!terms_.empty())
        number_classes();
}

AffinityClasses::Numbers AffinityClasses::terms_together(std::uint32_t affinity_class) const {
    Numbers terms;
    std::ranges::copy_if(own_terms(affinity_class), std::back_inserter(terms),
                         [this](auto term) { return terms_[term]->kind == PodTerm::Kind::together; });
    return terms;
}

AffinityClasses::Numbers AffinityClasses::selected_by_all(const Numbers& terms) const {
    const auto fewest = std::ranges::min(terms, {}, [this](auto term) { return selected_[term].size(); });
    Numbers affinity_classes;
    std::ranges::copy_if(selected_[fewest], std::back_inserter(affinity_classes), [&](auto affinity_class) {
        return std::ranges::includes(uses_[affinity_class].selected_by, terms);
    });
    return affinity_classes;
}

bool AffinityClasses::has_waiting(std::uint32_t affinity_class) const {
    return std::ranges::any_of(gang_.members, [affinity_class](const Member& member) {
        return member.affinity_class == affinity_class && member.state == Member::State::waiting;
    });
}

bool AffinityClasses::selects_member(const PodTerm& term, std::size_t m) const {
    const auto* row = pods_.members()[m];
    return row != nullptr && selects(term, row->pod.ns, labels_[m]);
}

// For most gangs a check of the namespaces is enough.
void AffinityClasses::collect_terms() {
    const auto& rows = pods_.members();
    std::set<const PodTerm*, ByTerm> terms;
    std::set<std::string_view> spaces;
    for (const auto* row : rows) {
        if (row == nullptr)
            continue;
        for (const auto& term : row->pod.terms)
            terms.insert(&term);
        spaces.insert(row->pod.ns);
    }
    const auto& others = pods_.known().terms.index_of_apart();
    if (terms.empty() && std::ranges::none_of(spaces, [&](auto ns) { return others.reaches(ns); }))
        return;
    for (std::size_t m = 0; m < rows.size(); ++m) {
        labels_.push_back(rows[m] == nullptr ? LabelViews{} : pods_.known().strings.read(rows[m]->labels));
        if (rows[m] != nullptr)
            by_label_.add(labels_.back(), m);
    }
    const auto consider = [&](const PodTerm& term) {
        if (!terms.contains(&term) && by_label_.any_of(term, [&](std::size_t m) { return selects_member(term, m); }) &&
            pods_.is_carried(term))
            terms.insert(&term);
    };
    for (const auto ns : spaces)
        others.for_each(ns, by_label_.labels(), consider);
    terms_.assign(terms.begin(), terms.end());
}

std::vector<AffinityClasses::TermUse> AffinityClasses::terms_of_members() const {
    const auto& rows = pods_.members();
    std::vector<TermUse> uses(rows.size());
    for (std::uint32_t term = 0; term < terms_.size(); ++term) {
        static_cast<void>(by_label_.any_of(*terms_[term], [&](std::size_t m) {
            if (selects_member(*terms_[term], m))
                uses[m].selected_by.push_back(term);
            return false;
        }));
    }
    for (std::size_t m = 0; m < rows.size(); ++m) {
        if (rows[m] == nullptr)
            continue;
        auto& own_terms = uses[m].own_terms;
        for (const auto& own : rows[m]->pod.terms) {
            const auto term = std::ranges::lower_bound(terms_, &own, ByTerm{});
            own_terms.push_back(static_cast<std::uint32_t>(term - terms_.begin()));
        }
        const auto repeated = std::ranges::unique(own_terms);  // Sorted, as the pod's terms are.
        own_terms.erase(repeated.begin(), repeated.end());
    }
    return uses;
}

void AffinityClasses::number_classes() {
    std::map<TermUse, std::uint32_t> numbers;
    uses_.emplace_back();
    auto use_of = terms_of_members();
    for (std::size_t m = 0; m < use_of.size(); ++m) {
        if (use_of[m].empty())
            continue;
        const auto [number, is_new] = numbers.try_emplace(use_of[m], gang_.affinity.affinity_classes);
        if (is_new) {
            ++gang_.affinity.affinity_classes;
            uses_.push_back(std::move(use_of[m]));
        }
        gang_.members[m].affinity_class = number->second;
    }
    carrying_.resize(terms_.size());
    selected_.resize(terms_.size());
    for (std::uint32_t affinity_class = 1; affinity_class < uses_.size(); ++affinity_class) {
        for (const auto term : uses_[affinity_class].own_terms)
            carrying_[term].push_back(affinity_class);
        for (const auto term : uses_[affinity_class].selected_by)
            selected_[term].push_back(affinity_class);
    }
    number_absent();
}

// The terms of pods that don't exist are unknown: they are assumed to equal those of the leaf's first member.
void AffinityClasses::number_absent() {
    for (const auto& group : gang_.groups) {
        if (!group.is_leaf || group.first_member == group.last_member)
            continue;
        for (auto m = group.first_member; m < group.last_member; ++m) {
            if (gang_.members[m].is_placeholder)
                gang_.members[m].affinity_class = gang_.members[group.first_member].affinity_class;
        }
    }
    for (auto& gated : gang_.gated_members) {
        const auto& group = gang_.groups[gated.group];
        if (group.first_member < group.last_member)
            gated.affinity_class = gang_.members[group.first_member].affinity_class;
    }
}

}  // namespace echelon::model
