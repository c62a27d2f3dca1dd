#include "solver/explain/blockers.hpp"

#include "base/natural_order.hpp"
#include "model/facts/eligibility.hpp"
#include "model/facts/usage.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace echelon::solver {
namespace {

using model::Blocker;
using model::NodeId;
using model::Snapshot;

constexpr std::size_t most_blockers = 6;
constexpr std::size_t most_names = 3;
constexpr std::int64_t many_slots = std::int64_t{1} << 20U;  // For pods that need nothing.

using Freed = std::map<NodeId, model::Amounts>;

struct Entry {
    Blocker blocker;
    Freed freed;
};

class BlockerTable {
public:
    BlockerTable(const Snapshot& snapshot, const Room& room, model::PodClassId pod_class,
                 std::optional<std::size_t> missing, const model::AffinityConstraints& affinity,
                 std::uint32_t affinity_class)
        : snapshot_(snapshot), room_(room), pod_class_(pod_class), missing_(missing) {
        for (const model::Separation& apart : affinity.apart) {
            if (apart.one == affinity_class && apart.other == affinity_class) {
                apart_.push_back(&affinity.topology_keys[apart.topology_key]);
            }
        }
    }

    void add(const Occupant& occupant) {
        const auto kind = kind_of(occupant);
        // A reserved node blocks nothing if its reserved room would hold no member.
        if (kind == Blocker::Kind::claimed && slots(room_, occupant.node, &occupant.requests) == 0)
            return;
        Entry& row = rows_[{kind, kind == Blocker::Kind::running_pods ? std::string{} : occupant.gang}];
        const std::int64_t amount = missing_ ? occupant.requests.of(snapshot_.resources[*missing_]) : 0;
        row.blocker.priority =
            row.blocker.count == 0 ? occupant.priority : std::max(row.blocker.priority, occupant.priority);
        ++row.blocker.count;
        row.blocker.amount = model::saturating_sum(row.blocker.amount, amount);
        row.blocker.names.push_back({occupant.pod, amount});
        row.freed[occupant.node].add(occupant.requests);
    }

    void add(Blocker::Kind kind, NodeId node) {
        Entry& row = rows_[{kind, {}}];
        ++row.blocker.count;
        row.blocker.names.push_back({snapshot_.node_names[node], 0});
        row.blocker.room += slots(room_, node, nullptr);
    }

    [[nodiscard]] bool could_hold(NodeId node) const { return slots(snapshot_.capacity, node, nullptr) > 0; }

    Blocked take() {
        Blocked answer;
        for (auto& [key, row] : rows_) {
            row.blocker.kind = key.first;
            row.blocker.owner = key.second;
            for (const auto& [node, amounts] : row.freed) {
                row.blocker.room += slots(room_, node, &amounts) - slots(room_, node, nullptr);
            }
            const bool matters =
                row.blocker.is_about_nodes() || row.blocker.room > 0 || (missing_ && row.blocker.amount > 0);
            if (matters) {
                keep_largest_names(row.blocker);
                answer.blockers.push_back(std::move(row.blocker));
            }
        }
        std::ranges::stable_sort(answer.blockers, std::ranges::greater{},
                                 [](const Blocker& blocker) { return std::pair{blocker.room, blocker.amount}; });
        if (answer.blockers.size() > most_blockers) {
            answer.left_out = answer.blockers.size() - most_blockers;
            answer.blockers.resize(most_blockers);
        }
        return answer;
    }

private:
    static Blocker::Kind kind_of(const Occupant& occupant) {
        switch (occupant.kind) {
            case Occupant::Kind::held:
                return Blocker::Kind::held;
            case Occupant::Kind::sibling:
                return Blocker::Kind::sibling;
            case Occupant::Kind::claimed:
                return Blocker::Kind::claimed;
            case Occupant::Kind::running:
                return occupant.gang.empty() ? Blocker::Kind::running_pods : Blocker::Kind::running_gang;
        }
        return Blocker::Kind::running_pods;
    }

    static void keep_largest_names(Blocker& blocker) {
        std::ranges::sort(blocker.names, [](const Blocker::Named& a, const Blocker::Named& b) {
            return a.amount != b.amount ? a.amount > b.amount : base::natural_order(a.name, b.name) < 0;
        });
        if (blocker.names.size() > most_names) {
            blocker.names.resize(most_names);
        }
    }

    // How many pods of the class the node would hold, eligible or not. `freed`: extra room; null: none.
    [[nodiscard]] std::int64_t slots(const Room& room, NodeId node, const model::Amounts* freed) const {
        const bool is_alone = std::ranges::any_of(
            apart_, [node](const model::TopologyKeyIndex* key) { return key->of[node] != model::nowhere; });
        std::int64_t slots = is_alone ? 1 : many_slots;
        for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
            if (const std::int64_t need = snapshot_.need[pod_class_][r]; need > 0) {
                const std::int64_t more = freed == nullptr ? 0 : freed->of(snapshot_.resources[r]);
                const std::int64_t all = model::saturating_sum(room[r][node], model::freed(room[r][node], more));
                slots = std::min(slots, std::max<std::int64_t>(0, all) / need);
            }
        }
        return slots;
    }

    const Snapshot& snapshot_;
    const Room& room_;
    model::PodClassId pod_class_;
    std::optional<std::size_t> missing_;
    std::vector<const model::TopologyKeyIndex*> apart_;  // Where two pods of the class may not share a label value.
    std::map<std::pair<Blocker::Kind, std::string>, Entry> rows_;
};

// The cause that would remain if all others were fixed comes first.
Blocker::Kind cause_of(const Snapshot& snapshot, NodeId node, model::PodClassId pod_class,
                       std::span<const model::Node> node_facts) {
    if (node_facts.empty()) {
        return snapshot.usable[node] != 0 ? Blocker::Kind::outside_selector : Blocker::Kind::not_ready;
    }
    if (!model::is_selected(node_facts[node], snapshot.pod_classes[pod_class])) {
        return Blocker::Kind::outside_selector;
    }
    if (node_facts[node].deleting) {
        return Blocker::Kind::leaving;
    }
    if (!node_facts[node].ready) {
        return Blocker::Kind::not_ready;
    }
    if (node_facts[node].unschedulable) {
        return Blocker::Kind::cordoned;
    }
    return model::is_tolerated(node_facts[node], snapshot.pod_classes[pod_class]) ? Blocker::Kind::rejected
                                                                                  : Blocker::Kind::tainted;
}

}  // namespace

OccupantsByNode::OccupantsByNode(std::span<const Occupant> occupants, std::size_t nodes) : first_(nodes + 1, 0) {
    for (const Occupant& occupant : occupants) {
        rows_.push_back(&occupant);
    }
    std::ranges::stable_sort(rows_, {}, &Occupant::node);
    for (const Occupant* row : rows_) {
        ++first_[row->node + 1];
    }
    for (std::size_t n = 1; n < first_.size(); ++n) {
        first_[n] += first_[n - 1];
    }
}

Blocked blockers_in(const Snapshot& snapshot, const Room& room, std::span<const NodeId> nodes,
                    model::PodClassId pod_class, const model::AffinityConstraints& affinity,
                    std::uint32_t affinity_class, std::optional<std::size_t> missing,
                    const OccupantsByNode& occupants_by_node, std::span<const model::Node> node_facts) {
    BlockerTable table(snapshot, room, pod_class, missing, affinity, affinity_class);
    for (const NodeId node : nodes) {
        if (!table.could_hold(node)) {
            continue;
        }
        if (snapshot.eligible[pod_class][node] == 0) {
            table.add(cause_of(snapshot, node, pod_class, node_facts), node);
            continue;
        }
        if (affinity.is_barred(affinity_class, node)) {
            table.add(Blocker::Kind::barred, node);
            continue;
        }
        for (const Occupant* occupant : occupants_by_node.on(node)) {
            table.add(*occupant);
        }
    }
    return table.take();
}

}  // namespace echelon::solver
