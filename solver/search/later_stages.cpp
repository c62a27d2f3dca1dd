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

constexpr std::size_t most_domains = 64;  // How many domains are tried, one after another.

// Leaves whose pods start at the same time.
struct Stage {
    std::int64_t number = 0;              // Stages with lower numbers come earlier.
    std::vector<std::uint32_t> leaves;    // Sorted.
    std::vector<std::uint8_t> has_ended;  // [group] 1: its pods are gone when the stage starts.

    [[nodiscard]] bool has(std::uint32_t leaf) const { return std::ranges::binary_search(leaves, leaf); }
    [[nodiscard]] bool starts_after(std::uint32_t leaf) const { return has_ended[leaf] != 0; }
};

class StageNumbers {
public:
    explicit StageNumbers(const Gang& gang) : gang_(gang), numbers_(gang.groups.size(), -1) {}

    // The number of a leaf is one more than that of the latest group that ends before it; 0: its pods are present. The
    // number of a composite is the largest of all leaves below. The stack is explicit, since users decide how long a
    // chain is.
    std::int64_t of(std::uint32_t group) {
        std::vector<std::uint32_t> open = {group};
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            if (numbers_[at] < 0) {
                numbers_[at] = gang_.groups[at].later > 0 ? 1 : 0;  // This also ends a cycle.
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

// The member counts, and occupies no node.
void finish(Member& member) {
    member.state = Member::State::finished;
    member.node = model::nowhere;
}

// The gang and the cluster at the time of a stage. `now`: the plan of the present pods, which pins domains; null: none.
class GangAtStage {
public:
    GangAtStage(const Snapshot& snapshot, const Gang& gang, const Stage& stage, const Plan* now)
        : snapshot_(snapshot), gang_(gang), stage_(stage), numbers_(gang), has_present_plan_(now != nullptr) {
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
        const bool is_gone = stage_.starts_after(leaf);
        const bool starts = stage_.has(leaf) || (group.later > 0 && !is_gone && numbers_.of(leaf) < stage_.number);
        if (starts) {
            group.minimum = group.later;
        }
        for (std::uint32_t m = group.first_member; m < group.last_member; ++m) {
            Member& member = gang_.members[m];
            if (member.is_placeholder && member.state == Member::State::waiting) {
                if (!starts) {
                    finish(member);
                }
            } else if (is_gone) {
                remove_by_then(m);
            } else {
                keep_until_then(m);
            }
        }
    }

    // The room of the member is free by then, but its domain stays pinned.
    void remove_by_then(std::uint32_t m) {
        Member& member = gang_.members[m];
        if (member.state == Member::State::bound && !member.is_placeholder) {
            snapshot_.give_back(member.node, member.pod_class);
        } else if (member.state == Member::State::waiting && seat_of_[m] == model::nowhere) {
            finish(member);
        } else if (member.state == Member::State::waiting) {
            pin(member, seat_of_[m]);
        }
    }

    void keep_until_then(std::uint32_t m) {
        Member& member = gang_.members[m];
        if (member.state != Member::State::waiting || !has_present_plan_) {
            return;
        }
        if (seat_of_[m] == model::nowhere) {
            return finish(member);  // An extra without a seat.
        }
        snapshot_.take(seat_of_[m], member.pod_class);
        pin(member, seat_of_[m]);
    }

    Snapshot snapshot_;
    Gang gang_;
    const Stage& stage_;
    StageNumbers numbers_;
    bool has_present_plan_;
    std::vector<NodeId> seat_of_;
};

class Stages {
public:
    Stages(const Snapshot& snapshot, const Gang& gang, const SolveOne& solve, SearchBudget& budget)
        : snapshot_(snapshot), gang_(gang), solve_(solve), budget_(budget), stages_(stages_of(gang)) {}

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
        const auto has_fewer_seats = [](const Plan& a, const Plan& b) { return a.seats.size() < b.seats.size(); };
        const auto largest = static_cast<std::size_t>(std::ranges::max_element(alone, has_fewer_seats) - alone.begin());
        return follow_largest_stage(stages_[largest], std::move(alone[largest]));
    }

private:
    // Charges the copy of the cluster, too.
    Answer solve_at(const Stage& stage, const Snapshot& snapshot, const Plan* now) {
        budget_.charge(snapshot.node_count() * (snapshot.room.size() + snapshot.eligible.size()) +
                       gang_.members.size());
        const GangAtStage then(snapshot, gang_, stage, now);
        return solve_(then.snapshot(), then.gang());
    }

    bool leaves_room(const Plan& now) {
        return std::ranges::all_of(stages_, [&](const Stage& stage) {
            const Answer answer = solve_at(stage, snapshot_, &now);
            is_proved_ = is_proved_ && (std::holds_alternative<Plan>(answer) || std::get<Refusal>(answer).is_proved());
            return std::holds_alternative<Plan>(answer);
        });
    }

    // Places the present pods where the largest stage fits, trying one domain after another.
    Answer follow_largest_stage(const Stage& largest, Plan of_largest) {
        Snapshot open = snapshot_;
        for (std::size_t tried = 0; tried < most_domains; ++tried) {
            if (std::optional<Plan> plan = place_beside(of_largest)) {
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

    std::optional<Plan> place_beside(const Plan& of_stage) {
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

    // The pinned placeholder counts. The minimums grow by one, so that no fewer present pods are needed than before.
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

    // Adds seats for later stages where there is room beside the present pods.
    Plan with_later_seats(Plan now) {
        Snapshot after = snapshot_;
        Gang pinned = gang_;
        for (const Seat& seat : now.seats) {
            after.take(seat.node, gang_.members[seat.member].pod_class);
            pin(pinned.members[seat.member], seat.node);
        }
        const Answer more = solve_(after, pinned);
        if (const Plan* plan = std::get_if<Plan>(&more)) {
            now.seats.insert(now.seats.end(), plan->seats.begin(), plan->seats.end());
            std::ranges::sort(now.seats);
            now.message = plan->message;
        }
        return now;
    }

    // Bars all members from the domain of the root's level that a plan uses. False if the root requires no level.
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
                .sentence = fmt::format("group \"{}\": no domain has room for its present pods and, once they "
                                        "have ended, for each later stage",
                                        gang_.root.name)};
    }

    const Snapshot& snapshot_;
    const Gang& gang_;
    const SolveOne& solve_;
    SearchBudget& budget_;
    std::vector<Stage> stages_;
    bool is_proved_ = true;
};

}  // namespace

bool has_later_stages(const Gang& gang) {
    return std::ranges::any_of(gang.groups, [](const GangGroup& group) { return group.later > 0; });
}

Answer solve_in_stages(const Snapshot& snapshot, const Gang& gang, const SolveOne& solve, SearchBudget& budget) {
    return Stages(snapshot, gang, solve, budget).solve();
}

}  // namespace echelon::solver
