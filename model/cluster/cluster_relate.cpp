// Which running pods keep members of a gang away by pod anti-affinity, and which do members follow by affinity? For
// preemption (U3).

#include "model/cluster/affinity_classes.hpp"
#include "model/cluster/affinity_pods.hpp"
#include "model/cluster/cluster_state.hpp"
#include "model/cluster/label_values.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace echelon::model {

namespace {

// Lives for one call.
class PodRelations {
public:
    PodRelations(const AffinityPods& pods, const AffinityClasses& classes, LabelValues& values)
        : pods_(pods), classes_(classes), values_(values) {}

    void note(RunningGangs& running) {
        for (auto& other : running.gangs) {
            for (auto& pod : other.pods) {
                const auto* row = pods_.known().rows.find(pod.uid);
                if (row == nullptr || pods_.own().contains(row))
                    continue;
                pod.is_protected = pod.is_protected || is_friend(*row);
                for (std::uint32_t term = 0; term < classes_.terms().size(); ++term) {
                    if (classes_.terms()[term]->kind == PodTerm::Kind::apart)
                        note_kept_away(term, *row, pod);
                }
            }
        }
    }

private:
    // All terms of affinity of some waiting member select the pod.
    [[nodiscard]] bool is_friend(const PodRow& row) const {
        for (std::uint32_t affinity_class = 1; affinity_class < classes_.count(); ++affinity_class) {
            bool has_terms = false;
            bool is_selected = true;
            for (const auto number : classes_.own_terms(affinity_class)) {
                const auto& term = *classes_.terms()[number];
                if (term.kind == PodTerm::Kind::together) {
                    has_terms = true;
                    is_selected = is_selected && pods_.selects(term, row);
                }
            }
            if (has_terms && is_selected && classes_.has_waiting(affinity_class))
                return true;
        }
        return false;
    }

    void note_kept_away(std::uint32_t number, const PodRow& row, RunningPod& pod) {
        const auto& term = *classes_.terms()[number];
        const bool is_avoided = !classes_.carrying(number).empty() && pods_.selects(term, row);
        const bool avoids = !classes_.selected(number).empty() && AffinityPods::carries(row, term);
        if ((!is_avoided && !avoids) || !values_.is_on_nodes(term.key))
            return;
        const auto topology_key = values_.topology_key_of(term.key);
        const auto value = values_.at(topology_key).of[pod.node];
        if (value == nowhere)
            return;
        const auto keep_away = [&](const AffinityClasses::Numbers& affinity_classes) {
            for (const auto affinity_class : affinity_classes)
                pod.keeps_away.push_back({affinity_class, topology_key, value});
        };
        if (is_avoided)
            keep_away(classes_.carrying(number));
        if (avoids)
            keep_away(classes_.selected(number));
    }

    const AffinityPods& pods_;
    const AffinityClasses& classes_;
    LabelValues& values_;
};

}  // namespace

void Cluster::relate(const Gang& gang, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                     RunningGangs& running) const {
    if (gang.affinity.empty())
        return;
    auto alone = gang;
    alone.affinity = {};
    for (auto& member : alone.members)
        member.affinity_class = 0;
    for (auto& gated : alone.gated_members)
        gated.affinity_class = 0;
    AffinityPods pods({state_->pods, state_->strings, state_->occupants, state_->affinity_terms}, elsewhere, alone);
    pods.leave_out(running);
    const AffinityClasses classes(pods, alone);
    LabelValues values(pods, snapshot, state_->node_index, alone.affinity);
    State::resolve_affinity(snapshot, pods, classes, values, alone);
    if (!alone.affinity.empty())
        PodRelations(pods, classes, values).note(running);
    if (!state_->co_location.empty())
        state_->anchor(snapshot, elsewhere, alone);
    running.barred_anyway = std::move(alone.affinity.barred);
}

}  // namespace echelon::model
