#include "kube/write/plan_recorder.hpp"

#include "kube/json/splitter.hpp"
#include "kube/write/plan_precedence.hpp"
#include "kube/write/write_request.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

constexpr std::size_t most_undeleted = 1'000;

std::string key_of(const std::string& ns, const std::string& name) {
    return ns + "/" + name;
}

std::string text_in_metadata(const nlohmann::json& object, const char* field) {
    const auto metadata = object.find("metadata");
    if (metadata == object.end() || !metadata->is_object())
        return {};
    const auto text = metadata->find(field);
    return text != metadata->end() && text->is_string() ? text->get<std::string>() : std::string();
}

}  // namespace

std::expected<PlanRecorder::Found, model::Outcome> PlanRecorder::applied_object(HttpClient& client,
                                                                                const model::ApplyPlan& write) {
    const HttpAnswer answer = figures_.counted(WriteKind::plan, client.send(apply_plan(write.record)));
    if (!answer.succeeded())
        return std::unexpected(outcome_of_record(write, answer));
    Found found;
    found.note.root = write.record.root;
    found.note.owner_uid = write.record.owner_uid;
    found.note.scheduler_names = write.record.scheduler_names;
    const auto object = parse_object(answer.body);
    if (!object)
        return found;
    const auto there = decode_gangplan(*object);
    found.note.uid = text_in_metadata(*object, "uid");
    if (there && !may_replace(*there, write.record) && !is_undeleted(found.note.uid)) {
        model::Outcome conflict;
        conflict.kind = model::Outcome::Kind::conflict;
        conflict.sentence = action_of(write) + ": the API server has the record of a clearing that was not seen yet";
        return std::unexpected(std::move(conflict));
    }
    found.note.condition = placed_condition(*object);
    found.version = text_in_metadata(*object, "resourceVersion");
    return found;
}

model::Outcome PlanRecorder::record(HttpClient& client, const model::ApplyPlan& write, const std::string& now,
                                    const std::shared_ptr<const Lead>& lead) {
    const model::PlanRecord& record = write.record;
    const std::string key = key_of(record.ns, record.name);
    std::optional<Note> note = note_of(key);
    if (note && (note->root != record.root || note->owner_uid != record.owner_uid ||
                 note->scheduler_names != record.scheduler_names || note->lead != lead))
        note.reset();
    // A second round runs only if somebody else has deleted the object.
    for (bool was_known = note.has_value();; was_known = false) {
        std::string version;
        if (!note) {
            auto found = applied_object(client, write);
            if (!found)
                return std::move(found.error());
            note = std::move(found->note);
            note->lead = lead;
            version = std::move(found->version);
        }
        PlacedCondition condition{.status = std::string(placed_status(record)), .since = now};
        if (note->condition && note->condition->status == condition.status)
            condition.since = note->condition->since;
        const HttpAnswer answer =
            figures_.counted(WriteKind::plan_status, client.send(apply_plan_status(record, condition.since, version)));
        if (answer.succeeded()) {
            note->condition = std::move(condition);
        } else {
            note.reset();
        }
        keep(key, note);
        if (answer.status == 404 && was_known)
            continue;
        model::Outcome outcome = outcome_of_record(write, answer);
        if (note)
            outcome.uid = note->uid;
        return outcome;
    }
}

model::Outcome PlanRecorder::remove(HttpClient& client, const model::DeletePlan& write) {
    model::DeletePlan exact = write;
    if (exact.uid.empty())
        exact.uid = uid_of(write.ns, write.name);
    keep(key_of(write.ns, write.name), std::nullopt);
    if (exact.uid.empty())
        return {model::Outcome::Kind::gone, action_of(write) + ": it isn't known to be there", "", ""};
    auto outcome =
        outcome_of(action_of(write), figures_.counted(WriteKind::plan_deletion, client.send(request_of(exact))));
    const std::lock_guard lock(mutex_);
    std::erase(undeleted_, exact.uid);
    if (outcome.kind != model::Outcome::Kind::done && outcome.kind != model::Outcome::Kind::gone) {
        if (undeleted_.size() == most_undeleted)
            undeleted_.erase(undeleted_.begin());
        undeleted_.push_back(exact.uid);
    }
    return outcome;
}

bool PlanRecorder::is_undeleted(const std::string& uid) {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(undeleted_, uid) != undeleted_.end();
}

std::string PlanRecorder::uid_of(const std::string& ns, const std::string& name) {
    const auto note = note_of(key_of(ns, name));
    return note ? note->uid : std::string();
}

std::optional<PlanRecorder::Note> PlanRecorder::note_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(key);
    return found == notes_.end() ? std::nullopt : std::optional(found->second);
}

void PlanRecorder::keep(const std::string& key, std::optional<Note> note) {
    const std::lock_guard lock(mutex_);
    if (note) {
        notes_.insert_or_assign(key, std::move(*note));
    } else {
        notes_.erase(key);
    }
}

}  // namespace echelon::kube
