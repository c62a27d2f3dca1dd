#include "solver/search/later_stages.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver {

using model::Gang;
using model::GangGroup;
using model::Member;
using model::NodeId;
using model::Snapshot;

namespace {

constexpr std::size_t most_domains = 64;  // That are tried, one after another.

// Leaves that come at one time.
struct Stage {
    std::int64_t number = 0;              // Those with lower numbers come before.
    std::vector<std::uint32_t> leaves;    // Sorted.
    std::vector<std::uint8_t> has_ended;  // [group] its pods are gone by then.

    [[nodiscard]] bool has(std::uint32_t leaf) const { return std::ranges::binary_search(leaves, leaf); }
    [[nodiscard]] bool outlives(std::uint32_t leaf) const { return has_ended[leaf] != 0; }
};

class StageNumbers {
public:
    explicit StageNumbers(const Gang& gang) : gang_(gang), numbers_(gang.groups.size(), -1) {}

    // Of a leaf one more than the latest of those that end before, 0: it is there now. Of a composite that of the
    // latest leaf. An explicit stack: input decides how long a chain is.
    std::int64_t of(std::uint32_t group) {
        std::vector<std::uint32_t> open = {group};
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            if (numbers_[at] < 0) {
                numbers_[at] = gang_.groups[at].later > 0 ? 1 : 0;  // Also what ends a circle.
                std::ranges::copy_if(before(at), std::back_inserter(open),
                                     [&](std::uint32_t other) { return numbers_[other] < 0; });
                continue;
            }
            open.pop_back();
            const std::int64_t further = gang_.groups[at].is_leaf ? 1 : 0;
            for (const std::uint32_t other : before(at)) {
                if (other != at) {
                    numbers_[at] = std::max(numbers_[at], numbers_[other] + further);
                }
            }
        }
        return numbers_[group];
    }

private:
    [[nodiscard]] const std::vector<std::uint32_t>& before(std::uint32_t group) const {
        return gang_.groups[group].is_leaf ? gang_.groups[group].after : gang_.groups[group].children;
    }

    const Gang& gang_;
    std::vector<std::int64_t> numbers_;
};

std::vector<Stage> stages_of(const Gang& gang) {
    StageNumbers numbers(gang);
    std::map<std::int64_t, Stage> stages;
    for (std::uint32_t leaf = 0; leaf < gang.groups.size(); ++leaf) {
        const GangGroup& group = gang.groups[leaf];
        if (group.later == 0) {
            continue;
        }
        Stage& stage = stages[numbers.of(leaf)];
        stage.number = numbers.of(leaf);
        stage.leaves.push_back(leaf);
        stage.has_ended.resize(gang.groups.size(), 0);
        for (const std::uint32_t ended : group.after) {
            stage.has_ended[ended] = 1;
        }
    }
    std::vector<Stage> out;
    for (auto& [number, stage] : stages) {
        for (std::uint32_t group = 1; group < gang.groups.size(); ++group) {  // Parents before children.
            stage.has_ended[group] |= stage.has_ended[gang.groups[group].parent];
        }
        out.push_back(std::move(stage));
    }
    return out;
}

void pin(Member& member, NodeId node) {
    member.state = Member::State::bound;
    member.node = node;
}

// Counts, and is nowhere.
void end(Member& member) {
    member.state = Member::State::finished;
    member.node = model::nowhere;
}

// The gang at the time of a stage. `now`: where its members are by then, which pins the domains; null: anywhere.
class Future {
public:
    Future(const Snapshot& snapshot, const Gang& gang, const Stage& stage, const Plan* now)
        : snapshot_(snapshot), gang_(gang), stage_(stage), numbers_(gang), is_bound_to_domains_(now != nullptr) {
        seat_of_.resize(gang.members.size(), model::nowhere);
        for (std::size_t at = 0; now != nullptr && at < now->seats.size(); ++at) {
            seat_of_[now->seats[at].member] = now->seats[at].node;
        }
        for (std::uint32_t leaf = 0; leaf < gang_.groups.size(); ++leaf) {
            if (gang_.groups[leaf].is_leaf) {
                advance(leaf);
            }
        }
    }

    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
    [[nodiscard]] const Gang& gang() const { return gang_; }

private:
    void advance(std::uint32_t leaf) {
        GangGroup& group = gang_.groups[leaf];
        const bool ends = stage_.outlives(leaf);
        const bool comes = stage_.has(leaf) || (group.later > 0 && !ends && numbers_.of(leaf) < stage_.number);
        if (comes) {
            group.minimum = group.later;
        }
        for (std::uint32_t m = group.first_member; m < group.last_member; ++m) {
            Member& member = gang_.members[m];
            if (member.is_placeholder && member.state == Member::State::waiting) {
                if (!comes) {
                    end(member);
                }
            } else if (ends) {
                leave(m);
            } else {
                stay(m);
            }
        }
    }

    // Its room is free by then, and its domain chosen.
    void leave(std::uint32_t m) {
        Member& member = gang_.members[m];
        if (member.state == Member::State::bound && !member.is_placeholder) {
            snapshot_.give_back(member.node, member.shape);
        } else if (member.state == Member::State::waiting && seat_of_[m] == model::nowhere) {
            end(member);
        } else if (member.state == Member::State::waiting) {
            pin(member, seat_of_[m]);
        }
    }

    void stay(std::uint32_t m) {
        Member& member = gang_.members[m];
        if (member.state != Member::State::waiting || !is_bound_to_domains_) {
            return;
        }
        if (seat_of_[m] == model::nowhere) {
            return end(member);  // An extra.
        }
        snapshot_.take(seat_of_[m], member.shape);
        pin(member, seat_of_[m]);
    }

    Snapshot snapshot_;
    Gang gang_;
    const Stage& stage_;
    StageNumbers numbers_;
    bool is_bound_to_domains_;
    std::vector<NodeId> seat_of_;
};

class Stages {
public:
    Stages(const Snapshot& snapshot, const Gang& gang, const SolveOne& solve, SearchBudget& steps)
        : snapshot_(snapshot), gang_(gang), solve_(solve), steps_(steps), stages_(stages_of(gang)) {}

    Answer solve() {
        std::vector<Plan> alone;
        for (const Stage& stage : stages_) {
            Answer answer = solve_at(stage, snapshot_, nullptr);
            if (std::holds_alternative<Refusal>(answer)) {
                return answer;
            }
            alone.push_back(std::move(std::get<Plan>(answer)));
        }
        Answer now = solve_(snapshot_, gang_);
        const Plan* plan = std::get_if<Plan>(&now);
        if (plan == nullptr || leaves_room(*plan)) {
            return now;
        }
        const auto by_size = [](const Plan& a, const Plan& b) { return a.seats.size() < b.seats.size(); };
        const auto largest = static_cast<std::size_t>(std::ranges::max_element(alone, by_size) - alone.begin());
        return follow(stages_[largest], std::move(alone[largest]));
    }

private:
    // A copy of the cluster is made for it, which is charged, too.
    Answer solve_at(const Stage& stage, const Snapshot& snapshot, const Plan* now) {
        steps_.work(snapshot.node_count() * (snapshot.room.size() + snapshot.eligible.size()) + gang_.members.size());
        const Future future(snapshot, gang_, stage, now);
        return solve_(future.snapshot(), future.gang());
    }

    bool leaves_room(const Plan& now) {
        return std::ranges::all_of(stages_, [&](const Stage& stage) {
            const Answer answer = solve_at(stage, snapshot_, &now);
            is_proved_ = is_proved_ && (std::holds_alternative<Plan>(answer) || std::get<Refusal>(answer).is_proved());
            return std::holds_alternative<Plan>(answer);
        });
    }

    // What is there now goes where the largest stage fits, in one domain after another.
    Answer follow(const Stage& largest, Plan of_largest) {
        Snapshot open = snapshot_;
        for (std::size_t tried = 0; tried < most_domains; ++tried) {
            if (std::optional<Plan> plan = join(of_largest)) {
                return std::move(*plan);
            }
            if (!close_domain(of_largest, open)) {
                is_proved_ = false;
                break;
            }
            Answer answer = solve_at(largest, open, nullptr);
            if (const Refusal* refusal = std::get_if<Refusal>(&answer)) {
                is_proved_ = is_proved_ && refusal->is_proved();
                break;
            }
            of_largest = std::move(std::get<Plan>(answer));
            is_proved_ = is_proved_ && tried + 1 < most_domains;
        }
        return refusal();
    }

    std::optional<Plan> join(const Plan& of_stage) {
        Gang pinned = gang_;
        for (const Seat& seat : of_stage.seats) {
            if (gang_.members[seat.member].is_placeholder) {
                pin(pinned.members[seat.member], seat.node);
                count_beside(seat.member, pinned);
            }
        }
        Answer now = solve_(snapshot_, pinned);
        Plan* plan = std::get_if<Plan>(&now);
        is_proved_ = is_proved_ && (plan != nullptr || std::get<Refusal>(now).is_proved());
        return plan != nullptr && leaves_room(*plan) ? std::optional(with_later_seats(std::move(*plan))) : std::nullopt;
    }

    // One more is there already, so that as many are needed now as before.
    static void count_beside(std::uint32_t member, Gang& pinned) {
        const auto holds = [member](const GangGroup& group) {
            return group.is_leaf && member >= group.first_member && member < group.last_member;
        };
        const auto leaf = std::ranges::find_if(pinned.groups, holds);
        if (leaf == pinned.groups.end()) {
            return;
        }
        ++leaf->minimum;
        for (auto at = leaf->parent; at != model::nowhere; at = pinned.groups[at].parent) {
            pinned.groups[at].floor += pinned.groups[at].floor > 0 ? 1 : 0;
        }
    }

    // Seats for those that come later, as far as there is room beside.
    Plan with_later_seats(Plan now) {
        Snapshot after = snapshot_;
        Gang settled = gang_;
        for (const Seat& seat : now.seats) {
            after.take(seat.node, gang_.members[seat.member].shape);
            pin(settled.members[seat.member], seat.node);
        }
        const Answer more = solve_(after, settled);
        if (const Plan* plan = std::get_if<Plan>(&more)) {
            now.seats.insert(now.seats.end(), plan->seats.begin(), plan->seats.end());
            std::ranges::sort(now.seats);
            now.message = plan->message;
        }
        return now;
    }

    // The domain of the root's level in which a plan lies takes no member any more. False: the root asks for no level.
    bool close_domain(const Plan& plan, Snapshot& open) const {
        const GangGroup& root = gang_.groups.front();
        if (root.required.empty() || plan.seats.empty()) {
            return false;
        }
        const model::LevelRef level = *std::ranges::max_element(root.required, {}, &model::LevelRef::depth);
        const auto& domain_of = open.trees[level.tree].domain_of[level.depth];
        const std::uint32_t closed = domain_of[plan.seats.front().node];
        for (NodeId node = 0; node < open.node_count(); ++node) {
            for (auto& eligible : open.eligible) {
                eligible[node] = domain_of[node] == closed ? 0 : eligible[node];
            }
        }
        return true;
    }

    [[nodiscard]] Refusal refusal() const {
        return {.reason = is_proved_ ? model::Reason::no_room : model::Reason::out_of_budget,
                .group = gang_.root.name,
                .level = {},
                .sentence = fmt::format("group \"{}\": no domain has room for what is there now and, once that has "
                                        "ended, for each later stage",
                                        gang_.root.name)};
    }

    const Snapshot& snapshot_;
    const Gang& gang_;
    const SolveOne& solve_;
    SearchBudget& steps_;
    std::vector<Stage> stages_;
    bool is_proved_ = true;
};

}  // namespace

bool has_later_stages(const Gang& gang) {
    return std::ranges::any_of(gang.groups, [](const GangGroup& group) { return group.later > 0; });
}

Answer solve_in_stages(const Snapshot& snapshot, const Gang& gang, const SolveOne& solve, SearchBudget& steps) {
    return Stages(snapshot, gang, solve, steps).solve();
}

}  // namespace echelon::solver
