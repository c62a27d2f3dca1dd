// Seats on room that victims still use: how much room do other gangs see on such a node? (P3)

#include "engine/reserve/ledger.hpp"
#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

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
        victim.shape.requests = {{gpu, used}};
        static_cast<void>(cluster.apply(model::PodSeen{victim}));
        model::Pod member;  // Snapshots have the resources that members ask for.
        member.uid = member.name = "member";
        member.ns = "default";
        member.scheduler_name = "default-scheduler";
        member.shape.requests = {{gpu, 1}};
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

}  // namespace
}  // namespace echelon::engine
