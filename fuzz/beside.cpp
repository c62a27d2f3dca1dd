#include "fuzz/beside.hpp"

#include "fuzz/sentence.hpp"
#include "kube/decode.hpp"
#include "kube/manifests.hpp"
#include "kube/topology/topograph.hpp"
#include "model/cluster/cluster.hpp"
#include "solver/solve.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace echelon::fuzz {
namespace {

using nlohmann::json;
using Events = std::vector<model::Event>;

constexpr solver::SolveOptions budget{.steps = 200};

// A gang that names a group, a gang by labels, and the objects that they need. Their names contain `sane_mark`; no
// other name does.
constexpr std::string_view sane_text = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: sane-0, uid: sane-n0, labels: {sane.example.com/rack: sane-r0}}, status: {allocatable: {cpu: "64", pods: "110"}}}
- {apiVersion: v1, kind: Node, metadata: {name: sane-1, uid: sane-n1, labels: {sane.example.com/rack: sane-r0}}, status: {allocatable: {cpu: "64", pods: "110"}}}
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: sane, uid: sane-t}, spec: {levels: [{nodeLabel: sane.example.com/rack}]}}
- {apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, metadata: {name: sane, uid: sane-g}, spec: {schedulingPolicy: {gang: {minCount: 2}}, schedulingConstraints: {topology: [{key: sane.example.com/rack}]}}}
- {apiVersion: v1, kind: Pod, metadata: {name: sane-a, uid: sane-a}, spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: sane}, containers: [{name: main, resources: {requests: {cpu: "1"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: sane-b, uid: sane-b}, spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: sane}, containers: [{name: main, resources: {requests: {cpu: "1"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: sane-c, uid: sane-c, labels: {echelon.sh/gang: sane-labels}, annotations: {echelon.sh/gang-minimum: "1"}}, spec: {schedulerName: default-scheduler, containers: [{name: main, resources: {requests: {cpu: "1"}}}]}}
)";

const kube::TopographSource source{.name = "odd", .source = model::TopologySource::object, .file = {}};

// Keeps the first fault.
void note(std::string& broken, std::string_view sentence) {
    if (broken.empty())
        broken = sentence_fault(sentence);
}

// The events of an object that the watch delivers.
Events coming(const json& object, std::string& broken) {
    if (kube::is_topograph(object)) {
        auto topology_events = kube::read_topograph(object, source);
        if (!topology_events)
            note(broken, topology_events.error().sentence);
        return topology_events ? std::move(*topology_events) : kube::faulty_topograph(source, topology_events.error());
    }
    auto events = kube::decode(object, kube::Change::seen);
    if (events)
        return std::move(*events);
    note(broken, events.error().sentence);
    Events instead;
    if (auto event = kube::event_of_unreadable(object, events.error()))
        instead.push_back(std::move(*event));
    return instead;
}

Events going(const json& object, std::string& /*broken*/) {
    if (kube::is_topograph(object))
        return kube::topograph_gone(source);
    auto events = kube::decode(object, kube::Change::gone);
    return events ? std::move(*events) : Events{};
}

// All fields of a gang as text, with names in place of numbers.
std::string written(const model::Gang& gang, const model::Snapshot& snapshot) {
    std::string out = fmt::format("{} {} {} {}\n", gang.root.kind, gang.name(), gang.priority, gang.created);
    for (const model::GangGroup& group : gang.groups) {
        out += fmt::format("  {} {} {} {}", group.key.kind, group.key.name, group.minimum, group.is_leaf);
        for (const model::LevelRef level : group.required)
            out += " requires " + snapshot.trees[level.tree].keys[level.depth];
        out += '\n';
    }
    for (const model::Member& member : gang.members)
        out += fmt::format("  {}\n", member.pod);
    if (gang.problem)
        out += gang.problem->sentence + "\n";
    const solver::Answer answer = solver::solve(snapshot, gang, budget);
    return out + (std::holds_alternative<solver::Plan>(answer) ? "  placed\n" : "  refused\n");
}

// The sane gangs as text; other gangs must only be readable.
std::string reading(const model::Cluster& cluster, std::string& broken) {
    const model::Snapshot snapshot = cluster.snapshot();
    std::string out;
    for (const model::GroupKey& root : cluster.roots()) {
        const model::Gang gang = cluster.gang(root, snapshot);
        if (root.name.str().contains(sane_mark)) {
            out += written(gang, snapshot);
        } else if (gang.problem) {
            note(broken, gang.problem->sentence);
        }
    }
    for (const std::string& fault : cluster.topology_faults())
        note(broken, fault);
    return out;
}

void take_in(model::Cluster& cluster, const Events& events) {
    for (const model::Event& event : events)
        static_cast<void>(cluster.apply(event));
}

Events all_of(const std::vector<json>& objects, Events (*of)(const json&, std::string&), std::string& broken) {
    Events out;
    for (const json& object : objects)
        std::ranges::move(of(object, broken), std::back_inserter(out));
    return out;
}

}  // namespace

std::string beside_sane_gangs(const std::vector<json>& objects) {
    const auto sane = kube::read_manifest_text(sane_text, "sane")->events;
    std::string broken;
    const Events odd = all_of(objects, coming, broken);
    const auto fresh = [] { return model::Cluster(model::Profiles{{"default-scheduler", {}}}); };

    model::Cluster alone = fresh();
    take_in(alone, sane);
    const std::string expected = reading(alone, broken);
    model::Cluster before = fresh();
    take_in(before, odd);
    take_in(before, sane);
    if (const std::string found = reading(before, broken); found != expected)
        return fmt::format("read before, it changes others:\n{}----\n{}", expected, found);
    take_in(alone, odd);
    if (const std::string found = reading(alone, broken); found != expected)
        return fmt::format("read afterwards, it changes others:\n{}----\n{}", expected, found);
    take_in(alone, all_of(objects, going, broken));
    if (const std::string found = reading(alone, broken); found != expected)
        return fmt::format("gone, it has changed others:\n{}----\n{}", expected, found);
    return broken;
}

}  // namespace echelon::fuzz
