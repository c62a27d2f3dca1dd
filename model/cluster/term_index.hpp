#pragma once

// Which terms of pod (anti-)affinity may select pods with certain labels? An index by namespace and by one label that a
// selected pod must have, so that all other terms cost nothing.
//
// Points to terms that are owned elsewhere. Its size is linear in that of the terms. Not thread-safe.

#include "model/facts/pod_term.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace echelon::model {

class TermIndex {
public:
    // Requires: the term stays where it is until it is removed, and no equal one is added.
    void add(const PodTerm& term);
    void remove(const PodTerm& term);

    // True if some term may select pods of the namespace, by what it says of namespaces.
    [[nodiscard]] bool reaches(std::string_view ns) const { return !is_empty({}) || !is_empty(ns); }
    // Calls `take(term)` for each term that may select a pod of the namespace with some of the labels, which are sorted
    // by key. A term may come twice.
    template <typename Labels, typename Take>
    void for_each(std::string_view ns, const Labels& labels, const Take& take) const {
        for (const auto space : {ns, std::string_view()}) {
            if (is_empty(space))
                continue;
            visit(space, {}, {}, take);
            std::string_view before;
            for (const auto& [key, value] : labels) {
                visit(space, key, value, take);
                if (key != before && !value.empty())
                    visit(space, key, {}, take);
                before = key;
            }
        }
    }

private:
    // Namespace (empty: every one), key and value of a label that selected pods must have. Key empty: none is certain;
    // value empty: any value.
    using Selection = std::tuple<std::string, std::string, std::string>;
    struct ByTerm {
        bool operator()(const PodTerm* a, const PodTerm* b) const { return *a < *b; }
    };
    using Terms = std::set<const PodTerm*, ByTerm>;

    [[nodiscard]] static std::set<Selection> selections_of(const PodTerm& term);
    [[nodiscard]] bool is_empty(std::string_view space) const;
    template <typename Take>
    void visit(std::string_view space, std::string_view key, std::string_view value, const Take& take) const {
        const auto found = terms_.find(std::tuple(space, key, value));
        if (found == terms_.end())
            return;
        for (const auto* term : found->second)
            take(*term);
    }

    std::map<Selection, Terms, std::less<>> terms_;
};

}  // namespace echelon::model
