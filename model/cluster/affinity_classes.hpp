#pragma once

// Which members of a gang does every term of pod (anti-)affinity treat alike?
//
// Those are one affinity class: they have the same terms, and the same terms select them. Terms are numbered in the
// order of what they say, classes by their first members; class 0 has no terms. Lives for one call, and points into the
// cluster.

#include "model/cluster/affinity_pods.hpp"
#include "model/cluster/labelled_members.hpp"
#include "model/facts/pod_term.hpp"
#include "model/gang/gang.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace echelon::model {

class AffinityClasses {
public:
    using Numbers = std::vector<std::uint32_t>;  // Of terms or of affinity classes; sorted.

    // Writes the class of each member into the gang, and how many there are. Requires: the arguments outlive it.
    AffinityClasses(const AffinityPods& pods, Gang& gang);

    // [term] Terms of members, and terms of other pods that keep a member away; each once.
    [[nodiscard]] const std::vector<const PodTerm*>& terms() const { return terms_; }
    // How many classes there are, with class 0.
    [[nodiscard]] std::uint32_t count() const { return gang_.affinity.affinity_classes; }
    // The terms that members of a class have.
    [[nodiscard]] const Numbers& own_terms(std::uint32_t affinity_class) const {
        return uses_[affinity_class].own_terms;
    }
    // Those of `own_terms` that are affinity, not anti-affinity.
    [[nodiscard]] Numbers terms_together(std::uint32_t affinity_class) const;
    // The classes whose members have the term.
    [[nodiscard]] const Numbers& carrying(std::uint32_t term) const { return carrying_[term]; }
    // The classes whose members the term selects.
    [[nodiscard]] const Numbers& selected(std::uint32_t term) const { return selected_[term]; }
    // The classes that all of these terms select. Requires: there is a term.
    [[nodiscard]] Numbers selected_by_all(const Numbers& terms) const;
    // True if a member of the class waits.
    [[nodiscard]] bool has_waiting(std::uint32_t affinity_class) const;

private:
    // The terms of a member and those that select it; members with equal ones are one affinity class.
    struct TermUse {
        Numbers own_terms;
        Numbers selected_by;

        auto operator<=>(const TermUse&) const = default;
        [[nodiscard]] bool empty() const { return own_terms.empty() && selected_by.empty(); }
    };

    [[nodiscard]] bool selects_member(const PodTerm& term, std::size_t m) const;
    void collect_terms();
    [[nodiscard]] std::vector<TermUse> terms_of_members() const;  // [member]
    void number_classes();
    void number_absent();

    const AffinityPods& pods_;
    Gang& gang_;
    std::vector<LabelViews> labels_;  // [member]
    LabelledMembers by_label_;
    std::vector<const PodTerm*> terms_;  // Sorted by what they say.
    std::vector<TermUse> uses_;          // [affinity class]
    std::vector<Numbers> carrying_;      // [term]
    std::vector<Numbers> selected_;      // [term]
};

}  // namespace echelon::model
