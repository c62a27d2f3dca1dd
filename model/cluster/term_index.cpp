#include "model/cluster/term_index.hpp"

#include <algorithm>
#include <vector>

namespace echelon::model {

namespace {

// A term with more pairs of a namespace and a value is found by the key alone.
constexpr std::size_t most_pairs = 4096;

}  // namespace

std::set<TermIndex::Selection> TermIndex::selections_of(const PodTerm& term) {
    using enum Requirement::Operator;
    const std::vector<std::string> any = {""};
    const auto& spaces = term.is_everywhere ? any : term.namespaces;
    auto certain = std::ranges::find(term.labels, in, &Requirement::op);
    const bool has_values = certain != term.labels.end();
    if (!has_values)
        certain = std::ranges::find(term.labels, exists, &Requirement::op);
    const auto& key = certain == term.labels.end() ? any.front() : certain->key;
    const auto& values = has_values && spaces.size() * certain->values.size() <= most_pairs ? certain->values : any;
    std::set<Selection> selections;
    for (const auto& ns : spaces) {
        for (const auto& value : values)
            selections.emplace(ns, key, value);
    }
    return selections;
}

void TermIndex::add(const PodTerm& term) {
    for (const auto& selection : selections_of(term))
        terms_[selection].insert(&term);
}

void TermIndex::remove(const PodTerm& term) {
    for (const auto& selection : selections_of(term)) {
        const auto found = terms_.find(selection);
        found->second.erase(&term);
        if (found->second.empty())
            terms_.erase(found);
    }
}

bool TermIndex::is_empty(std::string_view space) const {
    const auto first = terms_.lower_bound(std::tuple(space, std::string_view(), std::string_view()));
    return first == terms_.end() || std::get<0>(first->first) != space;
}

}  // namespace echelon::model
