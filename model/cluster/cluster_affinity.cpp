// From affinity classes to the affinity constraints of one gang: which members must be apart or together, and from
// which nodes other pods keep them.

#include "model/cluster/affinity_classes.hpp"
#include "model/cluster/affinity_pods.hpp"
#include "model/cluster/cluster_state.hpp"
#include "model/cluster/label_values.hpp"
#include "model/gang/common_level.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace echelon::model {

namespace {

using Numbers = AffinityClasses::Numbers;
using Barred = LabelValues::Barred;

bool has(const Numbers& sorted, std::uint32_t number) {
    return std::ranges::binary_search(sorted, number);
}

// Lives for one call.
class AffinityResolver {
public:
    AffinityResolver(const Snapshot& snapshot, const AffinityPods& pods, const AffinityClasses& classes,
                     LabelValues& values, Gang& gang)
        : snapshot_(snapshot), pods_(pods), classes_(classes), values_(values), gang_(gang) {}

    void run() {
        auto& constraints = gang_.affinity;
        constraints.barred.resize(constraints.affinity_classes);
        for (std::uint32_t term = 0; term < classes_.terms().size(); ++term) {
            if (classes_.terms()[term]->kind == PodTerm::Kind::apart)
                keep_apart(term);
        }
        std::ranges::sort(constraints.apart);
        constraints.apart.erase(std::ranges::unique(constraints.apart).begin(), constraints.apart.end());
        for (std::uint32_t affinity_class = 1; affinity_class < constraints.affinity_classes; ++affinity_class)
            keep_together(affinity_class);
    }

private:
    void keep_apart(std::uint32_t number) {
        const auto* term = classes_.terms()[number];
        if (!values_.is_on_nodes(term->key))
            return;  // No two pods can share a value then.
        const auto topology_key = values_.topology_key_of(term->key);
        const auto& here = values_.at(topology_key);
        if (!classes_.carrying(number).empty()) {
            const auto selected = values_.selected(here, std::array{term}, pods_.not_kept_apart());
            for (const auto affinity_class : classes_.carrying(number))
                values_.bar(affinity_class, here, selected, Barred::these);
        }
        if (classes_.selected(number).empty())
            return;
        const auto carrying = values_.carrying(here, *term);
        for (const auto affinity_class : classes_.selected(number)) {
            values_.bar(affinity_class, here, carrying, Barred::these);
            for (const auto other : classes_.carrying(number)) {
                gang_.affinity.apart.push_back(
                    {topology_key, std::min(affinity_class, other), std::max(affinity_class, other)});
            }
        }
    }

    // Affinity: a friend is a pod that all terms of the affinity class select. This holds for the topologyKey of each
    // term.
    void keep_together(std::uint32_t affinity_class) {
        const auto numbers = classes_.terms_together(affinity_class);
        if (numbers.empty() || !classes_.has_waiting(affinity_class))
            return;  // Terms of bound members no longer matter (Z43).
        std::vector<const PodTerm*> terms;
        for (const auto number : numbers)
            terms.push_back(classes_.terms()[number]);
        const auto friends = classes_.selected_by_all(numbers);
        for (const auto* term : terms) {
            const auto topology_key = values_.topology_key_of(term->key);
            const auto& here = values_.at(topology_key);
            const auto met = values_.selected(here, terms, pods_.own());
            gang_.affinity.together.push_back({topology_key, affinity_class, friends, met});
            auto has_friend = met;
            for (std::size_t m = 0; m < gang_.members.size(); ++m) {
                const auto* row = pods_.members()[m];
                if (row != nullptr && gang_.members[m].state == Member::State::bound &&
                    has(friends, gang_.members[m].affinity_class))
                    values_.add(here, row->pod.node, has_friend);
            }
            const bool is_begun = std::ranges::any_of(has_friend, [](auto is_in) { return is_in != 0; });
            if (is_begun) {
                values_.bar(affinity_class, here, has_friend, Barred::all_others);
                gang_.affinity.is_exact = gang_.affinity.is_exact && !opens_elsewhere(affinity_class, numbers, friends);
            } else if (friends.empty()) {
                values_.bar(affinity_class, here, has_friend, Barred::all_others);
            } else {
                values_.bar(affinity_class, here, LabelValues::Values(here.count, 1), Barred::all_others);
                require_common_level(affinity_class, numbers, friends, here);
            }
        }
    }

    // Could an unbound friend go to a value where no friend is now?
    [[nodiscard]] bool opens_elsewhere(std::uint32_t affinity_class, const Numbers& terms,
                                       const Numbers& friends) const {
        return std::ranges::any_of(gang_.members, [&](const Member& member) {
            return member.state == Member::State::waiting && member.affinity_class != affinity_class &&
                   has(friends, member.affinity_class) &&
                   !std::ranges::includes(classes_.own_terms(member.affinity_class), terms);
        });
    }

    // No friend has a node yet: the smallest group around the affinity class and its friends requires the level. This
    // is exact if that group has no other members, none that is bound and would pin the level (D7), and if nodes with
    // one value are in one domain. If bound members are in several domains, the class gets no seat: the level would
    // take them from the whole group (D8).
    void require_common_level(std::uint32_t affinity_class, const Numbers& terms, const Numbers& friends,
                              const TopologyKeyIndex& here) {
        std::uint32_t around = nowhere;
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            for (auto m = gang_.groups[g].first_member; m < gang_.groups[g].last_member; ++m) {
                const auto of = gang_.members[m].affinity_class;
                if (gang_.groups[g].is_leaf && (of == affinity_class || has(friends, of)))
                    around = around == nowhere ? g : nearest_around(gang_, around, g);
            }
        }
        const auto level = snapshot_.level(here.key);
        if (!level) {  // No node has the label: no member can be placed.
            gang_.affinity.is_exact = false;
            return;
        }
        if (requires_within(gang_, around, *level))
            return;  // The terms ask for nothing more.
        if (!is_bound_in_one_domain(gang_, snapshot_, around, *level)) {
            gang_.affinity.is_exact = false;
            return values_.bar(affinity_class, here, LabelValues::Values(here.count, 0), Barred::all_others);
        }
        gang_.affinity.is_exact = gang_.affinity.is_exact && !splits_values(snapshot_, *level, here);
        auto& required = gang_.groups[around].required;
        if (std::ranges::find(required, *level) == required.end()) {
            required.push_back(*level);
            std::ranges::sort(required);
        }
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            const auto& group = gang_.groups[g];
            for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
                const auto& member = gang_.members[m];
                const bool is_one_of_them = member.state != Member::State::bound &&
                                            has(friends, member.affinity_class) &&
                                            std::ranges::includes(classes_.own_terms(member.affinity_class), terms);
                const bool is_inside =
                    member.state != Member::State::finished && nearest_around(gang_, around, g) == around;
                gang_.affinity.is_exact = gang_.affinity.is_exact && (!is_inside || is_one_of_them);
            }
        }
    }

    const Snapshot& snapshot_;
    const AffinityPods& pods_;
    const AffinityClasses& classes_;
    LabelValues& values_;
    Gang& gang_;
};

}  // namespace

void Cluster::State::resolve_affinity(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                                      Gang& gang) const {
    const AffinityPods affinity_pods({pods, strings, occupants, affinity_terms}, elsewhere, gang);
    const AffinityClasses affinity_classes(affinity_pods, gang);
    LabelValues values(affinity_pods, snapshot, node_index, gang.affinity);
    resolve_affinity(snapshot, affinity_pods, affinity_classes, values, gang);
}

void Cluster::State::resolve_affinity(const Snapshot& snapshot, const AffinityPods& affinity_pods,
                                      const AffinityClasses& affinity_classes, LabelValues& values, Gang& gang) {
    if (!gang.affinity.empty())
        AffinityResolver(snapshot, affinity_pods, affinity_classes, values, gang).run();
}

}  // namespace echelon::model
