#include "kube/decode.hpp"

#include "base/split.hpp"
#include "kube/core/device_decoder.hpp"
#include "kube/core/job_decoder.hpp"
#include "kube/core/node_decoder.hpp"
#include "kube/core/node_resource_topology.hpp"
#include "kube/core/pod_decoder.hpp"
#include "kube/core/priority_class.hpp"
#include "kube/core/protection.hpp"
#include "kube/dialects/disaggregated_set.hpp"
#include "kube/dialects/gang_object.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/grove.hpp"
#include "kube/dialects/job_set.hpp"
#include "kube/dialects/kai.hpp"
#include "kube/dialects/koordinator.hpp"
#include "kube/dialects/kueue.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "kube/dialects/role_based_group.hpp"
#include "kube/dialects/scheduler_plugins.hpp"
#include "kube/dialects/upstream.hpp"
#include "kube/dialects/volcano.hpp"
#include "kube/json/field.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/membership.hpp"
#include "kube/topology/grove_topology.hpp"
#include "kube/topology/hypernode.hpp"
#include "kube/topology/koordinator_topology.hpp"
#include "kube/topology/kueue_topology.hpp"
#include "kube/topology/topology_object.hpp"
#include "kube/write/gangplan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using model::Event;
using Events = std::vector<Event>;

// How one kind is read. A reader notes faults in the FieldFault of the object; `decode` then drops the events.
struct KindDecoder {
    std::string_view kind;
    std::string_view group;
    Scope scope;
    base::Result<Events> (*read)(const Field& object, const Metadata& metadata);
    base::Result<Events> (*gone)(const Field& object, const Metadata& metadata);
};

base::Result<Events> one(Event event) {
    Events out;
    out.push_back(std::move(event));
    return out;
}

base::Result<Events> gone_group(std::string_view kind, const Metadata& metadata) {
    return one(model::GroupGone{.key = {std::string(kind), metadata.full_name()}, .uid = metadata.uid});
}

// A Workload of a later version is a template that no scheduler reads: no event.
base::Result<Events> workload_seen(const Field& object, const Metadata& metadata) {
    std::optional<model::GroupSet> set = read_workload(object, metadata);
    return set ? one(model::GroupSetSeen{std::move(*set)}) : Events{};
}

base::Result<Events> workload_gone(const Field& object, const Metadata& metadata) {
    std::optional<model::GroupSet> set = read_workload(object, metadata);
    return set ? one(model::GroupSetGone{.owner = std::move(set->owner), .uid = metadata.uid}) : Events{};
}

// Makes the gang Invalid if the pod exceeds a bound; the pod itself still takes room. Pods with the same fault give the
// same sentence, so the model keeps it once.
void mark_excess(const std::string& excess, model::Membership& membership) {
    if (excess.empty())
        return;
    const std::string problem = "one of its pods: " + excess;
    const auto is_own = [&](const model::Group& group) {
        return group.key == membership.leaf && !group.only_supplements;
    };
    auto& declared = membership.declared.edit();
    if (const auto own = std::ranges::find_if(declared, is_own); own != declared.end()) {
        own->problem = problem;  // Replaces a problem that only the cut has caused.
        return;
    }
    declared.emplace_back(supplement_to(membership.leaf)).problem = problem;
}

// A pod that has succeeded takes no room; only a gang still counts it (M2).
base::Result<Events> pod_seen(const Field& object, const Metadata& metadata, UnservedKinds unserved) {
    object.fault().tolerate(FieldFault::Tolerance::excess);
    auto pod = read_pod(object, metadata, unserved);
    auto claims = read_pod_claims(object);
    if (pod.membership) {
        warn_of_gpu_shares(metadata, *pod.membership);
        mark_excess(object.fault().excess(), *pod.membership);
    }
    if (pod.phase == model::PodPhase::succeeded && !pod.membership)
        return one(model::PodGone{pod.uid.str()});
    return one(model::PodSeen{std::move(pod), read_sorting_labels(object, metadata), std::move(claims)});
}

// Unless faulty nodes are refused, a field that can't be read is left out, and the rest of the node counts.
base::Result<Events> node_seen(const Field& object, const Metadata& metadata, const Reading& reading) {
    if (reading.faulty_nodes == FaultyNodes::kept)
        object.fault().tolerate(FieldFault::Tolerance::fields);
    model::Node node = read_node(object, metadata);
    if (reading.health)
        judge_health(object, *reading.health, node);
    node.faults = object.fault().left_out();
    return one(model::NodeSeen{std::move(node)});
}

// A pod without a UID, written by hand, goes by its name, as in `read_pod`.
base::Result<Events> pod_gone(const Field&, const Metadata& metadata) {
    return one(model::PodGone{metadata.uid.empty() ? metadata.full_name() : metadata.uid});
}

base::Result<Events> plan_seen(const Field& object, const Metadata& metadata) {
    base::Result<model::PlanRecord> record = decode_gangplan(object.value().tree(), object.limits());
    if (!record)
        return std::unexpected(std::move(record.error()));
    return one(model::PlanSeen{.record = std::move(*record), .uid = metadata.uid});
}

using ReadTopology = model::Topology (*)(const Field& object, const Metadata& metadata);

// A topology object of the whole cluster.
template <const TopologyKind& Kind, ReadTopology Read>
constexpr KindDecoder topology_decoder() {
    return {Kind.kind, Kind.group, Scope::cluster,
            [](const Field& o, const Metadata& m) { return one(model::TopologySeen{Read(o, m)}); },
            [](const Field&, const Metadata& m) {
                return one(model::TopologyGone{model::TopologySource::object, Kind.full_name(), m.name});
            }};
}

model::Topology read_binding(const Field& object, const Metadata& metadata) {
    return read_grove_topology(object, metadata, grove_topology);
}

model::Topology read_legacy_topology(const Field& object, const Metadata& metadata) {
    return read_grove_topology(object, metadata, grove_legacy_topology);
}

// An object that declares several groups. Its root owns the set.
template <model::GroupSet (*read)(const Field&, const Metadata&)>
base::Result<Events> set_seen(const Field& object, const Metadata& metadata) {
    return one(model::GroupSetSeen{read(object, metadata)});
}

template <model::GroupSet (*read)(const Field&, const Metadata&)>
base::Result<Events> set_gone(const Field& object, const Metadata& metadata) {
    return one(model::GroupSetGone{.owner = read(object, metadata).owner, .uid = metadata.uid});
}

constexpr std::array decoders{
    KindDecoder{"Pod", "", Scope::namespaced, [](const Field& o, const Metadata& m) { return pod_seen(o, m, {}); },
                pod_gone},
    KindDecoder{"Node", "", Scope::cluster, [](const Field& o, const Metadata& m) { return node_seen(o, m, {}); },
                [](const Field&, const Metadata& m) { return one(model::NodeGone{m.name}); }},
    KindDecoder{"PodGroup", upstream_group, Scope::namespaced,
                [](const Field& o, const Metadata& m) { return one(model::GroupSeen{read_pod_group(o, m)}); },
                [](const Field&, const Metadata& m) { return gone_group("podgroup", m); }},
    KindDecoder{"CompositePodGroup", upstream_group, Scope::namespaced,
                [](const Field& o, const Metadata& m) { return one(model::GroupSeen{read_composite_pod_group(o, m)}); },
                [](const Field&, const Metadata& m) { return gone_group("compositepodgroup", m); }},
    KindDecoder{"Workload", upstream_group, Scope::namespaced, workload_seen, workload_gone},
    KindDecoder{"PodGang", grove_group, Scope::namespaced, set_seen<read_pod_gang>, set_gone<read_pod_gang>},
    KindDecoder{"PodGroup", kai_group, Scope::namespaced, set_seen<read_kai_group>, set_gone<read_kai_group>},
    KindDecoder{"PodGroup", volcano_group, Scope::namespaced, set_seen<read_volcano_group>,
                set_gone<read_volcano_group>},
    KindDecoder{"PodGroup", koordinator_group, Scope::namespaced, set_seen<read_koordinator_group>,
                set_gone<read_koordinator_group>},
    KindDecoder{
        "PodGroup", scheduler_plugins_group, Scope::namespaced,
        [](const Field& o, const Metadata& m) { return one(model::GroupSeen{read_scheduler_plugins_group(o, m)}); },
        [](const Field&, const Metadata& m) { return gone_group(scheduler_plugins_leaf, m); }},
    KindDecoder{"JobSet", job_set_group, Scope::namespaced, set_seen<read_job_set>, set_gone<read_job_set>},
    KindDecoder{"LeaderWorkerSet", leader_worker_set_group, Scope::namespaced, set_seen<read_leader_worker_set>,
                set_gone<read_leader_worker_set>},
    KindDecoder{"DisaggregatedSet", disaggregated_set_group, Scope::namespaced,
                [](const Field& o, const Metadata& m) { return one(model::GroupSeen{read_disaggregated_set(o, m)}); },
                [](const Field&, const Metadata& m) { return gone_group(disaggregated_set_kind, m); }},
    KindDecoder{"RoleBasedGroup", role_based_group_group, Scope::namespaced, set_seen<read_role_based_group>,
                set_gone<read_role_based_group>},
    KindDecoder{"Workload", kueue_group, Scope::namespaced, set_seen<read_kueue_workload>,
                set_gone<read_kueue_workload>},
    KindDecoder{"PriorityClass", upstream_group, Scope::cluster,
                [](const Field& o, const Metadata& m) { return one(read_priority_class(o, m)); },
                [](const Field&, const Metadata& m) { return one(model::PriorityClassGone{m.name}); }},
    KindDecoder{"PodDisruptionBudget", policy_group, Scope::namespaced,
                [](const Field& o, const Metadata& m) { return one(model::BudgetSeen{read_disruption_budget(o, m)}); },
                [](const Field&, const Metadata& m) { return one(model::BudgetGone{m.ns, m.name}); }},
    KindDecoder{
        "Job", batch_group, Scope::namespaced, [](const Field& o, const Metadata& m) { return one(read_job(o, m)); },
        [](const Field&, const Metadata& m) { return one(model::JobGone{m.uid.empty() ? m.full_name() : m.uid}); }},
    KindDecoder{
        "ResourceSlice", device_group, Scope::cluster,
        [](const Field& o, const Metadata& m) { return one(model::DeviceSliceSeen{read_resource_slice(o, m)}); },
        [](const Field&, const Metadata& m) { return one(model::DeviceSliceGone{m.name}); }},
    KindDecoder{"DeviceClass", device_group, Scope::cluster,
                [](const Field& o, const Metadata& m) { return one(model::DeviceClassSeen{read_device_class(o, m)}); },
                [](const Field&, const Metadata& m) { return one(model::DeviceClassGone{m.name}); }},
    KindDecoder{
        "ResourceClaim", device_group, Scope::namespaced,
        [](const Field& o, const Metadata& m) { return one(model::DeviceClaimSeen{read_resource_claim(o, m)}); },
        [](const Field&, const Metadata& m) { return one(model::DeviceClaimGone{m.ns, m.name}); }},
    KindDecoder{"ResourceClaimTemplate", device_group, Scope::namespaced,
                [](const Field& o, const Metadata& m) {
                    return one(model::DeviceTemplateSeen{read_resource_claim_template(o, m)});
                },
                [](const Field&, const Metadata& m) { return one(model::DeviceTemplateGone{m.ns, m.name}); }},
    KindDecoder{
        "DeviceTaintRule", device_group, Scope::cluster,
        [](const Field& o, const Metadata& m) { return one(model::DeviceTaintRuleSeen{read_device_taint_rule(o, m)}); },
        [](const Field&, const Metadata& m) { return one(model::DeviceTaintRuleGone{m.name}); }},
    topology_decoder<kueue_topology, read_kueue_topology>(),
    topology_decoder<kai_topology, read_kai_topology>(),
    topology_decoder<grove_topology, read_binding>(),
    topology_decoder<grove_legacy_topology, read_legacy_topology>(),
    topology_decoder<koordinator_topology, read_koordinator_topology>(),
    KindDecoder{hypernode_kind, hypernode_group, Scope::cluster,
                [](const Field& o, const Metadata& m) { return one(model::DomainSeen{read_hypernode(o, m)}); },
                [](const Field&, const Metadata& m) { return one(model::DomainGone{m.name}); }},
    KindDecoder{
        node_resource_topology_kind, node_resource_topology_group, Scope::cluster,
        [](const Field& o, const Metadata& m) { return one(model::NodeZonesSeen{read_node_resource_topology(o, m)}); },
        [](const Field&, const Metadata& m) { return one(model::NodeZonesGone{m.name}); }},
    KindDecoder{"Gang", own_group, Scope::namespaced, set_seen<read_gang_object>, set_gone<read_gang_object>},
    KindDecoder{"GangPlan", own_group, Scope::namespaced, plan_seen,
                [](const Field&, const Metadata& m) { return one(model::PlanGone{m.ns, m.name}); }},
};

const KindDecoder* decoder_of(std::string_view api_version, std::string_view kind) {
    const std::string_view group = base::split_at_slash(api_version).before;
    for (const KindDecoder& decoder : decoders) {
        if (decoder.kind == kind && decoder.group == group)
            return &decoder;
    }
    return nullptr;
}

// "Pod default/train-0"; without the name where there is none.
std::string title(const KindDecoder& decoder, const Metadata& metadata) {
    if (metadata.name.empty())
        return std::string(decoder.kind);
    return fmt::format("{} {}", decoder.kind, shown_bare(metadata.full_name()));
}

// The sentence of a fault without "KIND NAME: " in front.
std::string untitled(const KindDecoder& decoder, const Metadata& metadata, const base::Error& fault) {
    const std::string prefix = title(decoder, metadata) + ": ";
    return fault.sentence.starts_with(prefix) ? fault.sentence.substr(prefix.size()) : fault.sentence;
}

// A topology that can't be read: known by its name, with the fields that could be read, and unusable.
std::optional<model::Event> faulty_topology(const KindDecoder* decoder, const Field& root, const base::Error& fault) {
    if (decoder == nullptr)
        return std::nullopt;
    const Metadata metadata = read_metadata(root, decoder->scope);
    if (metadata.name.empty())
        return std::nullopt;
    const auto gone = decoder->gone(root, metadata);
    if (!gone || gone->empty() ||
        (!std::holds_alternative<model::TopologyGone>(gone->front()) &&
         !std::holds_alternative<model::DomainGone>(gone->front()))) {
        return std::nullopt;
    }
    auto seen = decoder->read(root, metadata);
    if (!seen)
        return std::nullopt;
    std::string problem = untitled(*decoder, metadata, fault);
    if (auto* topology = std::get_if<model::TopologySeen>(&seen->front())) {
        topology->topology.problem = std::move(problem);
    } else {
        std::get<model::DomainSeen>(seen->front()).domain.problem = std::move(problem);
    }
    return std::move(seen->front());
}

base::Result<Events> decode_noting(const Value& object, Change change, const Reading& reading, FieldFault& fault) {
    if (!object.is_object())
        return base::failure(fmt::format("must be an object, not {}", shown(object)));
    const Field root(object, fault);
    const std::string api_version = root.required_text("apiVersion");
    const std::string kind = root.required_text("kind");
    if (fault.found())
        return base::failure(fault.sentence());
    const KindDecoder* decoder = decoder_of(api_version, kind);
    if (decoder == nullptr) {
        return base::failure(fmt::format("kind: {} of {} isn't known", shown(kind), shown(api_version)));
    }
    const Metadata metadata = read_metadata(root, decoder->scope);
    base::Result<Events> events;
    if (!fault.found() && change == Change::gone) {
        events = decoder->gone(root, metadata);
    } else if (!fault.found() && decoder->kind == "Pod") {
        events = pod_seen(root, metadata, reading.unserved);
    } else if (!fault.found() && decoder->kind == "Node") {
        events = node_seen(root, metadata, reading);
    } else if (!fault.found()) {
        events = decoder->read(root, metadata);
    }
    if (fault.found())
        return base::failure(fmt::format("{}: {}", title(*decoder, metadata), fault.sentence()));
    return events;
}

}  // namespace

bool is_known_kind(std::string_view api_version, std::string_view kind) {
    return decoder_of(api_version, kind) != nullptr;
}

std::vector<std::string> known_kinds() {
    std::vector<std::string> kinds;
    for (const KindDecoder& decoder : decoders)
        kinds.push_back(fmt::format("{}.{}", decoder.kind, decoder.group));
    return kinds;
}

base::Result<std::vector<model::Event>> decode(const Value& object, Change change, const Reading& reading) {
    FieldFault fault(reading.limits);
    return decode_noting(object, change, reading, fault);
}

std::optional<model::Event> event_of_unreadable(const nlohmann::json& object, const base::Error& fault,
                                                const model::Limits& limits) {
    if (!object.is_object())
        return std::nullopt;
    FieldFault ignored(limits);  // Reads what is readable; the fault is known already.
    const Field root(object, ignored);
    const KindDecoder* decoder = decoder_of(root.text("apiVersion"), root.text("kind"));
    if (std::optional<model::Event> faulty = faulty_topology(decoder, root, fault))
        return faulty;
    if (decoder == nullptr || decoder->scope != Scope::namespaced)
        return std::nullopt;
    const Metadata metadata = read_metadata(root, decoder->scope);
    // The deletion will find the object by its name alone, so the name must be valid.
    FieldFault unnamed;
    const nlohmann::json identity = {{"metadata", {{"name", metadata.name}, {"namespace", metadata.ns}}}};
    static_cast<void>(read_metadata(Field(identity, unnamed), decoder->scope));
    if (unnamed.found())
        return std::nullopt;
    base::Result<Events> events = decoder->read(root, metadata);
    if (!events || events->size() != 1)
        return std::nullopt;
    model::Event& event = events->front();
    if (auto* seen = std::get_if<model::GroupSeen>(&event)) {
        seen->group.problem = untitled(*decoder, metadata, fault);
        return event;
    }
    if (auto* seen = std::get_if<model::GroupSetSeen>(&event)) {
        auto& declared = seen->set.groups.empty() ? seen->set.shared : seen->set.groups;
        for (model::Group& group : declared) {
            if (!group.parent)  // The root, or one of several gangs.
                group.problem = untitled(*decoder, metadata, fault);
        }
        return declared.empty() ? std::nullopt : std::optional(event);
    }
    const auto* pod = std::get_if<model::PodSeen>(&event);
    const bool takes_room = pod != nullptr && !pod->pod.node.empty();
    return takes_room || std::holds_alternative<model::PodGone>(event) ? std::optional(event) : std::nullopt;
}

std::optional<model::Event> event_of_excess(const Value& object, const base::Error& fault, const Reading& reading) {
    FieldFault others(reading.limits);
    others.tolerate(FieldFault::Tolerance::excess);
    if (!decode_noting(object, Change::seen, reading, others) || others.excess().empty())
        return std::nullopt;
    std::optional<model::Event> event = event_of_unreadable(object.tree(), fault, reading.limits);
    const bool is_group = event && (std::holds_alternative<model::GroupSeen>(*event) ||
                                    std::holds_alternative<model::GroupSetSeen>(*event));
    return is_group ? std::move(event) : std::nullopt;
}

}  // namespace echelon::kube
