// Seats on room that victims still use: how much room do others see on such a node? (P3)

#include "engine/reserve/ledger.hpp"
#include "model/cluster/cluster.hpp"
#include "unit-tests/engine/support/clearing_world.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

constexpr const char* gpu = "nvidia.com/gpu";
const model::GroupKey top{"podgroup", "default/top"};

// One node of eight GPUs, of which a victim uses some.
struct Scene {
    explicit Scene(std::int64_t used) {
        model::Node node;
        node.name = "n";
        node.allocatable = {{gpu, 8}, {"pods", 10}};
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
        model::Pod victim;
        victim.uid = victim.name = "victim";
        victim.ns = "default";
        victim.node = "n";
        victim.pod_class.requests = {{gpu, used}};
        static_cast<void>(cluster.apply(model::PodSeen{victim}));
        model::Pod member;  // Snapshots have the resources that members ask for.
        member.uid = member.name = "member";
        member.ns = "default";
        member.scheduler_name = "default-scheduler";
        member.pod_class.requests = {{gpu, 1}};
        member.membership = model::Membership{top, {}, -1, ""};
        static_cast<void>(cluster.apply(model::PodSeen{member}));
    }
    [[nodiscard]] std::int64_t left(const model::GroupKey* opened = nullptr) const {
        auto snapshot = cluster.snapshot();
        ledger.apply(snapshot);
        if (opened != nullptr)
            ledger.give_back(snapshot, *opened);
        const auto at = std::ranges::find(snapshot.resources, gpu) - snapshot.resources.begin();
        return snapshot.room.at(static_cast<std::size_t>(at)).at(*snapshot.node("n"));
    }

    model::Cluster cluster{model::Profiles{{"default-scheduler", {}}}, model::Limits{}};
    Ledger ledger;
};

TEST_CASE("others see the room that is left both now and once the victims are gone (P3)") {
    struct Row {
        std::int64_t used;     // By the victim.
        std::int64_t seat;     // Of the gang that waits for it.
        std::int64_t leaving;  // The less of both.
        std::int64_t left;
    };
    for (const auto& row : {Row{8, 8, 8, 0}, Row{8, 4, 4, 0}, Row{4, 8, 4, 0}, Row{4, 4, 4, 4}, Row{2, 4, 2, 4}}) {
        CAPTURE(row.used);
        CAPTURE(row.seat);
        Scene scene(row.used);
        scene.ledger.put("u", {"n", {{gpu, row.seat}}, top});
        scene.ledger.set_leaving(top, {{"n", {{gpu, row.leaving}}}});
        CHECK(scene.left() == row.left);
        CHECK(scene.left(&top) == 8 - row.used);
        CHECK(scene.ledger.taken_on("n", gpu) == row.seat - row.leaving);
        CHECK(scene.ledger.held_by(top).at("n").of(gpu) == row.seat);
        scene.ledger.set_leaving(top, {});
        CHECK(scene.left() == 8 - row.used - row.seat);
    }
}

// True if the pod of no gang may go to the only host, by filter and by bind alike.
bool is_let_in(test::Rig& rig, std::int64_t gpus, std::int64_t priority = 0) {
    const std::string node = "b0-r0-h00";
    const auto name = fmt::format("plain-{}-{}", gpus, priority);
    rig.pod(name, "", false, gpus);
    rig.change_pod(name, [&](model::Pod& pod) { pod.priority = priority; });
    rig.advance(Time{100});
    const model::PlainPod plain{.requests = rig.pod_of(name).pod_class.requests, .priority = priority};
    const auto published = rig.engine.published();
    const auto* promises = published->promises.on(node);
    const bool is_offered = promises == nullptr || !promises->room->keep_out(plain, Protection::promised, rig.now);
    static_cast<void>(rig.filter(name, {node}));
    const auto call = rig.bind(name, node);
    rig.settle();
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(rig.answer(call)->error.empty() == is_offered);
    return is_offered;
}

TEST_CASE("a plain pod gets the room that is left both now and once the victims are gone (P3, PR1)") {
    struct Row {
        std::int64_t used;  // By the victim, of 8.
        std::int64_t seat;  // Of the gang that waits for it.
        std::int64_t left;
    };
    for (const auto& row : {Row{4, 6, 2}, Row{6, 4, 2}, Row{3, 6, 2}, Row{8, 4, 0}, Row{4, 8, 0}}) {
        CAPTURE(row.used);
        CAPTURE(row.seat);
        test::Rig rig(test::preempting());
        rig.fabric(1, 1, 1);
        rig.synced();
        REQUIRE(is_let_in(rig, row.used));
        rig.gang({"top", 1, {}, 100, 2});
        rig.pod("top-0", "top", true, row.seat);
        rig.advance(Time{1000});
        REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
        CHECK_FALSE(is_let_in(rig, row.left + 1));
        if (row.left > 0) {
            CHECK(is_let_in(rig, row.left, 99));
            CHECK_FALSE(is_let_in(rig, 1));
        }
        rig.finish_evicted();
        rig.live(5);
        CHECK(rig.bound().contains("top-0"));
    }
}

}  // namespace
}  // namespace echelon::engine
