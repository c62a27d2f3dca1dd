#pragma once

// On which nodes are the pods that terms of pod (anti-)affinity of one gang select, or that have such a term?
//
// Lives for one call, and points into the cluster. Pods count where they are; pods that are expected on another node
// count there.

#include "model/cluster/affinity_terms.hpp"
#include "model/cluster/cluster.hpp"
#include "model/cluster/occupants.hpp"
#include "model/cluster/pod_rows.hpp"
#include "model/facts/pod_term.hpp"
#include "model/facts/string_pool.hpp"
#include "model/gang/gang.hpp"
#include "model/gang/running_gang.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace echelon::model {

// What the cluster knows of pods.
struct KnownPods {
    const PodRows& rows;
    const StringPool& strings;
    const Occupants& occupants;
    const AffinityTerms& terms;
};

class AffinityPods {
public:
    using Rows = std::unordered_set<const PodRow*>;

    // Requires: the parts of `known`, and the texts of `elsewhere`, outlive it.
    AffinityPods(const KnownPods& known, std::span<const ExpectedPod> elsewhere, const Gang& gang);
    // From now on the anti-affinity of these pods, and toward them, does not count.
    void leave_out(const RunningGangs& running);

    [[nodiscard]] const KnownPods& known() const { return known_; }
    // [member] Null: it doesn't exist yet.
    [[nodiscard]] const std::vector<const PodRow*>& members() const { return members_; }
    // The members that exist.
    [[nodiscard]] const Rows& own() const { return own_; }
    // Pods whose anti-affinity does not count: the members, and those that are left out.
    [[nodiscard]] const Rows& not_kept_apart() const { return left_out_.empty() ? own_ : left_out_; }

    [[nodiscard]] bool selects(const PodTerm& term, const PodRow& row) const {
        return selects_namespace(term, row.pod.ns) && model::selects(term, row.pod.ns, known_.strings.read(row.labels));
    }
    [[nodiscard]] static bool carries(const PodRow& row, const PodTerm& term) {
        return std::ranges::binary_search(row.pod.terms, term);
    }
    // True if a pod that occupies a node has the term of anti-affinity, or one that is expected elsewhere. Requires:
    // some pod has it.
    [[nodiscard]] bool is_carried(const PodTerm& term) const;

    // Calls `take(node)` for each pod that all of these terms select and that is not in `without`. A node may come
    // twice. Requires: there is a term.
    template <typename Take>
    void for_each_selected(std::span<const PodTerm* const> terms, const Rows& without, const Take& take) const {
        const auto is_selected = [&](const PodRow& row) {
            return !without.contains(&row) &&
                   std::ranges::all_of(terms, [&](const PodTerm* term) { return selects(*term, row); });
        };
        const auto look = [&](const Occupants::Rows& here) {
            for (const auto* row : here) {
                if (is_selected(*row))
                    take(row->pod.node);
            }
        };
        const auto& first = *terms.front();
        if (first.is_everywhere) {
            for (const auto& [ns, here] : known_.occupants.by_namespace())
                look(here);
        }
        for (const auto& ns : first.namespaces) {
            const auto* here = known_.occupants.in(ns);
            if (here != nullptr && !first.is_everywhere)
                look(*here);
        }
        for (const auto& [row, node] : elsewhere_) {
            if (is_selected(*row))
                take(node);
        }
    }

    // Calls `take(node)` for each node with a pod that has this term of anti-affinity. Pods of `not_kept_apart` don't
    // count. A node may come twice.
    template <typename Take>
    void for_each_carrying(const PodTerm& term, const Take& take) const {
        const auto& all = known_.terms.apart();
        if (const auto known = all.find(term); known != all.end()) {
            std::map<std::string_view, std::size_t> own;
            for (const auto* row : not_kept_apart()) {
                if (row->pod.occupies() && carries(*row, term))
                    ++own[row->pod.node];
            }
            for (const auto& [node, count] : known->second) {
                const auto ours = own.find(node);
                if (ours == own.end() || ours->second < count)
                    take(node);
            }
        }
        for (const auto& [row, node] : elsewhere_) {
            if (carries(*row, term))
                take(node);
        }
    }

private:
    KnownPods known_;
    std::vector<const PodRow*> members_;
    Rows own_;
    Rows left_out_;  // With `own_`; empty: no other pod is left out.
    std::vector<std::pair<const PodRow*, std::string_view>> elsewhere_;
};

}  // namespace echelon::model
