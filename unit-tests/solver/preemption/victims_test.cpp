// Which victims are chosen, rule by rule, on clusters that fit on a screen.

#include "solver/preemption/victims.hpp"

#include "model/facts/usage.hpp"
#include "solver/violations.hpp"
#include "unit-tests/solver/preemption/running.hpp"

#include <algorithm>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::solver::preemption::testing {
namespace {

using solver::testing::add_rack;
using solver::testing::block;
using solver::testing::NodeSpec;
using solver::testing::pods;
using solver::testing::rack;
using solver::testing::WorldBuilder;

// Full hosts of one slot in racks, h0 h1 ... each; the gang wants pods of one slot in one rack.
struct Scene {
    World world;
    model::RunningGangs running;

    Scene(const std::vector<std::int64_t>& hosts_of_racks, std::int64_t wanted, std::int64_t priority = 10)
        : world(make(hosts_of_racks, wanted)) {
        world.gang.priority = priority;
    }

    static World make(const std::vector<std::int64_t>& hosts_of_racks, std::int64_t wanted) {
        std::vector<NodeSpec> nodes;
        for (std::size_t r = 0; r < hosts_of_racks.size(); ++r) {
            add_rack(nodes, "b0", fmt::format("r{}", r), fmt::format("r{}h", r),
                     std::vector<std::int64_t>(static_cast<std::size_t>(hosts_of_racks[r]), 0));
        }
        return WorldBuilder({block, rack}, nodes)
            .with({.name = "g", .minimum = wanted, .pods = {pods(wanted, 1)}, .required = {rack}});
    }

    // A pod that takes the slot of host `number`, in node order.
    static model::RunningPod on(const std::string& name, model::NodeId node, std::int64_t started = 0) {
        return running_pod(name, node, 1, started);
    }

    void add(model::RunningGang gang) { running.gangs.push_back(std::move(gang)); }

    std::string victims(Rules rules = {}) {
        World fresh = world;
        make_room_for(fresh, running);
        const auto answer = choose_victims(fresh.snapshot, fresh.gang, running, rules);
        if (const auto* none = std::get_if<NoEviction>(&answer)) {
            const bool is_over = none->why == NoEviction::Why::out_of_budget;
            return none->why == NoEviction::Why::not_enough ? "not enough" : is_over ? "out of budget" : "not allowed";
        }
        std::string names;
        for (const Victim& victim : std::get<Eviction>(answer).victims) {
            names += (names.empty() ? "" : " ") + victim.pod;
        }
        return names;
    }
};

TEST_CASE("the lowest priority goes first, however many pods that costs (V3)") {
    Scene scene({1, 2}, 1);
    scene.add(plain_pod(Scene::on("high", 0), 5));
    scene.add(running_gang("low", 1, {.minimum = 2, .pods = {Scene::on("low-0", 1), Scene::on("low-1", 2)}}));
    CHECK(scene.victims() == "low-0 low-1");
}

TEST_CASE("extras and plain pods go before a gang falls below its minimum (V3)") {
    Scene scene({1, 2}, 1);
    scene.add(running_gang("small", 1, {.minimum = 1, .pods = {Scene::on("small-0", 0)}}));
    scene.add(running_gang("elastic", 1, {.minimum = 1, .pods = {Scene::on("el-0", 1), Scene::on("el-1", 2)}}));
    CHECK(scene.victims() == "el-0");
}

TEST_CASE("of gangs that all fall, the one with fewer pods goes, then the one that lost less work, then by name (V3)") {
    Scene scene({1, 2}, 1);
    scene.add(running_gang("pair", 1, {.minimum = 2, .pods = {Scene::on("a-0", 1), Scene::on("a-1", 2)}}));
    scene.add(running_gang("one", 1, {.minimum = 1, .pods = {Scene::on("z-0", 0)}}));
    CHECK(scene.victims() == "z-0");

    Scene ages({2}, 1);
    ages.add(plain_pod(Scene::on("old", 0, 100), 1));
    ages.add(plain_pod(Scene::on("young", 1, 200), 1));
    CHECK(ages.victims() == "young");

    Scene names({2}, 1);
    names.add(plain_pod(Scene::on("b", 0, 100), 1));
    names.add(plain_pod(Scene::on("a", 1, 100), 1));
    CHECK(names.victims() == "a");
}

TEST_CASE("nothing of equal or higher priority is evicted, and nothing that is protected (U3)") {
    Scene scene({1}, 1);
    scene.add(plain_pod(Scene::on("equal", 0), 10));
    CHECK(scene.victims() == "not enough");
    Scene kept({1}, 1);
    auto pod = Scene::on("kept", 0);
    pod.is_protected = true;
    kept.add(plain_pod(pod, 1));
    CHECK(kept.victims() == "not enough");
}

TEST_CASE("nothing is evicted for a gang of which kube-scheduler alone judges a part (V1)") {
    Scene scene({1}, 1);
    scene.add(plain_pod(Scene::on("low", 0), 1));
    CHECK(scene.victims() == "low");
    scene.world.gang.left_open = "required topologySpreadConstraints are left to kube-scheduler's own filters";
    CHECK(scene.victims() == "not enough");
}

TEST_CASE("a protected pod protects its whole unit, not the extras beside it (U3)") {
    Scene scene({3}, 1);
    RunningSpec root{.minimum = 2, .pods = {Scene::on("a-0", 0), Scene::on("a-1", 1), Scene::on("a-2", 2)}};
    root.pods[0].is_protected = true;
    scene.add(running_gang("a", 1, root));
    CHECK(scene.victims() == "a-1");
    root.minimum = 3;
    Scene whole({3}, 1);
    whole.add(running_gang("a", 1, root));
    CHECK(whole.victims() == "not enough");
}

TEST_CASE("budgets are judged over the whole set of victims (U3)") {
    Scene scene({2, 2}, 2);
    for (model::NodeId node = 0; node < 4; ++node) {
        auto pod = Scene::on(fmt::format("p{}", node), node);
        if (node < 2) {
            pod.budgets = {0};
        }
        scene.add(plain_pod(pod, node < 2 ? 1 : 2));
    }
    scene.running.budgets = {{.name = "ns/b", .allowed = 2}};
    CHECK(scene.victims() == "p0 p1");
    scene.running.budgets[0].allowed = 1;
    CHECK(scene.victims() == "p2 p3");
    scene.running.gangs.resize(2);
    CHECK(scene.victims() == "not allowed");
}

TEST_CASE("sets of more than the most victims are not considered, and the refusal says so (V3)") {
    Scene scene({2}, 2);
    scene.add(plain_pod(Scene::on("a", 0), 1));
    scene.add(plain_pod(Scene::on("b", 1), 1));
    CHECK(scene.victims() == "a b");
    CHECK(scene.victims({.most_pods = 1}) == "not allowed");

    Scene large({600}, 513);
    for (model::NodeId node = 0; node < 600; ++node) {
        large.add(plain_pod(Scene::on(fmt::format("p{}", node), node), 1));
    }
    CHECK(large.victims() == "not allowed");
    CHECK(large.victims({.most_pods = 513}).starts_with("p"));
}

TEST_CASE("a choice among twelve units that takes too many steps is good instead of exact (V3)") {
    Scene scene({12}, 6);
    for (model::NodeId node = 0; node < 12; ++node) {
        scene.add(plain_pod(Scene::on(fmt::format("p{:02}", node), node, node * 7 % 12), 1));
    }
    CHECK(scene.victims() == "p01 p03 p05 p06 p08 p10");
    const std::string names = scene.victims({.budget = {.steps = 1'500}});
    CHECK(std::ranges::count(names, 'p') == 6);
}

TEST_CASE("the whole tree fits afterwards, in one domain, or no pod is evicted (V1)") {
    Scene scene({1, 1}, 2);  // Two hosts, but in two racks.
    scene.add(plain_pod(Scene::on("a", 0), 1));
    scene.add(plain_pod(Scene::on("b", 1), 1));
    CHECK(scene.victims() == "not enough");
}

TEST_CASE("of many racks the cheapest is cleared, and no more of it than the gang needs (V2, V3)") {
    Scene scene(std::vector<std::int64_t>(6, 8), 4);
    for (model::NodeId node = 0; node < 48; ++node) {
        if (node != 17 && node != 19) {  // Two hosts of the third rack are free.
            scene.add(plain_pod(Scene::on(fmt::format("p{:02}", node), node), 1));
        }
    }
    const std::size_t gpus = scene.world.snapshot.resources[0] == gpu ? 0 : 1;
    scene.world.snapshot.room[gpus][17] = scene.world.snapshot.capacity[gpus][17] = 1;
    scene.world.snapshot.room[gpus][19] = scene.world.snapshot.capacity[gpus][19] = 1;
    CHECK(scene.victims() == "p16 p18");
}

TEST_CASE("one gang over several racks is cheaper than many pods where it frees what is needed (V3)") {
    Scene scene({4, 4, 4}, 4);
    RunningSpec wide{.minimum = 4, .pods = {}};
    for (model::NodeId node = 0; node < 4; ++node) {
        wide.pods.push_back(Scene::on(fmt::format("w-{}", node), node));
    }
    scene.add(running_gang("wide", 1, wide));
    for (model::NodeId node = 4; node < 12; ++node) {
        scene.add(running_gang(fmt::format("s{}", node), 1,
                               {.minimum = 1, .pods = {Scene::on(fmt::format("s-{}", node), node)}}));
    }
    CHECK(scene.victims() == "w-0 w-1 w-2 w-3");
}

TEST_CASE("a pod that asks for more than can be counted makes no room by going (BD3, V1)") {
    constexpr std::int64_t absurd = 4'000'000'000'000'000'000;
    Scene scene({1, 2}, 2);
    const std::size_t gpus = scene.world.snapshot.resources[0] == gpu ? 0 : 1;
    for (const char* name : {"hog-0", "hog-1"}) {
        scene.add(plain_pod(running_pod(name, 0, absurd), 1));
    }
    scene.world.snapshot.room[gpus][0] = model::bounded(-absurd);
    scene.world.snapshot.capacity[gpus][0] = 1 - 2 * absurd;  // The scene adds what both ask for.
    scene.add(plain_pod(Scene::on("low-0", 1), 1));
    scene.add(plain_pod(Scene::on("low-1", 2), 1));
    CHECK(scene.victims() == "low-0 low-1");
}

}  // namespace
}  // namespace echelon::solver::preemption::testing
