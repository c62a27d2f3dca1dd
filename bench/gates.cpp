// How many instructions does each hot path take? Run by `./dev gates` under callgrind, which counts nothing outside of
// `measured` and writes one dump for each case. By itself it only runs the cases, each of which must do what it says.

#include "bench/gang_life.hpp"
#include "bench/model_cases.hpp"
#include "bench/promised_nodes.hpp"
#include "engine/publish/node_scores.hpp"
#include "kube/core/plain_pod.hpp"
#include "kube/decode.hpp"
#include "server/extender/extender_args.hpp"
#include "server/extender/verbs.hpp"
#include "server/http/request.hpp"
#include "solver/violations.hpp"
#include "unit-tests/engine/support/rig.hpp"
#include "unit-tests/solver/support/hard_gangs.hpp"
#include "unit-tests/solver/support/solver_cases.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <valgrind/callgrind.h>

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t nodes = 5'000;
constexpr std::size_t large_request = 100'000;  // Bytes. A larger one would be mapped apart.
constexpr std::uint32_t known = 6'000;          // Pods; no hash table grows for the next few.

void require(bool holds, const std::string& name) {
    if (holds)
        return;
    fmt::print(stderr, "gates: {}: doesn't do what is measured\n", name);
    std::exit(1);
}

// `run(0)` warms caches; `run(1)` counts.
template <typename Run>
[[gnu::noinline]] void measured(const std::string& name, const Run& run) {
    run(0);
    // Otherwise the allocator tidies up at any time, inside or outside of the measurement: it merges what is free, and
    // at the next large request sorts it.
    malloc_trim(0);
    std::free(std::malloc(large_request));
    CALLGRIND_START_INSTRUMENTATION;
    run(1);
    CALLGRIND_STOP_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS_AT(name.c_str());
}

void solve_case(const std::string& name, model::Gang (*make)(model::Snapshot&), bool is_placed) {
    model::Snapshot snapshot = cluster(nodes, !is_placed);
    const model::Gang gang = make(snapshot);
    solver::Answer answer;
    measured(name, [&](int) { answer = solver::solve(snapshot, gang); });
    const auto* plan = std::get_if<solver::Plan>(&answer);
    require((plan != nullptr) == is_placed, name);
    require(plan != nullptr ? solver::violations(snapshot, gang, *plan).empty()
                            : std::get<solver::Refusal>(answer).is_proved(),
            name);
}

void solver_cases() {
    const model::Snapshot snapshot = cluster(nodes, false);
    std::int64_t best = 0;
    measured("reference-scan", [&](int) { best += scan(snapshot); });
    require(best > 0, "reference-scan");
    const auto in_rack = [](model::Snapshot& s) { return identical(s, 32, rack); };
    const auto in_block = [](model::Snapshot& s) { return identical(s, 512, block); };
    solve_case("solve-32-in-a-rack", in_rack, true);
    solve_case("solve-512-in-a-block", in_block, true);
    solve_case("solve-1000-in-6-groups", gang_of_gangs, true);
    solve_case("solve-64-mixed-in-8-groups", mixed, true);
    solve_case("refuse-identical", in_rack, false);
    solve_case("refuse-gang-of-gangs", gang_of_gangs, false);
    solve_case("refuse-mixed", mixed, false);
}

// A fixed number of steps for three hard gangs: the cost of a step where it is highest (BD4).
void hard_gang_cases() {
    constexpr std::uint64_t budget = 5'000;
    for (const HardGang& hard : hard_gangs()) {
        if (hard.name != "rack-72-of-24-sizes" && hard.name != "racks-24-leaves" && hard.name != "multiples-leaves")
            continue;
        model::Snapshot snapshot = half_full(nodes, 1);
        const model::Gang gang = hard_gang(snapshot, hard, 1);
        solver::Answer answer;
        measured("5000-steps-of-" + hard.name, [&](int) { answer = solver::solve(snapshot, gang, {.steps = budget}); });
        const auto* refusal = std::get_if<solver::Refusal>(&answer);
        require(refusal != nullptr && refusal->steps >= budget && refusal->steps < budget + 100, hard.name);
    }
}

// Applies one event after another; the first ones only warm up caches.
void event_case(const std::string& name, model::Cluster& cluster, model::Event (*make)(std::uint32_t)) {
    constexpr std::uint32_t events = 64;
    std::vector<model::Event> row;
    for (std::uint32_t number = 0; number < 2 * events; ++number)
        row.push_back(make(number));
    measured(name, [&](int round) {
        for (std::uint32_t number = 0; number < events; ++number)
            static_cast<void>(cluster.apply(row[static_cast<std::uint32_t>(round) * events + number]));
    });
}

void model_cases() {
    model::Cluster cluster = cluster_of(nodes, known);
    event_case("64-new-pods", cluster,
               [](std::uint32_t number) -> model::Event { return model::PodSeen{pod_number(known + number, nodes)}; });
    require(cluster.pod_count() == known + 128, "64-new-pods");
    event_case("64-repeated-pods", cluster,
               [](std::uint32_t number) -> model::Event { return model::PodSeen{pod_number(number, nodes)}; });
    event_case("64-gone-pods", cluster, [](std::uint32_t number) -> model::Event {
        return model::PodGone{pod_number(known + number, nodes).uid.str()};
    });
    require(cluster.pod_count() == known, "64-gone-pods");
    event_case("64-changed-nodes", cluster, [](std::uint32_t number) -> model::Event {
        model::Node node = node_number(number);
        node.unschedulable = true;
        return model::NodeSeen{node};
    });
    require(!cluster.node(node_number(100).name)->is_usable(), "64-changed-nodes");
    event_case("64-repeated-nodes", cluster,
               [](std::uint32_t number) -> model::Event { return model::NodeSeen{node_number(500 + number)}; });
    std::size_t count = 0;
    measured("snapshot", [&](int) { count = cluster.snapshot().node_count(); });
    require(count == nodes, "snapshot");
    model::Snapshot copy;
    static_cast<void>(cluster.renew(copy));
    measured("snapshot-renewed", [&](int round) {
        static_cast<void>(cluster.apply(model::PodSeen{pod_number(known + static_cast<std::uint32_t>(round), nodes)}));
        count = cluster.renew(copy).nodes.size();
    });
    require(count == 1, "snapshot-renewed");
    measured("one-node-comes", [&](int round) {
        model::Node node = node_number(nodes + static_cast<std::uint32_t>(round));
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
        static_cast<void>(cluster.resolve());
    });
    require(cluster.node_count() == nodes + 2, "one-node-comes");
    measured("one-node-goes", [&](int round) {
        static_cast<void>(cluster.apply(model::NodeGone{node_number(100 + static_cast<std::uint32_t>(round)).name}));
        static_cast<void>(cluster.resolve());
    });
    require(cluster.node_count() == nodes, "one-node-goes");
    static_cast<void>(cluster.renew(copy));
    bool is_copied_whole = true;
    measured("one-node-leaves-the-copy", [&](int round) {
        static_cast<void>(cluster.apply(model::NodeGone{node_number(200 + static_cast<std::uint32_t>(round)).name}));
        is_copied_whole = cluster.renew(copy).is_all;
    });
    require(!is_copied_whole && copy.node_count() == nodes - 2, "one-node-leaves-the-copy");
}

void filter_case() {
    std::string body =
        R"({"Pod":{"metadata":{"name":"p","namespace":"ns","uid":"u-1"},"spec":{}},"Nodes":null,"NodeNames":[)";
    for (std::uint32_t number = 0; number < nodes; ++number)
        body += (number == 0 ? "\"" : ",\"") + node_number(number).name + '"';
    body += "]}";
    body.reserve(body.size() + server::body_padding);
    std::uint32_t names = 0;
    measured("filter-body-of-5000-names", [&](int) {
        const auto read =
            server::parse_filter_args(body, [](const server::PodFacts&) { return node_number(4'999).name; });
        names = read && read->is_planned_node_offered ? read->count : 0;
    });
    require(names == nodes, "filter-body-of-5000-names");
}

server::Backend callbacks_for(const std::shared_ptr<engine::PublishedState>& published) {
    server::Backend callbacks;
    callbacks.published = [published] { return published; };
    callbacks.push_input = [](const engine::Input&) {};
    callbacks.is_ours = [](std::string_view) { return true; };
    callbacks.named_gang = [](std::string_view) { return std::nullopt; };
    callbacks.protection = [](std::string_view) { return engine::Protection::promised; };
    callbacks.packs = [](std::string_view) { return true; };
    callbacks.plain_pod = [](std::string_view pod) { return kube::read_plain_pod(pod); };
    callbacks.now = [] { return engine::Time{0}; };
    return callbacks;
}

// The arguments of a call for a pod of no gang, with the names of all nodes.
std::string plain_pod_body() {
    std::string body =
        R"({"Pod":{"metadata":{"name":"p","namespace":"ns","uid":"u-1"},"spec":{"containers":[{"resources":)"
        R"({"requests":{"cpu":"4"}}}]}},"Nodes":null,"NodeNames":[)";
    for (std::uint32_t number = 0; number < nodes; ++number)
        body += (number == 0 ? "\"" : ",\"") + node_number(number).name + '"';
    body += "]}";
    body.reserve(body.size() + server::body_padding);
    return body;
}

// A plain pod, the first of 5,000 nodes being promised to a gang, or half of them (PR4).
void plain_pod_case(const std::string& name, std::uint32_t promised) {
    std::vector<std::string> names;
    for (std::uint32_t number = 0; number < promised; ++number)
        names.push_back(node_number(2 * number).name);
    const auto published = std::make_shared<engine::PublishedState>();
    published->promises = promises_on(names, 1);
    const auto callbacks = callbacks_for(published);
    const auto body = plain_pod_body();
    const server::Verbs verbs(callbacks);
    server::VerbAnswer spoken;
    measured(name, [&](int) { spoken = verbs.filter(body); });
    require(spoken.body.contains(R"("FailedAndUnresolvableNodes":{")") == (promised > 0), name);
}

// Every node has a score (SC2).
void prioritize_case() {
    std::vector<std::string> names;
    std::vector<std::uint8_t> scores;
    for (std::uint32_t number = 0; number < nodes; ++number) {
        names.push_back(node_number(number).name);
        scores.push_back(static_cast<std::uint8_t>(number * 7 % 11));
    }
    const auto published = std::make_shared<engine::PublishedState>();
    engine::NodeScores::ByRequests by_requests;
    by_requests[{{"cpu", 4'000}, {"pods", 1}}] = std::make_shared<const std::vector<std::uint8_t>>(std::move(scores));
    published->scores =
        std::make_shared<const engine::NodeScores>(std::make_shared<const engine::NodePlaces>(names), by_requests);
    const auto callbacks = callbacks_for(published);
    const auto body = plain_pod_body();
    const server::Verbs verbs(callbacks);
    server::VerbAnswer spoken;
    measured("prioritize-plain-pod", [&](int) { spoken = verbs.prioritize(body); });
    const auto last = fmt::format(R"({{"Host":"{}","Score":{}}}])", names.back(), (nodes - 1) * 7 % 11);
    require(spoken.body.ends_with(last), "prioritize-plain-pod");
}

void engine_case() {
    engine::test::Rig rig;
    engine::test::gang_of_16(rig);
    rig.synced();
    rig.settle();
    rig.advance(std::chrono::seconds(1));
    const std::string seats[] = {rig.filter("train-0").node, rig.filter("train-1").node};
    std::uint64_t call = 0;
    measured("bind-call-at-the-barrier",
             [&](int round) { call = rig.bind("train-" + std::to_string(round), seats[round]); });
    require(!seats[1].empty() && rig.answer(call) == nullptr, "bind-call-at-the-barrier");
}

// An event of one member must cost the same in a gang of 64 and in one of 4,096. The last member stays away: with it
// the gang is judged as a whole.
void member_cases(int members) {
    const auto group = group_named("train", members);
    GangWorld coming(members);
    coming.see(model::Synced{"all"});
    coming.see(model::GroupSeen{group});
    for (int number = 0; number + 3 < members; ++number)
        coming.come(pod_of(group, number, gpus_of_host));
    const auto comes = fmt::format("one-of-{}-comes", members);
    measured(comes, [&](int round) { coming.come(pod_of(group, members - 3 + round, gpus_of_host)); });
    require(coming.last->verdict(pod_of(group, members - 2, gpus_of_host).uid.str()) != nullptr, comes);

    // The last member stays back: with it the bookkeeping of the whole gang ends, which costs by its size.
    GangWorld world(members);
    world.see(model::Synced{"all"});
    std::set<std::string> last_ones;
    for (int number = members - 3; number < members; ++number)
        last_ones.insert(pod_of(group, number, gpus_of_host).uid.str());
    world.holds_back = [&](const engine::StartWrite& write) {
        const auto* bind = std::get_if<model::BindPod>(&write.what);
        return bind != nullptr && last_ones.contains(bind->pod.uid);
    };
    static_cast<void>(live(world, members, gpus_of_host));
    const auto is_bound = fmt::format("one-of-{}-is-bound", members);
    require(world.held_back.size() == 3, is_bound);
    measured(is_bound, [&](int round) { world.finish(world.held_back[static_cast<std::size_t>(round)]); });
    require(world.last->stats.members_bound == static_cast<std::uint64_t>(members) - 1, is_bound);

    // The gang runs, and members end: the gang is looked at again after each.
    world.pass(engine::Time{2000});
    const auto uid = [&](int round) { return pod_of(group, round, gpus_of_host).uid.str(); };
    measured(fmt::format("one-of-{}-succeeds", members), [&](int round) {
        world.change(uid(round), [](model::Pod& pod) { pod.phase = model::PodPhase::succeeded; });
        world.pass(engine::Time{1000});
    });
    measured(fmt::format("one-of-{}-is-deleted", members), [&](int round) {
        world.change(uid(10 + round), [](model::Pod& pod) { pod.deleting = true; });
        world.pass(engine::Time{1000});
    });
    measured(fmt::format("one-of-{}-goes", members), [&](int round) {
        world.see(model::PodGone{uid(10 + round)});
        world.pass(engine::Time{1000});
    });
}

// A gang of one pod gets its seat, beside others that have theirs: how many there are must not matter.
void crowd_case(int others) {
    GangWorld world(others + 2);
    world.see(model::Synced{"all"});
    const auto come = [&world](const std::string& name) {
        const auto group = group_named(name, 1);
        world.see(model::GroupSeen{group});
        world.come(pod_of(group, 0, gpus_of_host));
    };
    for (int number = 0; number < others; ++number)
        come(fmt::format("other-{}", number));
    world.pass(engine::Time{2000});
    const auto name = fmt::format("gang-beside-{}-others", others);
    measured(name, [&](int round) {
        come(fmt::format("new-{}", round));
        world.pass(engine::Time{20});  // Before the others are tried again.
    });
    require(world.last->stats.held_seats == static_cast<std::uint64_t>(others) + 2, name);
}

// The only group that asks for a level comes, and goes. The level is declared, so the nodes stay where they are.
void level_case() {
    auto group = group_named("asks", 2);
    group.required = {"rack"};
    GangWorld world(4'096);
    world.see(model::Synced{"all"});
    world.take(engine::Ticked{});
    measured("first-asks-for-a-level", [&](int) {
        world.see(model::GroupSeen{group});
        world.see(model::GroupGone{group.key, group.uid});
    });
}

// The step that plans a whole gang: its members are there, and its group comes.
void plan_case() {
    constexpr int members = 2'048;
    const model::Group groups[] = {group_named("first", members), group_named("second", members)};
    GangWorld world(2 * members);
    world.see(model::Synced{"all"});
    for (const auto& group : groups) {
        for (int number = 0; number < members; ++number)
            world.come(pod_of(group, number, gpus_of_host));
    }
    measured("plan-of-2048", [&](int round) {
        world.see(model::GroupSeen{groups[round]});
        world.now += engine::Time{1000};
        world.take(engine::Ticked{});
    });
    require(world.last->stats.held_seats == 2 * members, "plan-of-2048");
}

}  // namespace

int main() {
    solver_cases();
    hard_gang_cases();
    model_cases();
    filter_case();
    plain_pod_case("filter-plain-pod-without-promises", 0);
    plain_pod_case("filter-plain-pod-one-node-promised", 1);
    plain_pod_case("filter-plain-pod-half-promised", nodes / 2);
    prioritize_case();
    engine_case();
    member_cases(64);
    member_cases(4'096);
    crowd_case(16);
    crowd_case(1'024);
    level_case();
    plan_case();
    return 0;
}
