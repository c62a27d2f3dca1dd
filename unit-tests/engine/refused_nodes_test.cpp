// Nodes that kube-scheduler's own filters refuse are avoided for a while, if there is proof (rule R3).

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// Three members of four GPUs each in one rack of two hosts: two of them share a host.
void three_on_two_hosts(Rig& rig) {
    rig.fabric(1, 2, 2);
    rig.gang({"train", 3, test::rack_key});
    for (int i = 0; i < 3; ++i)
        rig.pod(fmt::format("train-{}", i), "train", true, 4);
    rig.synced();
    rig.advance(Time{1000});
}

std::vector<std::string> all_but(const std::string& refused) {
    std::vector<std::string> others;
    for (const std::string name : {"b0-r0-h00", "b0-r0-h01", "b0-r1-h00", "b0-r1-h01"}) {
        if (name != refused)
            others.push_back(name);
    }
    return others;
}

TEST_CASE("a node list from an older nomination, or from before any nomination, proves nothing (R3)") {
    Rig rig;
    three_on_two_hosts(rig);
    const auto seat = rig.filter("train-0").node;
    rig.change_pod("train-0", [](model::Pod& pod) { pod.nominated_node = "b0-r1-h00"; });
    for (int i = 0; i < 10; ++i)
        rig.filter("train-0", {"b0-r1-h00"});
    CHECK(rig.filter("train-0", all_but("")).node == seat);
    rig.change_pod("train-0", [](model::Pod& pod) { pod.nominated_node.clear(); });
    for (int i = 0; i < 10; ++i)
        rig.filter("train-0", all_but(seat));
    CHECK(rig.filter("train-0", all_but("")).node == seat);
}

// A member of one that claims a device with a selector that echelon understands, or not.
std::string node_after_one_refusal(const std::string& selector) {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].nominate = false;
    Rig rig(options);
    rig.fabric(1, 2, 2);
    rig.gang({"train", 1, test::rack_key});
    rig.step(Observed{model::DeviceClassSeen{{"c", {}, {}}}});
    model::DeviceRequest request{
        .name = "r", .device_class = "c", .selectors = {selector}, .tolerations = {}, .not_understood = {}};
    rig.step(Observed{model::DeviceTemplateSeen{{"default", "one", model::DeviceDemand{{request}, {}}}}});
    for (const auto& host : all_but("")) {
        model::DeviceSlice slice{
            .name = host, .driver = "d", .pool = host, .generation = 1, .slice_count = 1, .node = host, .devices = {}};
        slice.devices.emplace_back().name = "a";
        rig.step(Observed{model::DeviceSliceSeen{slice}});
    }
    rig.pod("train-0", "train", false, 4);
    model::PodSeen seen;
    rig.change_pod("train-0", [&](const model::Pod& pod) { seen.pod = pod; });
    seen.claims = {{.name = "r", .claim = {}, .claim_template = "one"}};
    rig.step(Observed{seen});
    rig.synced();
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-0", all_but("")).node;
    REQUIRE(!seat.empty());
    rig.filter("train-0", all_but(seat));
    rig.advance(Time{1000});
    return rig.filter("train-0", all_but("")).node == seat ? "the same" : "another";
}

TEST_CASE("one refusal is enough where devices are left to kube-scheduler (R3, DR5)") {
    CHECK(node_after_one_refusal("true") == "the same");
    CHECK(node_after_one_refusal("device.driver.matches(\"d\")") == "another");
}

TEST_CASE("members at the barrier stay where they are when a node is refused to another one (R3)") {
    Rig rig;
    three_on_two_hosts(rig);
    // Of two members on one host, one comes to the barrier, and kube-scheduler refuses the host to the other.
    std::map<std::string, std::vector<std::string>> on;
    for (int i = 0; i < 3; ++i)
        on[rig.filter(fmt::format("train-{}", i)).node].push_back(fmt::format("train-{}", i));
    const auto shared = std::ranges::find_if(on, [](const auto& entry) { return entry.second.size() == 2; });
    REQUIRE(shared != on.end());
    const auto& [host, pair] = *shared;
    const auto call = rig.bind(pair[0], rig.filter(pair[0]).node);
    rig.settle();
    for (int i = 0; i < 3; ++i)
        rig.filter(pair[1], all_but(host));
    rig.advance(Time{1000});
    CHECK(rig.answer(call) == nullptr);
    const auto elsewhere = rig.filter(pair[1], all_but("")).node;
    CHECK(!elsewhere.empty());
    CHECK(elsewhere != host);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 3);
    CHECK(rig.bound().at(pair[0]) == host);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("what was refused is forgotten after a while, and is then as good as any other node (R3)") {
    auto options = Rig::default_options();
    options.refused_node_memory = Time{30'000};
    Rig rig(options);
    rig.node("only", "b0", "r0");
    rig.gang({"train", 1, test::rack_key});
    rig.pod("train-0", "train");
    rig.synced();
    rig.advance(Time{1000});
    for (int i = 0; i < 3; ++i)
        rig.filter("train-0", {"other", "another"});
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0", {"only"}).node.empty());
    CHECK(rig.record("train")->phase == model::Phase::pending);
    rig.advance(Time{31'000});
    CHECK(rig.filter("train-0", {"only"}).node == "only");
}

TEST_CASE("nodes that kube-scheduler refuses to one gang stay open to another of the same class (R3, Q4)") {
    Rig rig;
    for (int host = 0; host < 4; ++host)
        rig.node(fmt::format("b0-r0-h0{}", host), "b0", "r0");
    for (int host = 0; host < 2; ++host)
        rig.node(fmt::format("b0-r1-h0{}", host), "b0", "r1");
    rig.gang({"bad", 4, test::rack_key, {}, 1});
    rig.pods("bad", 0, 4);
    rig.synced();
    rig.gang({"good", 4, test::rack_key, {}, 2});
    rig.pods("good", 0, 4);
    // The volumes of "bad" are in rack r1.
    for (int second = 0; second < 120 && !rig.bound().contains("good-0"); ++second) {
        rig.advance(Time{1000});
        for (int i = 0; i < 4; ++i) {
            if (const auto name = fmt::format("bad-{}", i); rig.pod_of(name).gates.empty())
                rig.filter(name, {"b0-r1-h00", "b0-r1-h01"});
        }
        if (rig.gated("good") == 0)
            rig.arrive("good", 0, 4);
        rig.settle();
    }
    CHECK(rig.bound().contains("good-0"));
    CHECK(rig.record("bad")->reason == "NoRoom");  // Refusals of kube-scheduler prove nothing.
}

}  // namespace
}  // namespace echelon::engine
