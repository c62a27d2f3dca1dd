#include "engine/records/event_reporter.hpp"

#include "base/split.hpp"
#include "engine/texts.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time repeat_interval{300'000};  // The same event isn't repeated earlier: a gang may change to and fro.

// The sentence about the phase that the gang has reached.
std::string step_of(const model::PlanRecord& record) {
    switch (record.phase) {
        case model::Phase::pending:
            return record.message;
        case model::Phase::clearing:
            return record.message;
        case model::Phase::held:
            return "planned, every minimum has its seats";
        case model::Phase::committed:
            return "every minimum has come, its members are being bound";
        case model::Phase::bound:
            return "every minimum is bound";
        case model::Phase::degraded:
            return record.message.empty() ? "below a minimum" : "below a minimum: " + record.message;
    }
    return record.message;
}

bool is_warning(const model::PlanRecord& record) {
    if (record.phase == model::Phase::degraded)
        return true;
    return record.phase == model::Phase::pending && record.reason != model::to_string(model::Reason::incomplete);
}

}  // namespace

void EventReporter::report(GangState& gang, const model::PlanRecord& record) {
    auto& state = gang.reported(Key<EventReporter>());
    ReportedState::Event now_so{record.phase, record.reason};
    if (!facts_.options.writes_events || state.last == now_so)
        return;
    state.last = now_so;
    const auto before = state.at.find(now_so);
    if (before != state.at.end() && facts_.now - before->second < repeat_interval)
        return;
    state.at[std::move(now_so)] = facts_.now;
    model::EmitGangEvent event;
    event.ns = record.ns;
    event.plan = record.name;
    if (!record.owner_uid.empty()) {
        event.about_api_version = record.owner_api_version;
        event.about_kind = record.owner_kind;
        event.about_name = base::split_at_slash(gang.root().name).behind;
        event.about_uid = record.owner_uid;
    }
    const bool has_reason = record.phase == model::Phase::pending && !record.reason.empty();
    event.reason = has_reason ? record.reason : std::string(model::to_string(record.phase));
    if (record.phase == model::Phase::clearing)
        event.reason = "Preempting";
    event.sentence = texts::about(gang.root().name, step_of(record));
    event.is_warning = is_warning(record);
    outbox_.write({WriteTarget::Purpose::event, {}, ""}, std::move(event));
}

void EventReporter::report_preempted(GangState& gang, const model::RecordedVictim& victim) {
    if (!facts_.options.writes_events)
        return;
    const auto& cluster = facts_.cluster;
    const auto sentence = fmt::format("evicted for gang {}, which is more important", gang.root().name);
    const auto [ns, pod_name] = base::split_at_slash(victim.pod);
    model::EmitGangEvent event{.ns = std::string(ns),
                               .plan = std::string(pod_name),
                               .about_api_version = "v1",
                               .about_kind = "Pod",
                               .about_name = std::string(pod_name),
                               .about_uid = victim.uid,
                               .reason = "Preempted",
                               .sentence = "echelon: " + sentence,
                               .is_warning = false};
    outbox_.write({WriteTarget::Purpose::event, {}, ""}, event);
    const auto* pod = cluster.pod(victim.uid);
    const auto root = pod != nullptr ? cluster.root_of(*pod) : std::nullopt;
    const auto* group = root ? cluster.group(*root) : nullptr;
    auto& state = gang.reported(Key<EventReporter>());
    std::erase_if(state.preempted, [&](const auto& each) { return each.first != gang.record().epoch; });
    if (group == nullptr || group->uid.empty() || !state.preempted.emplace(gang.record().epoch, group->uid).second)
        return;
    const auto name = base::split_at_slash(root->name).behind;
    event.plan = name;
    event.about_api_version = group->api_version;
    event.about_kind = group->api_kind;
    event.about_name = name;
    event.about_uid = group->uid;
    event.sentence = texts::about(root->name, "some of its pods are " + sentence);
    outbox_.write({WriteTarget::Purpose::event, {}, ""}, std::move(event));
}

void EventReporter::note_reported(GangState& gang, const model::PlanRecord& record) {
    gang.reported(Key<EventReporter>()).last = ReportedState::Event{record.phase, record.reason};
}

void EventReporter::on_event_written(const model::Outcome& outcome) {
    if (outcome.kind != model::Outcome::Kind::rejected || std::exchange(is_refused_, true))
        return;
    outbox_.note(Note::Level::warning, {}, fmt::format("events can't be written: {}", outcome.sentence));
}

void EventReporter::write_score(GangState& gang) {
    auto& state = gang.reported(Key<EventReporter>());
    const auto score = gang.plan().score;
    const auto* root = facts_.cluster.group(gang.root());
    if (root == nullptr || !root->policy.has_placement_score || root->uid.empty() ||
        state.written_score == std::pair(root->uid, score))
        return;
    state.written_score = {root->uid, score};
    const auto [ns, name] = base::split_at_slash(gang.root().name);
    outbox_.write({WriteTarget::Purpose::score, gang.root(), ""},
                  model::WritePlacementScore{root->api_version, root->api_kind, std::string(ns), std::string(name),
                                             root->uid, score});
}

bool EventReporter::on_score_written(GangState& gang, const model::Outcome& outcome) {
    if (outcome.kind == model::Outcome::Kind::unknown) {
        gang.reported(Key<EventReporter>()).written_score.reset();
        return false;
    }
    if (outcome.kind == model::Outcome::Kind::rejected) {
        outbox_.note(Note::Level::warning, gang.root(),
                     fmt::format("its score can't be written: {}", outcome.sentence));
    }
    return true;
}

}  // namespace echelon::engine
