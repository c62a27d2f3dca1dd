#include "unit-tests/tenants/cluster.hpp"

#include "kube/json/splitter.hpp"
#include "kube/topology/topograph.hpp"
#include "unit-tests/tenants/allocated.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace echelon::tenants {
namespace {

using nlohmann::json;

constexpr std::size_t batch = 512;  // The batch size of the service.
constexpr int most_ticks = 20'000;

engine::Options options() {
    engine::Options out;
    out.profiles["default-scheduler"] = {};
    out.wait_for = {"everything"};
    out.budget = {.steps = 200'000};
    return out;
}

std::string place_of(const json& object) {
    const json metadata = object.value("metadata", json::object());
    const json ns = metadata.value("namespace", json());
    const json name = metadata.value("name", json());
    return fmt::format("{} {}/{}", object.value("kind", ""), ns.is_string() ? ns.get<std::string>() : "",
                       name.is_string() ? name.get<std::string>() : "");
}

std::vector<model::Event> events_of(const json& object, kube::Change change) {
    if (kube::is_topograph(object)) {
        const kube::TopographSource source{.name = "pushed", .source = model::TopologySource::object, .file = {}};
        auto told = kube::read_topograph(object, source);
        return told ? std::move(*told) : kube::faulty_topograph(source, told.error());
    }
    auto events = kube::decode(object, change);
    if (events)
        return std::move(*events);
    std::vector<model::Event> out;
    if (auto event = kube::event_of_unreadable(object, events.error()); event && change == kube::Change::seen)
        out.push_back(std::move(*event));
    return out;
}

}  // namespace

Cluster::Cluster() : engine_(options()) {}

void Cluster::see(std::string_view text, kube::Change change) {
    auto object = kube::parse_object(text);
    if (!object)
        return;
    for (const model::Event& event : events_of(*object, change))
        queue(event);
    if (const std::string place = place_of(*object); place.contains(" sound/") || place.contains(" plain/"))
        objects_[place] = std::move(*object);
    if (inputs_.size() >= batch)
        step(std::exchange(inputs_, {}));
}

void Cluster::listed() {
    queue(model::Synced{"everything"});
}

void Cluster::run(engine::Time time) {
    const engine::Time end = now_ + time;
    if (!inputs_.empty())
        step(std::exchange(inputs_, {}));
    for (int ticks = 0; ticks < most_ticks; ++ticks) {
        const auto wake = engine_.wakes_at();
        if (!wake || *wake > end)
            break;
        now_ = std::max(now_ + engine::Time{1}, *wake);
        step({engine::Ticked{}});
    }
    now_ = std::max(now_, end);
}

void Cluster::step(const std::vector<engine::Input>& inputs) {
    const auto before = allocated().count;
    const auto actions = engine_.step(inputs, now_);
    const auto published = engine_.published();
    heaviest_ = std::max(heaviest_, allocated().count - before);
    for (const engine::Action& action : actions)
        take(action);
}

void Cluster::take(const engine::Action& action) {
    if (const auto* write = std::get_if<engine::StartWrite>(&action)) {
        const model::Outcome outcome = carry_out(write->what);
        step({engine::Written{write->write, outcome}});
    } else if (const auto* answer = std::get_if<engine::AnswerBind>(&action)) {
        note_text(answer->error);
        answers_[calls_[answer->call]] = answer->error;
    }
}

model::Outcome Cluster::carry_out(const model::Write& write) {
    if (const auto* bind = std::get_if<model::BindPod>(&write)) {
        const std::string name = bind->pod.ns + "/" + bind->pod.name;
        bound_[name] = bind->node;
        if (const auto found = objects_.find("Pod " + name); found != objects_.end()) {
            found->second["spec"]["nodeName"] = bind->node;
            see(json(found->second));
        }
    } else if (const auto* record = std::get_if<model::ApplyPlan>(&write)) {
        note_text(record->record.message);
        const std::string name = record->record.ns + "/" + record->record.name;
        records_[name] = fmt::format("{} {}: {}", model::to_string(record->record.phase), record->record.reason,
                                     record->record.message);
        queue(model::PlanSeen{record->record});
    } else if (const auto* tell = std::get_if<model::EmitGangEvent>(&write)) {
        note_text(tell->sentence);
    } else if (const auto* read = std::get_if<model::ReadGroup>(&write)) {
        const auto found = objects_.find(fmt::format("{} {}/{}", read->api_kind, read->ns, read->name));
        if (found == objects_.end())
            return {model::Outcome::Kind::gone, "not found", "", ""};
        return {model::Outcome::Kind::done, "", "", found->second["metadata"].value("uid", "")};
    } else if (const auto* read_pod = std::get_if<model::ReadPod>(&write)) {
        const auto node = bound_.find(read_pod->pod.ns + "/" + read_pod->pod.name);
        return {model::Outcome::Kind::done, "", node == bound_.end() ? "" : node->second, read_pod->pod.uid};
    }
    return {};
}

std::string Cluster::filter(const std::string& uid) {
    using Answer = engine::Filtered::Answer;
    const auto published = engine_.published();
    const engine::Verdict* verdict = published->verdict(uid);
    if (verdict == nullptr) {
        step({engine::Filtered{uid, Answer::passed, 2, ""}});
        return "passed";
    }
    note_text(verdict->text);
    const bool is_pinned = verdict->kind == engine::Verdict::Kind::pinned;
    const std::string node = is_pinned ? verdict->node.str() : std::string();
    const std::string answer = is_pinned ? "pinned " + node : "refused " + verdict->text;
    step({engine::Filtered{uid, is_pinned ? Answer::pinned : Answer::refused, 2, node}});
    return answer;
}

void Cluster::bind(const model::PodRef& pod, const std::string& node) {
    calls_[++last_call_] = pod.ns + "/" + pod.name;
    step({engine::BindCalled{last_call_, pod, node}});
}

std::int64_t Cluster::heaviest_step() {
    return std::exchange(heaviest_, 0);
}

std::string Cluster::record_of(const std::string& name) const {
    const auto found = records_.find(name);
    return found == records_.end() ? "no record" : found->second;
}

}  // namespace echelon::tenants
