// Resources that are overused but not requested, and room that kube-scheduler keeps for a nominated pod.

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

// A resource of which more is taken on the node than there is, as after a device went.
void lack(Rig& rig, const std::string& node) {
    rig.change_node(node, [](model::Node& n) { n.allocatable.set("example.com/fpga", 2); });
    rig.pod("hungry-" + node, "", false, 0);
    rig.change_pod("hungry-" + node, [&](model::Pod& pod) {
        pod.scheduler_name = "other";
        pod.pod_class.requests.set("example.com/fpga", 4);
        pod.node = node;
    });
}

TEST_CASE("a node that lacks a resource nobody requests accepts plain pods beside a committed gang") {
    Rig rig;
    rig.node("n0", "b", "r", 16);
    lack(rig, "n0");
    rig.gang({"train", 2});
    for (const auto* name : {"train-0", "train-1"})
        rig.pod(name, "train", true, 4);
    rig.pod("plain", "", false, 2);
    rig.synced();
    rig.advance(Time{1000});
    rig.holds_back_writes = true;
    CHECK(rig.arrive("train", 0, 2).size() == 2);
    rig.step(Ticked{});
    const auto seat = rig.filter("train-0").node;
    CHECK(rig.filter("plain").passed);
    const auto call = rig.bind("plain", "n0");
    rig.holds_back_writes = false;
    rig.settle();
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(rig.answer(call)->error.empty());
    CHECK(rig.bound().contains("plain"));
    CHECK_FALSE(seat.empty());
}

TEST_CASE("seats stay on a node that lacks what their pods don't ask for") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    rig.gang({"train", 1});
    rig.pod("train-0", "train", true, 4);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.filter("train-0").node == "n0");
    rig.node("n1", "b", "r", 4);  // Fits better, but seats don't move without need.
    lack(rig, "n0");
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0").node == "n0");
    rig.schedule_all();
    CHECK(rig.bound().contains("train-0"));
}

// As long as names of nodes are, so that its text lies apart from the string.
const std::string host = "ip-10-0-12-34.example.internal";

void nominate(Rig& rig, std::int64_t priority) {
    rig.pod("preemptor", "", false, 8);
    rig.change_pod("preemptor", [&](model::Pod& pod) {
        pod.priority = priority;
        pod.nominated_node = host;
    });
}

TEST_CASE("room that kube-scheduler keeps for a preemptor is taken for gangs of that priority and below (PR5)") {
    struct Row {
        std::int64_t preemptor;
        bool is_seated;
    };
    for (const auto& row : {Row{100, false}, Row{50, false}, Row{49, true}}) {
        for (const bool goes : {false, true}) {
            CAPTURE(row.preemptor);
            Rig rig;
            rig.node(host, "b", "r", 8);
            nominate(rig, row.preemptor);
            rig.gang({"train", 1, "", 50});
            rig.pods("train", 0, 1);
            rig.synced();
            rig.advance(Time{1000});
            CHECK(rig.filter("train-0").node.empty() != row.is_seated);
            // Until it is gone, or the nomination is cleared.
            if (goes) {
                rig.remove_pod("preemptor");
            } else {
                rig.change_pod("preemptor", [](model::Pod& pod) { pod.nominated_node.clear(); });
            }
            rig.advance(Time{2000});
            CHECK(rig.filter("train-0").node == host);
        }
    }
}

TEST_CASE("a preemptor that takes over its victims' room takes no more") {
    Rig rig;
    rig.node(host, "b", "r", 16);
    rig.pod("victim", "", false, 8);
    rig.change_pod("victim", [](model::Pod& pod) {
        pod.node = host;
        pod.deleting = true;
    });
    nominate(rig, 100);
    rig.gang({"train", 1});
    rig.pods("train", 0, 1);
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0").node == host);
}

TEST_CASE("nominations of gang members keep no room from gangs") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    rig.gang({"train", 1});
    rig.pods("train", 0, 1, false);
    rig.change_pod("train-0", [](model::Pod& pod) {
        pod.nominated_node = "n0";
        pod.priority = 1000;
    });
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0").node == "n0");
}

}  // namespace
}  // namespace echelon::engine
