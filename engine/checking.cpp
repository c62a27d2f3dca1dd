// Before a commit: is the tree at the API server still the one that was planned? (rule X2)
//
// Members and minimums come from different watches. A group object that has changed since the plan was made may ask for
// more members than the plan has, and the watch may tell of it only after members have come. So each object is read
// beside the writing of the commit record, and bindings are posted only when both have come back.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time check_retry{50};  // Doubles up to 6.4 s.
constexpr std::uint32_t retry_doublings = 7;

// "namespace/object" and whatever may stand below: groups that are parts of one object bear its name first.
model::ReadGroup read_of(const TreeObject& object, const model::Group& group) {
    const std::string& name = object.key.name;
    const auto slash = name.find('/');
    const auto end = name.find('/', slash + 1);
    return {group.api_version, group.api_kind, name.substr(0, slash), name.substr(slash + 1, end - slash - 1)};
}

}  // namespace

std::vector<TreeObject> Engine::State::objects_of(const model::Gang& built) const {
    std::vector<TreeObject> objects;
    std::set<std::string_view> seen;
    for (const auto& group : built.groups) {
        const auto* declared = cluster.group(group.key);
        if (declared == nullptr || declared->uid.empty() || declared->api_version.empty())
            continue;
        if (seen.insert(declared->uid).second)
            objects.push_back({group.key, declared->uid, declared->generation});
    }
    return objects;
}

void Engine::State::update_group_generations(GangState& gang, std::vector<TreeObject> objects) {
    const auto same = [](const TreeObject& a, const TreeObject& b) {
        return a.uid == b.uid && a.generation == b.generation;
    };
    if (std::ranges::equal(gang.objects, objects, same))
        return;
    // What a failed check waited for may be just this.
    gang.objects = std::move(objects);
    gang.check_at = never;
    gang.check_failures = 0;
    reset_check(gang);
}

bool Engine::State::start_or_confirm_check(GangState& gang) {
    using Check = GangState::Check;
    if (gang.check != Check::needed || gang.check_at != never)
        return gang.check == Check::passed;
    gang.check = gang.objects.empty() ? Check::passed : Check::reading;
    for (const auto& object : gang.objects) {
        const auto* group = cluster.group(object.key);
        if (group == nullptr)
            continue;  // It went just now: the gang is about to be planned again, which voids this check.
        const auto id = write({WriteTarget::Purpose::check, gang.root, ""}, read_of(object, *group));
        gang.group_reads.emplace(id, object);
    }
    return gang.check == Check::passed;
}

void Engine::State::reset_check(GangState& gang) {
    gang.check = GangState::Check::needed;
    gang.group_reads.clear();
}

void Engine::State::on_group_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome) {
    const auto read = gang.group_reads.extract(write);
    if (read.empty())
        return;  // Of a check that is void.
    const auto& object = read.mapped();
    const bool is_same = outcome.kind == model::Outcome::Kind::done && outcome.uid == object.uid;
    // An older generation is an answer that the watch has overtaken.
    if (!is_same || outcome.generation > object.generation)
        return fail_check(gang, object, outcome);
    if (!gang.group_reads.empty())
        return;
    gang.check = GangState::Check::passed;
    gang.check_failures = 0;
    gang.barrier_stale = true;
}

void Engine::State::fail_check(GangState& gang, const TreeObject& object, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    reset_check(gang);
    const bool is_gone = outcome.kind == Kind::gone || (outcome.kind == Kind::done && outcome.uid != object.uid);
    const bool is_unreadable = !is_gone && outcome.kind != Kind::done;
    if (is_unreadable && gang.check_failures == 0) {
        note(Note::Level::warning, &gang,
             fmt::format("nothing is bound before \"{}\" can be read: {}", object.key.name, outcome.sentence));
    }
    gang.check_at = now + check_retry * (1U << std::min(gang.check_failures++, retry_doublings));
    if (has_begun(gang))
        return;  // Who is bound stays, and nobody follows before the watch has told what has changed.
    return_to_barrier(gang);
    if (!is_gone)
        return;
    // As deleted: the watch will say so too, and if it doesn't the gang is planned again.
    release_hold(gang, fmt::format("aborted, \"{}\" is gone", object.key.name));
    gang.not_before = gang.check_at;
    gang.due = gang.check_at;
    dirty.insert(gang.root);
}

void Engine::State::return_to_barrier(GangState& gang) {
    if (has_begun(gang))
        return violated(Invariant::no_late_commit, &gang, "a commit was about to be given up after its first binding");
    gang.commit = GangState::Commit::none;
    see_stage(gang);
    schedule_record(gang, Time{0});
    if (!is_draining)
        return;
    for (auto& [uid, seat] : gang.seats) {
        seat.binding = SeatState::Binding::idle;
        seat.deadline = never;
        end_wait(seat, WaitResult::aborted);
        if (seat.call != 0)
            answer(std::exchange(seat.call, 0), BindResult::error, texts::about(gang.root.name, texts::shutting_down));
    }
}

}  // namespace echelon::engine
