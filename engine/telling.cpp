// Events about a gang: one for each step of its way, and none again for what was told a short while ago.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time score_retry{5'000};
constexpr Time told_enough{300'000};  // The same isn't told again before: a gang may go to and fro.

// What isn't the gang's own message: the step that it has taken.
std::string step_of(const model::PlanRecord& record) {
    switch (record.phase) {
        case model::Phase::pending:
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

void Engine::State::tell(GangState& gang, const model::PlanRecord& record) {
    GangState::Told now_so{record.phase, record.reason};
    if (!options.tells || gang.told == now_so)
        return;
    gang.told = now_so;
    const auto last = gang.told_at.find(now_so);
    if (last != gang.told_at.end() && now - last->second < told_enough)
        return;
    gang.told_at[std::move(now_so)] = now;
    model::EmitGangEvent event;
    event.ns = record.ns;
    event.plan = record.name;
    if (!record.owner_uid.empty()) {
        event.about_api_version = record.owner_api_version;
        event.about_kind = record.owner_kind;
        event.about_name = gang.root.name.substr(gang.root.name.find('/') + 1);
        event.about_uid = record.owner_uid;
    }
    const bool has_reason = record.phase == model::Phase::pending && !record.reason.empty();
    event.reason = has_reason ? record.reason : std::string(model::to_string(record.phase));
    event.sentence = texts::about(gang.root.name, step_of(record));
    event.is_warning = is_warning(record);
    write({WriteTarget::Purpose::tell, {}, ""}, std::move(event));
}

void Engine::State::on_event_written(const model::Outcome& outcome) {
    if (outcome.kind != model::Outcome::Kind::rejected || std::exchange(are_events_forbidden, true))
        return;
    note(Note::Level::warning, nullptr, fmt::format("events can't be written: {}", outcome.sentence));
}

void Engine::State::write_score(GangState& gang) {
    const auto* root = cluster.group(gang.root);
    if (root == nullptr || !root->has_placement_score || root->uid.empty() ||
        gang.written_score == std::pair(root->uid, gang.score))
        return;
    gang.written_score = {root->uid, gang.score};
    const auto slash = gang.root.name.find('/');
    write({WriteTarget::Purpose::score, gang.root, ""},
          model::WritePlacementScore{root->api_version, root->api_kind, gang.root.name.substr(0, slash),
                                     gang.root.name.substr(slash + 1), root->uid, gang.score});
}

void Engine::State::on_score_written(GangState& gang, const model::Outcome& outcome) {
    if (outcome.kind == model::Outcome::Kind::unknown) {
        gang.written_score.reset();
        return schedule_record(gang, score_retry);
    }
    if (outcome.kind == model::Outcome::Kind::rejected)
        note(Note::Level::warning, &gang, fmt::format("its score can't be written: {}", outcome.sentence));
}

}  // namespace echelon::engine
