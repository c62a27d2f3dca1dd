#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine::test {

namespace {

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

std::string shown(const model::Write& write) {
    return std::visit(
        Overloaded{
            [](const model::BindPod& w) { return fmt::format("bind {} {}", w.pod.name, w.node); },
            [](const model::NominatePod& w) { return fmt::format("nominate {} {}", w.pod.name, w.node); },
            [](const model::UngatePod& w) { return fmt::format("ungate {}", w.pod.name); },
            [](const model::KickPod& w) { return fmt::format("kick {}", w.pod.name); },
            [](const model::EvictPod& w) { return fmt::format("evict {}", w.pod.name); },
            [](const model::ApplyPlan& w) {
                return fmt::format("record {} {}", w.record.name, model::to_string(w.record.phase));
            },
            [](const model::DeletePlan& w) { return fmt::format("forget {}", w.name); },
            [](const model::ReadPod& w) { return fmt::format("read {}", w.pod.name); },
            [](const model::ReadGroup& w) { return fmt::format("look {}", w.name); },
            [](const model::WritePlacementScore& w) { return fmt::format("score {} {}", w.name, w.per_mille); },
            [](const model::WriteGroupCondition& w) { return fmt::format("condition {} {}", w.name, w.is_met); },
            [](const model::EmitGangEvent& w) { return fmt::format("tell {} {}", w.plan, w.reason); },
        },
        write);
}

}  // namespace

Options Rig::default_options() {
    Options options;
    options.profiles["default-scheduler"] = {};
    options.wait_for = {"nodes", "pods"};
    return options;
}

Rig::Rig(Options options) : engine(options), options_(std::move(options)) {
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::configuration;
    topology.levels = {block_key, rack_key, "kubernetes.io/hostname"};
    step(Observed{model::TopologySeen{topology}});
}

void Rig::synced() {
    for (const auto& what : options_.wait_for)
        step(Observed{model::Synced{what}});
    advance(Time{600});  // Until the records say what was planned.
}

Rig::FilterAnswer Rig::filter(const std::string& name, const std::vector<std::string>& offered) {
    const auto& pod = pods_.at(name);
    const auto published = engine.published();
    const auto* verdict = published->verdict(pod.uid);
    std::vector<std::string> names = offered;
    if (names.empty() && !pod.nominated_node.empty())
        names = {pod.nominated_node};
    if (names.empty()) {
        for (const auto& [node, facts] : nodes_)
            names.push_back(node);
    }
    const auto tell = [&](Filtered::Answer answer, const std::string& node) {
        step(Filtered{pod.uid, answer, static_cast<std::uint32_t>(names.size()), node, exempt.contains(name)});
    };
    if (verdict == nullptr) {
        tell(Filtered::Answer::passed, "");
        return {"", "", true};
    }
    if (verdict->kind == Verdict::Kind::refused) {
        const FilterAnswer reply{"", verdict->text, false};
        tell(Filtered::Answer::refused, "");
        return reply;
    }
    const std::string node = verdict->node;
    const bool is_offered = std::ranges::find(names, node) != names.end();
    tell(is_offered ? Filtered::Answer::pinned : Filtered::Answer::missing, node);
    return {is_offered ? node : "", is_offered ? "" : "not offered", false};
}

std::uint64_t Rig::bind(const std::string& name, const std::string& node) {
    const auto& pod = pods_.at(name);
    const auto call = ++last_call_;
    step(BindCalled{call, {pod.ns, pod.name, pod.uid}, node});
    return call;
}

std::vector<std::uint64_t> Rig::arrive(const std::string& gang, int first, int last) {
    std::vector<std::uint64_t> calls;
    for (int i = first; i < last; ++i) {
        const auto name = fmt::format("{}-{}", gang, i);
        calls.push_back(bind(name, filter(name).node));
    }
    return calls;
}

void Rig::schedule_all() {
    std::vector<std::string> names;
    for (const auto& [name, pod] : pods_) {
        if (pod.node.empty() && pod.gates.empty())
            names.push_back(name);
    }
    for (const auto& name : names) {
        if (!pods_.at(name).node.empty())
            continue;
        const auto reply = filter(name);
        if (!reply.node.empty())
            bind(name, reply.node);
    }
    settle();
}

const AnswerBind* Rig::answer(std::uint64_t call) const {
    auto found = answers_.find(call);
    return found == answers_.end() ? nullptr : &found->second;
}

void Rig::step(const Input& input) {
    for (const auto& action : engine.step(input, now))
        take(action);
}

void Rig::take(const Action& action) {
    if (const auto* write = std::get_if<StartWrite>(&action)) {
        log.push_back(shown(write->what));
        writes.push_back(shown(write->what));
        pending_.push_back(*write);
    } else if (const auto* answer = std::get_if<AnswerBind>(&action)) {
        log.push_back(fmt::format("answer {} {}", answer->call, answer->error));
        answers_[answer->call] = *answer;
    } else if (const auto* search = std::get_if<StartSearch>(&action)) {
        searches.push_back(*search);
    } else if (notes.push_back(std::get<Note>(action)); notes.back().level == Note::Level::bug) {
        throw std::logic_error(notes.back().gang + ": " + notes.back().sentence);  // Fails whatever test it is in.
    }
}

void Rig::end_search() {
    const auto number = searches.front().search;
    searches.pop_front();
    step(SearchEnded{number});
    settle();
}

void Rig::settle() {
    if (!is_late) {
        pending_.insert(pending_.begin(), late_.begin(), late_.end());
        late_.clear();
    }
    while (!pending_.empty() && !holds_back_writes) {
        const auto write = pending_.front();
        pending_.pop_front();
        if (is_late && is_late(write.what)) {
            late_.push_back(write);
            continue;
        }
        const auto decided = fate ? fate(write.what) : std::nullopt;
        step(Written{write.write, decided ? *decided : carry_out(write.what)});
    }
}

void Rig::live(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        advance(Time{1000});
        schedule_all();
    }
    advance(Time{1000});
}

void Rig::advance(Time by) {
    const Time end = now + by;
    settle();
    for (int guard = 0; guard < 100'000; ++guard) {
        const auto wake = engine.wakes_at();
        if (!wake || *wake > end)
            break;
        now = std::max(now, *wake);
        step(Ticked{});
        settle();
    }
    now = end;
}

void Rig::show(const model::Pod& pod) {
    step(Observed{model::PodSeen{pod, labels_[pod.name]}});
}

model::Outcome Rig::carry_out(const model::Write& write) {
    using Kind = model::Outcome::Kind;
    const auto with_pod = [this](const model::PodRef& ref, const auto& change) -> model::Outcome {
        auto found = pods_.find(ref.name);
        if (found == pods_.end())
            return {Kind::gone, "not found", "", ""};
        if (found->second.uid != ref.uid)
            return {Kind::conflict, "other UID", "", ""};
        const auto outcome = change(found->second);
        if (outcome.kind == Kind::done)
            show(found->second);
        return outcome;
    };
    return std::visit(
        Overloaded{
            [&](const model::BindPod& w) {
                return with_pod(w.pod, [&](model::Pod& pod) -> model::Outcome {
                    if (!pod.node.empty())
                        return {Kind::conflict, "already assigned", "", ""};
                    if (!pod.gates.empty())
                        return {Kind::rejected, "has gates", "", ""};
                    pod.node = w.node;
                    pod.nominated_node.clear();
                    pod.plan = w.plan;
                    return {};
                });
            },
            [&](const model::NominatePod& w) {
                return with_pod(w.pod, [&](model::Pod& pod) -> model::Outcome {
                    pod.nominated_node = w.node;
                    return {};
                });
            },
            [&](const model::UngatePod& w) {
                return with_pod(w.pod, [&](model::Pod& pod) -> model::Outcome {
                    std::erase(pod.gates, model::gang_gate);
                    return {};
                });
            },
            [&](const model::KickPod& w) { return with_pod(w.pod, [](model::Pod&) -> model::Outcome { return {}; }); },
            [&](const model::EvictPod& w) {
                evicted.push_back(w.pod.name);
                return with_pod(w.pod, [](model::Pod& pod) -> model::Outcome {
                    pod.deleting = true;
                    return {};
                });
            },
            [&](const model::ApplyPlan& w) -> model::Outcome {
                records_[w.record.name] = w.record;
                auto& uid = record_uids_[w.record.name];
                if (uid.empty())
                    uid = fmt::format("plan-{}", ++last_plan_uid_);
                step(Observed{model::PlanSeen{w.record, uid}});
                return {Kind::done, "", "", uid};
            },
            [&](const model::DeletePlan& w) -> model::Outcome {
                const auto uid = record_uids_.find(w.name);
                if (uid != record_uids_.end() && !w.uid.empty() && w.uid != uid->second)
                    return {Kind::conflict, "the UID in the precondition isn't the plan's", "", ""};
                records_.erase(w.name);
                record_uids_.erase(w.name);
                step(Observed{model::PlanGone{w.ns, w.name}});
                return {};
            },
            [&](const model::ReadGroup& w) -> model::Outcome {
                const auto found = std::ranges::find_if(groups_, [&](const auto& entry) {
                    return entry.second.key.name == w.ns + "/" + w.name && entry.second.api_kind == w.api_kind;
                });
                if (found == groups_.end())
                    return {Kind::gone, "not found", "", ""};
                return {Kind::done, "", "", found->second.uid, found->second.generation};
            },
            [&](const model::WritePlacementScore& w) -> model::Outcome {
                scores.push_back(w);
                return {};
            },
            [&](const model::WriteGroupCondition& w) -> model::Outcome { return keep(w); },
            [&](const model::EmitGangEvent& w) -> model::Outcome {
                events.push_back(w);
                return {};
            },
            [&](const model::ReadPod& w) -> model::Outcome {
                auto found = pods_.find(w.pod.name);
                if (found == pods_.end())
                    return {Kind::gone, "not found", "", ""};
                return {Kind::done, "", found->second.node, found->second.uid};
            },
        },
        write);
}

model::Outcome Rig::keep(const model::WriteGroupCondition& write) {
    using Kind = model::Outcome::Kind;
    conditions.push_back(write);
    const auto found = std::ranges::find_if(groups_, [&](const auto& entry) { return entry.second.uid == write.uid; });
    if (found == groups_.end() || !found->second.placed)
        return {Kind::gone, "not found", "", ""};
    auto placed = *found->second.placed;
    if (!write.version.empty() && write.version != placed.version)
        return {Kind::conflict, "the object has been modified", "", ""};
    using Status = model::PlacedCondition::Status;
    placed.status = write.is_met ? Status::met : Status::not_met;
    placed.message = write.message;
    placed.generation = write.generation;
    placed.version += "x";
    found->second.placed = placed;
    step(Observed{model::GroupSeen{found->second}});
    return {};
}

std::map<std::string, std::string> Rig::bound() const {
    std::map<std::string, std::string> bound;
    for (const auto& [name, pod] : pods_) {
        if (!pod.node.empty())
            bound[name] = pod.node;
    }
    return bound;
}

std::set<std::string> Rig::racks_of(const std::string& gang) const {
    std::set<std::string> racks;
    for (const auto& [name, pod] : pods_) {
        if (pod.node.empty() || !pod.membership || pod.membership->leaf.name != "default/" + gang)
            continue;
        racks.insert(pod.node.str().substr(0, pod.node.str().rfind('-')));
    }
    return racks;
}

int Rig::gated(const std::string& gang) const {
    return static_cast<int>(std::ranges::count_if(pods_, [&](const auto& entry) {
        return entry.second.has_our_gate() && entry.second.membership &&
               entry.second.membership->leaf.name == "default/" + gang;
    }));
}

const model::PlanRecord* Rig::record(const std::string& gang) const {
    auto found = records_.find(gang);
    return found == records_.end() ? nullptr : &found->second;
}

void Rig::restart() {
    restart_before_sync();
    synced();
}

void Rig::restart_before_sync() {
    engine = Engine(options_);
    pending_.clear();
    late_.clear();
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::configuration;
    topology.levels = {block_key, rack_key, "kubernetes.io/hostname"};
    step(Observed{model::TopologySeen{topology}});
    for (const auto& [name, pod] : pods_)
        show(pod);
    for (const auto& [name, group] : groups_)
        step(Observed{model::GroupSeen{group}});
    for (const auto& [name, node] : nodes_)
        step(Observed{model::NodeSeen{node}});
    for (const auto& [name, record] : records_)
        step(Observed{model::PlanSeen{record, record_uids_[name]}});
}

void gang_of_16(Rig& rig, bool gated) {
    rig.fabric(2, 2, 16);
    rig.gang({"train", 16, rack_key});
    rig.pods("train", 0, 16, gated);
}

void answer_bindings(Rig& rig, const std::string& pod, model::Outcome::Kind kind) {
    rig.fate = [pod, kind](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* bind = std::get_if<model::BindPod>(&write);
        if (bind == nullptr || bind->pod.name != pod)
            return std::nullopt;
        return model::Outcome{kind, "no binding", "", ""};
    };
}

int count_of(const std::vector<std::string>& lines, const std::string& start) {
    return static_cast<int>(std::ranges::count_if(lines, [&](const auto& line) { return line.starts_with(start); }));
}

std::size_t first_of(const std::vector<std::string>& lines, const std::string& start) {
    const auto found = std::ranges::find_if(lines, [&](const auto& line) { return line.starts_with(start); });
    return static_cast<std::size_t>(found - lines.begin());
}

}  // namespace echelon::engine::test
