#include "solver/backfill/earliest_start.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace echelon::solver::backfill {

namespace {

// A snapshot whose clock can be moved. The destructor moves it back to the beginning.
class RoomOverTime {
public:
    // `releases` are sorted by moment.
    RoomOverTime(model::Snapshot& snapshot, std::span<const Release> releases)
        : snapshot_(snapshot), releases_(releases) {}
    RoomOverTime(const RoomOverTime&) = delete;
    RoomOverTime& operator=(const RoomOverTime&) = delete;
    ~RoomOverTime() { move_to(0); }

    // The room once the first `ended` pods have ended.
    void move_to(std::size_t ended) {
        for (; ended_ < ended; ++ended_)
            shift(releases_[ended_], 1);
        for (; ended_ > ended; --ended_)
            shift(releases_[ended_ - 1], -1);
    }

private:
    void shift(const Release& release, std::int64_t sign) {
        for (const auto& [resource, amount] : release.amounts)
            snapshot_.room[resource][release.node] += sign * amount;
    }

    model::Snapshot& snapshot_;
    std::span<const Release> releases_;
    std::size_t ended_ = 0;
};

// A moment at which the gang may start, and how many pods have ended by then.
struct Candidate {
    Moment at = 0;
    std::size_t ended = 0;
};

std::vector<Candidate> candidates_of(std::span<const Release> releases, Moment now) {
    std::vector<Candidate> candidates = {{.at = now, .ended = 0}};
    for (std::size_t i = 0; i < releases.size(); ++i) {
        if (i > 0 && releases[i].at == releases[i - 1].at) {
            candidates.back().ended = i + 1;
        } else {
            candidates.push_back({.at = releases[i].at, .ended = i + 1});
        }
    }
    return candidates;
}

// False: counting proves that no plan exists. Counts pods of one leaf, whatever its class.
bool may_fit(const model::Snapshot& snapshot, const model::Gang& gang) {
    if (gang.groups.size() != 1 || gang.members.empty())
        return true;
    const auto& leaf = gang.groups.front();
    const auto pod_class = gang.members.front().pod_class;
    const auto is_alike = [&](const model::Member& member) {
        return member.pod_class == pod_class && member.state == model::Member::State::waiting;
    };
    if (leaf.required.size() > 1 || !std::ranges::all_of(gang.members, is_alike))
        return true;
    const auto seats_on = [&](model::NodeId node) {
        if (snapshot.eligible[pod_class][node] == 0)
            return std::int64_t{0};
        auto seats = leaf.minimum;
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            if (const auto need = snapshot.need[pod_class][r]; need > 0)
                seats = std::min(seats, std::max<std::int64_t>(0, snapshot.room[r][node]) / need);
        }
        return seats;
    };
    if (leaf.required.empty()) {
        std::int64_t seats = 0;
        for (model::NodeId node = 0; node < snapshot.node_count() && seats < leaf.minimum; ++node)
            seats += seats_on(node);
        return seats >= leaf.minimum;
    }
    const auto level = leaf.required.front();
    const auto& tree = snapshot.trees[level.tree];
    return std::ranges::any_of(tree.domains[level.depth], [&](const model::Domain& domain) {
        std::int64_t seats = 0;
        for (auto at = domain.first; at < domain.last && seats < leaf.minimum; ++at)
            seats += seats_on(tree.order[at]);
        return seats >= leaf.minimum;
    });
}

class Halving {
public:
    Halving(model::Snapshot& snapshot, const model::Gang& gang, std::span<const Release> releases, Moment now,
            SolveOptions budget)
        : snapshot_(snapshot),
          gang_(gang),
          room_(snapshot, releases),
          candidates_(candidates_of(releases, now)),
          budget_(budget) {}

    EarliestStart run() {
        EarliestStart out;
        // Counting bounds the moment from below, and mostly it is that moment.
        const auto least = first_of(0, [&] { return may_fit(snapshot_, gang_); });
        if (least < candidates_.size()) {
            first_of(least, [&] { return finds_plan(out.steps); });
            out.start = std::move(best_);
        }
        return out;
    }

private:
    // The first candidate from `first` on that does, if every later one does too; their number: none does.
    template <typename Does>
    std::size_t first_of(std::size_t first, const Does& does) {
        const auto does_at = [&](std::size_t candidate) {
            at_ = candidate;
            room_.move_to(candidates_[candidate].ended);
            return does();
        };
        if (does_at(first))
            return first;
        auto last = candidates_.size() - 1;
        if (last == first || !does_at(last))
            return candidates_.size();
        while (last - first > 1) {
            const auto middle = first + (last - first) / 2;
            (does_at(middle) ? last : first) = middle;
        }
        return last;
    }

    bool finds_plan(std::uint64_t& steps) {
        auto answer = solve(snapshot_, gang_, budget_);
        steps += std::visit([](const auto& each) { return each.steps; }, answer);
        auto* plan = std::get_if<Plan>(&answer);
        if (plan != nullptr)
            best_ = {.at = candidates_[at_].at, .plan = std::move(*plan)};
        return plan != nullptr;
    }

    model::Snapshot& snapshot_;
    const model::Gang& gang_;
    RoomOverTime room_;
    std::vector<Candidate> candidates_;
    SolveOptions budget_;
    std::size_t at_ = 0;
    std::optional<Start> best_;  // Of the earliest candidate that had a plan: the last that was found.
};

}  // namespace

EarliestStart earliest_start(model::Snapshot& snapshot, const model::Gang& gang, std::vector<Release> releases,
                             Moment now, SolveOptions budget) {
    std::ranges::stable_sort(releases, {}, &Release::at);
    return Halving(snapshot, gang, releases, now, budget).run();
}

}  // namespace echelon::solver::backfill
