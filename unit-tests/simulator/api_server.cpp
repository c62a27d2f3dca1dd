#include "unit-tests/simulator/api_server.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

using Kind = model::Outcome::Kind;

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

}  // namespace

View ApiServer::listed(Stream stream, std::size_t length) const {
    View view;
    const auto& entries = history(stream);
    for (std::size_t at = 0; at < length && at < entries.size(); ++at)
        view.apply(entries[at]);
    return view;
}

void ApiServer::enter(Stream stream, model::Event event) {
    truth_.apply(event);
    history_[static_cast<std::size_t>(stream)].push_back(std::move(event));
    if (changed)
        changed(stream);
}

std::string ApiServer::fresh_uid(const std::string& name) {
    return fmt::format("{}-{:04}", name, ++last_uid_);
}

void ApiServer::put(const model::Node& node) {
    auto found = truth_.nodes.find(node.name);
    if (found == truth_.nodes.end() || found->second != node)
        enter(Stream::nodes, model::NodeSeen{node});
}

void ApiServer::put(const model::Pod& pod) {
    const auto* before = truth_.pod(pod.uid);
    const bool has_ended = pod.is_finished() && before != nullptr && !before->is_finished();
    if (before == nullptr || *before != pod)
        enter(Stream::pods, model::PodSeen{pod});
    if (has_ended && ended)
        ended(pod);
}

void ApiServer::put(const model::Group& group) {
    const auto* before = truth_.group(group.key);
    if (before != nullptr && before->uid != group.uid)
        remove_group(group.key);
    before = truth_.group(group.key);
    if (before == nullptr || *before != group)
        enter(Stream::groups, model::GroupSeen{group});
}

void ApiServer::remove_node(const std::string& name) {
    if (truth_.nodes.contains(name))
        enter(Stream::nodes, model::NodeGone{name});
}

void ApiServer::remove_pod(const std::string& uid) {
    const auto found = truth_.pods.find(uid);
    if (found == truth_.pods.end())
        return;
    const auto pod = found->second;
    enter(Stream::pods, model::PodGone{uid});
    if (ended)
        ended(pod);
}

void ApiServer::remove_group(const model::GroupKey& key) {
    if (const auto* group = truth_.group(key))
        enter(Stream::groups, model::GroupGone{key, group->uid});
}

void ApiServer::remove_plan(const std::string& full_name) {
    auto found = truth_.plans.find(full_name);
    if (found == truth_.plans.end())
        return;
    enter(Stream::plans, model::PlanGone{found->second.ns, found->second.name});
}

void ApiServer::put(const model::DeviceClaim& claim) {
    const auto found = truth_.claims.find(claim.ns + "/" + claim.name);
    if (found == truth_.claims.end() || found->second != claim)
        enter(Stream::claims, model::DeviceClaimSeen{claim});
}

void ApiServer::remove_claim(const std::string& full_name) {
    const auto found = truth_.claims.find(full_name);
    if (found == truth_.claims.end())
        return;
    const auto& claim = found->second;
    enter(Stream::claims, model::DeviceClaimGone{std::string(claim.ns), std::string(claim.name)});
}

void ApiServer::put(const model::DeviceSlice& slice) {
    enter(Stream::slices, model::DeviceSliceSeen{slice});
}

void ApiServer::remove_slice(const std::string& name) {
    if (truth_.slices.contains(name))
        enter(Stream::slices, model::DeviceSliceGone{name});
}

bool ApiServer::allocate(const model::Pod& pod, const std::string& node) {
    const auto claim = truth_.claims.find(claim_of(pod));
    const auto slice = truth_.slices.find(node);
    if (claim == truth_.claims.end() || slice == truth_.slices.end())
        return false;
    if (claim->second.allocation)
        return allocated_on(truth_, pod) == node;
    std::set<std::string> taken;
    for (const auto& [name, other] : truth_.claims) {
        if (!other.allocation || other.allocation->devices.front().pool != node)
            continue;
        for (const auto& each : other.allocation->devices)
            taken.insert(each.device);
    }
    model::DeviceAllocation allocation;
    const auto wanted = pod.pod_class.requests.of(device);
    for (const auto& each : slice->second.devices) {
        if (std::ssize(allocation.devices) < wanted && !taken.contains(each.name))
            allocation.devices.push_back({device_driver, node, each.name});
    }
    if (std::ssize(allocation.devices) < wanted)
        return false;
    allocation.nodes = {{.labels = {}, .fields = {{"metadata.name", model::Requirement::Operator::in, {node}}}}};
    auto now = claim->second;
    now.allocation = std::move(allocation);
    put(now);
    return true;
}

void ApiServer::deallocate(const model::Pod& pod) {
    const auto claim = truth_.claims.find(claim_of(pod));
    if (claim == truth_.claims.end())
        return;
    auto now = claim->second;
    now.allocation.reset();
    put(now);
}

model::Outcome ApiServer::with_pod(const model::PodRef& ref, const std::function<model::Outcome(model::Pod&)>& change) {
    const auto* there = truth_.pod_named(ref.ns + "/" + ref.name);
    if (there == nullptr)
        return {Kind::gone, "not found", "", ""};
    if (!ref.uid.empty() && there->uid != ref.uid)
        return {Kind::conflict, "the UID in the precondition isn't the pod's", "", ""};
    auto pod = *there;
    auto outcome = change(pod);
    if (outcome.kind == Kind::done)
        put(pod);
    return outcome;
}

model::Outcome ApiServer::bind(const model::BindPod& write) {
    return with_pod(write.pod, [&](model::Pod& pod) -> model::Outcome {
        if (pod.deleting)
            return {Kind::conflict, "is being deleted", "", ""};
        if (!pod.node.empty())
            return {Kind::conflict, "is already assigned", "", ""};
        if (!pod.gates.empty())
            return {Kind::rejected, "has scheduling gates", "", ""};
        pod.node = write.node;
        pod.nominated_node.clear();
        pod.plan = write.plan;
        if (bound)
            bound(write, pod);
        return {};
    });
}

model::Outcome ApiServer::evict(const model::EvictPod& write) {
    const auto outcome = with_pod(write.pod, [&](model::Pod& pod) -> model::Outcome {
        if (!pod.deleting && allows_eviction && !allows_eviction(pod)) {
            model::Outcome refused{Kind::rejected, "a disruption budget does not allow it", "", ""};
            refused.budget = "careful";
            return refused;
        }
        pod.deleting = true;
        return {};
    });
    const auto* pod = outcome.kind == Kind::done ? truth_.pod(write.pod.uid) : nullptr;
    if (pod != nullptr && evicted)
        evicted(*pod);
    return outcome;
}

model::Outcome ApiServer::record(const model::ApplyPlan& write) {
    if (!serves_plans)
        return {Kind::gone, "the server has no such resource", "", ""};
    const auto& record = write.record;
    auto found = truth_.plans.find(record.ns + "/" + record.name);
    const auto known = truth_.plan_uids.find(record.ns + "/" + record.name);
    const std::string uid =
        known == truth_.plan_uids.end() ? fmt::format("plan-{:04}", ++last_plan_uid_) : known->second;
    if (found == truth_.plans.end() || found->second != record)
        enter(Stream::plans, model::PlanSeen{record, uid});
    return {Kind::done, "", "", uid};
}

model::Outcome ApiServer::carry_out(const model::Write& write) {
    return std::visit(Overloaded{
                          [&](const model::BindPod& w) { return bind(w); },
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
                          [&](const model::KickPod& w) {
                              return with_pod(w.pod, [&](model::Pod& pod) -> model::Outcome {
                                  // The model doesn't keep the annotation, but its watchers see an update.
                                  enter(Stream::pods, model::PodSeen{pod});
                                  return {};
                              });
                          },
                          [&](const model::EvictPod& w) { return evict(w); },
                          [&](const model::ApplyPlan& w) { return record(w); },
                          [&](const model::DeletePlan& w) -> model::Outcome {
                              const auto name = w.ns + "/" + w.name;
                              if (!truth_.plans.contains(name))
                                  return {Kind::gone, "not found", "", ""};
                              if (!w.uid.empty() && w.uid != truth_.plan_uids.at(name))
                                  return {Kind::conflict, "the UID in the precondition isn't the plan's", "", ""};
                              remove_plan(name);
                              return {};
                          },
                          [&](const model::ReadPod& w) -> model::Outcome {
                              const auto* pod = truth_.pod_named(w.pod.ns + "/" + w.pod.name);
                              if (pod == nullptr)
                                  return {Kind::gone, "not found", "", ""};
                              return {Kind::done, "", pod->node, pod->uid};
                          },
                          [&](const model::ReadGroup& w) -> model::Outcome {
                              const auto found = std::ranges::find_if(truth_.groups, [&](const auto& entry) {
                                  return entry.second.key.name == w.ns + "/" + w.name &&
                                         entry.second.api_kind == w.api_kind;
                              });
                              if (found == truth_.groups.end())
                                  return {Kind::gone, "not found", "", ""};
                              return {Kind::done, "", "", found->second.uid, found->second.generation};
                          },
                          [](const model::WritePlacementScore&) -> model::Outcome { return {}; },
                          [](const model::WriteGroupCondition&) -> model::Outcome { return {}; },
                          [](const model::EmitGangEvent&) -> model::Outcome { return {}; },
                      },
                      write);
}

}  // namespace echelon::simulator
