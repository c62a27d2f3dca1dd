#include "kube/write/plan_recorder.hpp"

#include "kube/json/splitter.hpp"
#include "kube/write/write_request.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

std::string key_of(const std::string& ns, const std::string& name) {
    return ns + "/" + name;
}

std::string uid_in(const nlohmann::json& object) {
    const auto metadata = object.find("metadata");
    if (metadata == object.end() || !metadata->is_object())
        return {};
    const auto uid = metadata->find("uid");
    return uid != metadata->end() && uid->is_string() ? uid->get<std::string>() : std::string();
}

}  // namespace

model::Outcome PlanWriter::record(HttpClient& client, const model::ApplyPlan& write, const std::string& now) {
    const model::PlanRecord& record = write.record;
    const std::string key = key_of(record.ns, record.name);
    const std::string deed = verb_of(write);
    std::optional<Note> note = note_of(key);
    if (note && (note->root != record.root || note->owner_uid != record.owner_uid))
        note.reset();
    // A second round only when the object went away behind our back.
    for (bool was_known = note.has_value();; was_known = false) {
        if (!note) {
            const HttpAnswer applied = client.send(apply_plan(record));
            if (!applied.succeeded())
                return outcome_of(deed, applied);
            const auto object = parse_object(applied.body);
            note = Note{.root = record.root,
                        .owner_uid = record.owner_uid,
                        .uid = object ? uid_in(*object) : std::string(),
                        .condition = object ? placed_condition(*object) : std::nullopt};
        }
        PlacedCondition condition{.status = std::string(placed_status(record)), .since = now};
        if (note->condition && note->condition->status == condition.status)
            condition.since = note->condition->since;
        const HttpAnswer answer = client.send(apply_plan_status(record, condition.since));
        if (answer.succeeded()) {
            note->condition = std::move(condition);
        } else {
            note.reset();
        }
        keep(key, note);
        if (answer.status == 404 && was_known)
            continue;
        model::Outcome outcome = outcome_of(deed, answer);
        if (note)
            outcome.uid = note->uid;
        return outcome;
    }
}

model::Outcome PlanWriter::forget(HttpClient& client, const model::DeletePlan& write) {
    model::DeletePlan exact = write;
    if (exact.uid.empty())
        exact.uid = uid_of(write.ns, write.name);
    keep(key_of(write.ns, write.name), std::nullopt);
    if (exact.uid.empty())
        return {model::Outcome::Kind::gone, verb_of(write) + ": it isn't known to be there", "", ""};
    return outcome_of(verb_of(write), client.send(request_of(exact)));
}

std::string PlanWriter::uid_of(const std::string& ns, const std::string& name) {
    const auto note = note_of(key_of(ns, name));
    return note ? note->uid : std::string();
}

std::optional<PlanWriter::Note> PlanWriter::note_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(key);
    return found == notes_.end() ? std::nullopt : std::optional(found->second);
}

void PlanWriter::keep(const std::string& key, std::optional<Note> note) {
    const std::lock_guard lock(mutex_);
    if (note) {
        notes_.insert_or_assign(key, std::move(*note));
    } else {
        notes_.erase(key);
    }
}

}  // namespace echelon::kube
