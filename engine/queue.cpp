// Which gang is planned next? Gangs that have begun, then by priority, age and name (B6, Q1). Facts alone give the
// rank; only a gang that is planned is built.

#include "engine/state.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <tuple>

namespace echelon::engine {

bool Engine::State::is_any_due() const {
    return std::ranges::any_of(dirty, [this](const model::GroupKey& root) { return gangs.at(root).due <= now; });
}

void Engine::State::rank(GangState& gang) {
    if (gang.rank)
        return;
    const auto facts = cluster.facts(gang.root);
    GangState::Rank rank{.is_bound = false, .priority = model::priority_of(facts), .created = 0};
    std::size_t pods = 0;
    for (const auto& group : facts.groups) {
        pods += group.pods.size();
        rank.is_bound = rank.is_bound || std::ranges::any_of(group.pods, [](const model::PodFacts& row) {
                            return row.standing == model::Standing::bound;
                        });
    }
    if (const auto* root = facts.root().group()) {
        rank.created = root->created;
    } else if (const auto& named = facts.root().pods; !named.empty()) {
        const auto created = [](const model::PodFacts& row) { return row.pod->created; };
        rank.created = std::ranges::min_element(named, {}, created)->pod->created;
    }
    gang.rank = rank;
    work(1 + pods / 4);
}

Engine::State::Queue Engine::State::queue_of_due() {
    Queue queue;
    for (const auto& root : dirty) {
        auto& gang = gangs.at(root);
        if (gang.due <= now || gang.first_unplanned_arrival != never) {
            rank(gang);
            (gang.due <= now ? queue.due : queue.settling).push_back(&gang);
        }
    }
    using Place = std::tuple<bool, std::int64_t, bool, std::int64_t, const model::GroupKey&>;
    const auto order = [this](const GangState* gang) {
        const bool has_begun = gang->commit != GangState::Commit::none || gang->rank->is_bound;
        const bool gives_way = gang->hard_until && *gang->hard_until > now;
        return Place(!has_begun, -gang->rank->priority, gives_way, gang->rank->created, gang->root);
    };
    work(dirty.size() / 16);
    std::ranges::sort(queue.due, {}, order);
    std::ranges::stable_sort(queue.settling, std::ranges::greater{}, [](const GangState* gang) { return gang->due; });
    return queue;
}

// When the last more important gang has settled that this one must not overtake; 0: there is none.
Time Engine::State::waits_until(const GangState& gang, const Queue& queue, const model::Snapshot& snapshot) {
    for (auto* other : queue.settling) {
        const bool is_ahead = other->not_before <= now && other->first_unplanned_arrival != never &&
                              other->seats.empty() && other->rank && other->rank->priority > gang.rank->priority;
        if (!is_ahead)
            continue;
        if (!other->rank->is_sound) {
            const auto built = build(*other, snapshot);
            work(2 + built.members.size() / 2);
            other->rank->is_sound = !built.problem;
        }
        if (*other->rank->is_sound)
            return other->due;
    }
    return Time{0};
}

}  // namespace echelon::engine
