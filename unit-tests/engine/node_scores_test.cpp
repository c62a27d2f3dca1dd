// Scores of nodes for plain pods of profiles with `scores: pack` (SC1 to SC4).

#include "engine/publish/node_scores.hpp"

#include "engine/plain/node_scorer.hpp"
#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

Options packing() {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].packs = true;
    return options;
}

// The score of a node for a pod like this one; -1: there is none.
int score(Rig& rig, const std::string& pod, const std::string& node) {
    const auto published = rig.engine.published();
    const auto* scores = published->scores ? published->scores->of(rig.pod_of(pod).pod_class.requests) : nullptr;
    return scores == nullptr ? -1 : published->scores->score(*scores, name_hash(node));
}

void put(Rig& rig, const std::string& name, const std::string& node, std::int64_t gpus) {
    rig.pod(name, "", false, gpus);
    rig.change_pod(name, [&](model::Pod& pod) { pod.node = node; });
}

// Two racks of two hosts; a pod of 4 runs on the first host.
void two_racks(Rig& rig) {
    rig.fabric(1, 2, 2);
    put(rig, "runs", "b0-r0-h00", 4);
    rig.synced();
}

TEST_CASE("a used host comes before another host in the rack, and that before a whole rack (SC3)") {
    Rig rig(packing());
    two_racks(rig);
    rig.pod("plain", "", false, 4);
    rig.advance(Time{1000});
    const int used = score(rig, "plain", "b0-r0-h00");
    const int beside = score(rig, "plain", "b0-r0-h01");
    const int whole = score(rig, "plain", "b0-r1-h00");
    CHECK(used == 10);
    CHECK(used > beside);
    CHECK(beside > whole);
    CHECK(whole > 0);
    CHECK(score(rig, "plain", "b0-r1-h01") == whole);
    CHECK(score(rig, "plain", "unknown") == 0);
}

TEST_CASE("promised room scores nothing, and its rack is not whole any more (SC3)") {
    Rig rig(packing());
    two_racks(rig);
    rig.gang({"train", 1, test::rack_key});
    rig.pod("train-0", "train", true, 8);
    rig.pod("plain", "", false, 4);
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-0").node;
    REQUIRE(!seat.empty());
    CHECK(score(rig, "plain", seat) == 0);
    if (seat.starts_with("b0-r1"))
        CHECK(score(rig, "plain", seat == "b0-r1-h00" ? "b0-r1-h01" : "b0-r1-h00") >= 6);
}

TEST_CASE("pods of DaemonSets leave their rack whole, and pods that are never evicted don't (SC3)") {
    for (const bool is_of_node : {true, false}) {
        CAPTURE(is_of_node);
        Rig rig(packing());
        two_racks(rig);
        rig.pod("agent", "", false, 0);
        rig.change_pod("agent", [is_of_node](model::Pod& pod) {
            pod.node = "b0-r1-h00";
            pod.is_protected = true;
            pod.is_of_node = is_of_node;
        });
        rig.pod("plain", "", false, 4);
        rig.advance(Time{1000});
        CHECK((score(rig, "plain", "b0-r1-h00") < 6) == is_of_node);
        CHECK(score(rig, "plain", "b0-r0-h01") >= 6);
    }
}

TEST_CASE("whole racks of every family of labels score below used ones (SC3)") {
    Rig rig(packing());
    two_racks(rig);
    for (const char* rack : {"s0", "s1"}) {
        for (int host = 0; host < 2; ++host) {
            const auto name = fmt::format("{}-h{}", rack, host);
            rig.node(name, "b0", "r0");
            rig.change_node(name, [&](model::Node& node) {
                node.labels = {{"cloud.google.com/gce-topology-block", "gb"},
                               {"cloud.google.com/gce-topology-subblock", rack},
                               {"kubernetes.io/hostname", name}};
            });
        }
    }
    put(rig, "also-runs", "s0-h0", 4);
    rig.pod("plain", "", false, 8);
    rig.advance(Time{1000});
    for (const char* node : {"b0-r0-h01", "s0-h1"})
        CHECK(score(rig, "plain", node) >= 6);
    for (const char* node : {"b0-r1-h00", "b0-r1-h01", "s1-h0", "s1-h1"}) {
        CAPTURE(node);
        CHECK(score(rig, "plain", node) == 5);
    }
}

TEST_CASE("a label that each node has to itself makes no racks of hosts (SC3)") {
    Rig rig(packing());
    two_racks(rig);
    for (const char* name : {"b0-r0-h00", "b0-r0-h01", "b0-r1-h00", "b0-r1-h01"})
        rig.change_node(name, [&](model::Node& node) { node.labels["example.com/own"] = name; });
    rig.gang({"asks", 1, "example.com/own"});
    rig.pod("plain", "", false, 8);
    rig.advance(Time{1000});
    CHECK(score(rig, "plain", "b0-r0-h01") >= 6);
    CHECK(score(rig, "plain", "b0-r1-h00") == 5);
}

// Of the first node exactly three GPUs are free, and pods ask for three or for all eight.
void half_is_free(Rig& rig) {
    put(rig, "half", "b0-r0-h00", 5);
    put(rig, "none", "b0-r0-h01", 0);
    for (int number = 0; number < 20; ++number) {
        for (const std::int64_t gpus : {3, 8})
            rig.pod(fmt::format("asks-{}-{}", gpus, number), "", false, gpus);
    }
}

TEST_CASE("network devices that no pod asks for don't become scarce beside accelerators (SC4)") {
    for (const std::int64_t network_devices : {0, 32}) {
        CAPTURE(network_devices);
        Rig rig(packing());
        rig.fabric(1, 1, 3);
        for (const char* host : {"b0-r0-h00", "b0-r0-h01", "b0-r0-h02"}) {
            rig.change_node(host, [&](model::Node& node) {
                if (network_devices > 0)
                    node.allocatable.set("example.com/nic", network_devices);
            });
        }
        rig.synced();
        half_is_free(rig);
        rig.advance(Time{1000});
        CHECK(score(rig, "asks-3-0", "b0-r0-h00") > score(rig, "asks-3-0", "b0-r0-h01"));
    }
}

// What each node offers of a resource, and what a pod of it requests.
struct AmountRow {
    const char* resource;
    std::int64_t offered;
    std::int64_t requested;
};

// Koordinator counts memory in bytes and cpu in thousandths.
void check_amount(const AmountRow& row) {
    CAPTURE(row.resource);
    Rig rig(packing());
    rig.fabric(1, 1, 3);
    for (const char* host : {"b0-r0-h00", "b0-r0-h01", "b0-r0-h02"})
        rig.change_node(host, [&](model::Node& node) { node.allocatable.set(row.resource, row.offered); });
    rig.synced();
    half_is_free(rig);
    model::Pod batch = rig.pod_of("asks-3-0");
    batch.uid = "uid-batch";
    batch.name = "batch";
    batch.pod_class.requests = {{row.resource, row.requested}, {"pods", 1}};
    rig.step(Observed{model::PodSeen{batch}});
    rig.advance(Time{1000});
    CHECK(score(rig, "asks-3-0", "b0-r0-h00") > score(rig, "asks-3-0", "b0-r0-h01"));
    const auto published = rig.engine.published()->scores;
    const auto* scores = published->of(batch.pod_class.requests);
    REQUIRE(scores != nullptr);
    CHECK(published->score(*scores, name_hash("b0-r0-h00")) > published->score(*scores, name_hash("b0-r0-h02")));
    CHECK(published->score(*scores, name_hash("b0-r0-h02")) > 0);
}

TEST_CASE(
    "a resource in bytes, thousandths or plenty isn't scarce beside accelerators, and its pods are scored (SC4)") {
    check_amount({"kubernetes.io/batch-memory", 1LL << 38, 1LL << 33});
    check_amount({"nvidia.com/gpu.shared", 4000, 500});
    check_amount({"devices.kubevirt.io/kvm", 1000, 1});
}

TEST_CASE("room that a pod's resize in place frees is scored (SC2)") {
    Rig rig(packing());
    two_racks(rig);
    put(rig, "large", "b0-r0-h01", 8);
    rig.pod("plain", "", false, 4);
    rig.advance(Time{1000});
    REQUIRE(score(rig, "plain", "b0-r0-h01") == 0);
    rig.change_pod("large", [](model::Pod& pod) { pod.pod_class.requests.set(test::gpu, 4); });
    rig.advance(Time{1000});
    CHECK(score(rig, "plain", "b0-r0-h01") > 0);
}

TEST_CASE("scores follow the room, and are made at most every 100 ms (SC2)") {
    Rig rig(packing());
    two_racks(rig);
    rig.pod("plain", "", false, 4);
    rig.advance(Time{1000});
    const auto before = rig.engine.published()->scores;
    rig.advance(Time{10'000});
    CHECK(rig.engine.published()->scores == before);  // Nothing has changed.
    put(rig, "first", "b0-r1-h00", 4);
    const auto after_first = rig.engine.published()->scores;
    CHECK(after_first != before);
    put(rig, "second", "b0-r1-h01", 8);
    CHECK(rig.engine.published()->scores == after_first);
    rig.advance(Time{100});
    CHECK(rig.engine.published()->scores != after_first);
    CHECK(score(rig, "plain", "b0-r1-h00") == 10);
    CHECK(score(rig, "plain", "b0-r1-h01") == 0);
}

TEST_CASE("a pod that asks for nothing scarce goes where least of that is free (SC4)") {
    Rig rig(packing());
    two_racks(rig);
    rig.node("cpu-only", "b0", "r0", 0);
    put(rig, "small", "cpu-only", 0);
    rig.pod("plain", "", false, 0);
    rig.advance(Time{1000});
    CHECK(score(rig, "plain", "cpu-only") == 10);
    CHECK(score(rig, "plain", "b0-r0-h00") < 10);
}

TEST_CASE("nothing is scored where no profile asks for it (SC1)") {
    Rig rig;
    two_racks(rig);
    rig.pod("plain", "", false, 4);
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->scores == nullptr);
}

TEST_CASE("more nodes than one look can judge are scored soon (SC2)") {
    Rig rig(packing());
    for (int i = 0; i < 600; ++i) {
        rig.node(fmt::format("n{}", i), "b0", fmt::format("r{}", i / 8));
        put(rig, fmt::format("runs-{}", i), fmt::format("n{}", i), 0);
        rig.change_pod(fmt::format("runs-{}", i), [&](model::Pod& pod) { pod.pod_class.requests.set("cpu", 100 * i); });
    }
    rig.synced();
    rig.pod("plain", "", false, 4);
    rig.advance(Time{5000});
    CHECK(score(rig, "plain", "n0") > 0);
    CHECK(score(rig, "plain", "n599") > 0);
}

// A scorer without the rest of the engine: three nodes with 8, 5 and 3 free GPUs.
struct Scorer {
    Scorer() {
        facts.options.profiles["default-scheduler"].packs = true;
        for (const auto gpus : {8, 5, 3}) {
            model::Node node;
            node.name = fmt::format("n{}", gpus);
            node.allocatable = {{"cpu", 64'000}, {"example.com/gpu", gpus}, {"pods", 110}};
            static_cast<void>(facts.cluster.apply(model::NodeSeen{node}));
        }
    }
    // A new pod, which the cluster doesn't keep: it takes no room.
    void see(std::int64_t gpus, std::int64_t cpu) {
        model::Pod pod;
        pod.uid = pod.name = "plain";
        pod.ns = "default";
        pod.scheduler_name = "default-scheduler";
        pod.pod_class.requests = requests(gpus, cpu);
        scorer.note(model::PodSeen{.pod = std::move(pod)});
    }
    // Many sets of requests that take turns.
    void see_many_pod_classes(int pods) {
        for (int i = 0; i < pods; ++i)
            see(1 + i % 2, 1 + i % 40);
    }
    static model::Amounts requests(std::int64_t gpus, std::int64_t cpu) {
        return {{"cpu", cpu}, {"example.com/gpu", gpus}, {"pods", 1}};
    }
    [[nodiscard]] std::vector<std::uint8_t> scores(std::int64_t gpus, std::int64_t cpu) {
        for (int i = 0; i < 20; ++i) {
            facts.now += Time{100};
            static_cast<void>(scorer.refresh());
        }
        const auto published = scorer.publish();
        const auto* found = published ? published->of(requests(gpus, cpu)) : nullptr;
        return found == nullptr ? std::vector<std::uint8_t>{} : *found;
    }

    Facts facts{.options = Rig::default_options(), .cluster = model::Cluster({}, {}), .now = Time{0}, .unsynced = {}};
    Ledger ledger;
    Gangs gangs;
    DomainReservations reservations;
    NodeRoom room{facts, ledger};
    PromisedNodes promised{facts, gangs, ledger, reservations};
    NodeScorer scorer{facts, ledger, room, promised};
};

constexpr std::size_t window = 8192;  // Pods that the scorer remembers.
constexpr std::size_t most_classes = 32;

TEST_CASE("many sets of requests in turn don't take more and more memory (SC4)") {
    Scorer many;
    many.see_many_pod_classes(80);
    // No class is counted under the number of another one that the window still has.
    CHECK(many.scorer.window().counts() == std::vector<std::uint64_t>(80, 1));
    many.see_many_pod_classes(50'000);
    CHECK(many.scorer.window().counts().size() <= window + most_classes + 1);
    // The scores of all classes are dropped and learnt anew when the settings change.
    for (int round = 0; round < 3; ++round) {
        many.facts.options.profiles["default-scheduler"].packs = false;
        static_cast<void>(many.scores(1, 1));
        many.facts.options.profiles["default-scheduler"].packs = true;
        many.see_many_pod_classes(10'000);
    }
    CHECK(many.scorer.window().counts().size() <= window + most_classes + 1);
}

TEST_CASE("scores follow from the requests in the window alone, whatever came before (SC4)") {
    Scorer fresh;
    Scorer old;
    old.see_many_pod_classes(20'000);
    static_cast<void>(old.scores(1, 1));
    for (std::size_t i = 0; i < window; ++i) {
        for (auto* scorer : {&fresh, &old})
            scorer->see(i % 4 == 0 ? 3 : 5, 100);
    }
    const auto counted = [](const Scorer& scorer) {
        auto counts = scorer.scorer.window().counts();
        std::erase(counts, 0U);
        std::ranges::sort(counts);
        return counts;
    };
    CHECK(counted(fresh) == std::vector<std::uint64_t>{window / 4, window - window / 4});
    CHECK(counted(old) == counted(fresh));
    const auto scores = fresh.scores(3, 100);
    REQUIRE(scores.size() == 3);
    CHECK(old.scores(3, 100) == scores);
    CHECK(old.scores(5, 100) == fresh.scores(5, 100));
}

}  // namespace
}  // namespace echelon::engine
