#include "engine/plan/long_search.hpp"

#include "solver/violations.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace echelon::engine {

void LongSearch::run() {
    const auto begin = stopwatch_ ? stopwatch_() : std::chrono::nanoseconds{0};
    answer_ = solver::solve(snapshot_, gang_, budget_);
    took_ = stopwatch_ ? stopwatch_() - begin : std::chrono::nanoseconds{0};
}

std::optional<solver::Answer> LongSearch::answer_in(const model::Snapshot& snapshot, const model::Gang& gang) {
    if (!answer_)
        run();
    if (!has_members_of(gang, snapshot))
        return std::nullopt;
    const auto* plan = std::get_if<solver::Plan>(&*answer_);
    if (plan == nullptr)
        return answer_;
    auto there = moved(*plan, snapshot);
    if (!there || !solver::violations(snapshot, gang, *there).empty())
        return std::nullopt;
    return std::move(*there);
}

bool LongSearch::has_members_of(const model::Gang& gang, const model::Snapshot& snapshot) const {
    const auto name_in = [](const model::Snapshot& of, model::NodeId node) {
        return node == model::nowhere ? std::string_view() : std::string_view(of.node_names[node]);
    };
    const auto is_same = [&](const model::Member& a, const model::Member& b) {
        return a.uid == b.uid && a.is_placeholder == b.is_placeholder && a.state == b.state &&
               name_in(snapshot_, a.node) == name_in(snapshot, b.node);
    };
    const auto has_same_members = [](const model::GangGroup& a, const model::GangGroup& b) {
        return a.key == b.key && a.first_member == b.first_member && a.last_member == b.last_member;
    };
    return std::ranges::equal(gang_.groups, gang.groups, has_same_members) &&
           std::ranges::equal(gang_.members, gang.members, is_same);
}

std::optional<solver::Plan> LongSearch::moved(const solver::Plan& plan, const model::Snapshot& snapshot) const {
    solver::Plan there = plan;
    for (auto& seat : there.seats) {
        const auto node = snapshot.node(snapshot_.node_names[seat.node]);
        if (!node)
            return std::nullopt;
        seat.node = *node;
    }
    return there;
}

}  // namespace echelon::engine
