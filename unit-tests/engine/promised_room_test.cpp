// Room that is promised to gangs is kept from pods of no gang (PR1 to PR3).

#include "unit-tests/engine/support/rig.hpp"

#include <array>
#include <random>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::engine {
namespace {

using test::Rig;

constexpr const char* sentence = "echelon: room here is promised to a gang";

Options with(Protection protection) {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].protect = protection;
    options.claim_after = Time{60'000};
    return options;
}

// The nodes that filter leaves out for a plain pod.
std::set<std::string> left_out(Rig& rig, const std::string& name, Protection protection = Protection::promised) {
    const auto& pod = rig.pod_of(name);
    const model::PlainPod plain{.requests = pod.pod_class.requests,
                                .priority = pod.priority,
                                .active_deadline = pod.active_deadline,
                                .is_exempt = rig.exempt.contains(name)};
    std::set<std::string> nodes;
    const auto published = rig.engine.published();
    for (int host = 0; host < 9; ++host) {
        const auto node = fmt::format("b0-r0-h{:02}", host);
        const auto* promises = published->promises.on(node);
        if (promises != nullptr && promises->room->keep_out(plain, protection, rig.now))
            nodes.insert(node);
    }
    return nodes;
}

// What bind answers; empty: the pod is bound.
std::string bind_error(Rig& rig, const std::string& pod, const std::string& node) {
    static_cast<void>(rig.filter(pod));
    const auto call = rig.bind(pod, node);
    rig.settle();
    REQUIRE(rig.answer(call) != nullptr);
    return rig.answer(call)->error;
}

// A gang of `minimum` pods of 4 GPUs that holds its seats on one rack of 8 hosts, and a plain pod.
void hold(Rig& rig, int minimum, std::int64_t priority = 0) {
    rig.fabric(1, 1, 8);
    rig.gang({"train", minimum, test::rack_key, priority});
    for (int i = 0; i < minimum; ++i)
        rig.pod(fmt::format("train-{}", i), "train", true, 4);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train")->phase == model::Phase::held);
}

void plain(Rig& rig, std::int64_t gpus, std::int64_t priority = 0) {
    rig.pod("plain", "", false, gpus);
    rig.change_pod("plain", [&](model::Pod& pod) { pod.priority = priority; });
}

TEST_CASE("a node is offered while the pod fits beside what is promised there (PR1)") {
    Rig rig;
    hold(rig, 2);
    const auto seat = rig.filter("train-0").node;
    plain(rig, 4);
    CHECK(rig.filter("train-1").node == seat);  // Both on one host: it is full.
    CHECK(left_out(rig, "plain") == std::set<std::string>{seat});
    CHECK(bind_error(rig, "plain", seat) == sentence);
    rig.pod("small", "", false, 0);
    CHECK(left_out(rig, "small").empty());
    CHECK(bind_error(rig, "small", seat).empty());
}

TEST_CASE("a binding of a plain pod that is under way counts beside what is promised (PR1)") {
    Rig rig;
    hold(rig, 1);
    const auto seat = rig.filter("train-0").node;
    rig.pod("first", "", false, 3);
    plain(rig, 3);
    CHECK(left_out(rig, "plain").empty());
    rig.holds_back_writes = true;
    static_cast<void>(rig.filter("first"));
    rig.bind("first", seat);
    CHECK(left_out(rig, "plain") == std::set<std::string>{seat});
    rig.holds_back_writes = false;
    rig.settle();
    CHECK(rig.bound().contains("first"));
    CHECK(left_out(rig, "plain") == std::set<std::string>{seat});
}

TEST_CASE("only pods of the gang's priority and below are kept out, and the gang makes way for others (PR1)") {
    for (const std::int64_t priority : {9, 10, 11}) {
        CAPTURE(priority);
        Rig rig;
        hold(rig, 2, 10);
        const auto seat = rig.filter("train-0").node;
        plain(rig, 4, priority);
        const bool passes = priority > 10;
        CHECK(left_out(rig, "plain").empty() == passes);
        CHECK(bind_error(rig, "plain", seat).empty() == passes);
        rig.live(2);
        CHECK(rig.racks_of("train").size() == 1);
        if (passes)
            CHECK(rig.bound().at("train-0") != rig.bound().at("train-1"));
    }
}

TEST_CASE("what is promised to several gangs is kept from each pod by its priority (PR1)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    for (const auto priority : {10, 20}) {
        const auto gang = fmt::format("gang-{}", priority);
        rig.gang({gang, 1, test::rack_key, priority});
        rig.pod(gang + "-0", gang, true, 3);
    }
    rig.synced();
    rig.advance(Time{1000});
    struct Row {
        std::int64_t priority;
        std::int64_t gpus;
        bool is_offered;
    };
    for (const auto& row :
         {Row{10, 2, true}, Row{10, 3, false}, Row{11, 5, true}, Row{20, 6, false}, Row{21, 8, true}}) {
        CAPTURE(row.priority);
        plain(rig, row.gpus, row.priority);
        CHECK(left_out(rig, "plain").empty() == row.is_offered);
        rig.remove_pod("plain");
    }
}

TEST_CASE("seats of members that are declared and not created yet are kept (PR1)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    test::late_gang(rig, {"train", 2, test::rack_key});
    rig.pod("train-0", "train");
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("train-0").node.empty());
    plain(rig, 1);
    CHECK(fmt::format("{}", fmt::join(left_out(rig, "plain"), " ")) == "b0-r0-h00 b0-r0-h01");
}

TEST_CASE("room is open again once the gang has it, has given it back, or is gone (PR1)") {
    Rig rig;
    hold(rig, 2);
    const auto seat = rig.filter("train-0").node;
    plain(rig, 4);
    REQUIRE(!left_out(rig, "plain").empty());
    rig.remove_gang("train");
    rig.remove_pod("train-0");
    rig.remove_pod("train-1");
    rig.advance(Time{1000});
    CHECK(left_out(rig, "plain").empty());
    CHECK(rig.engine.published()->promises.empty());
    CHECK(bind_error(rig, "plain", seat).empty());
}

TEST_CASE("a gang whose priority changes keeps its room from others (PR1)") {
    Rig rig;
    hold(rig, 2, 10);
    plain(rig, 8, 20);
    CHECK(left_out(rig, "plain").empty());
    rig.change_gang("train", [](model::Group& group) { group.priority = 30; });
    rig.advance(Time{1000});
    CHECK(left_out(rig, "plain").size() == 1);
}

// "large" wants a rack of 8 hosts, half of which is taken for long, and has reserved it.
void reserve(Rig& rig, int hosts = 8) {
    rig.fabric(1, 1, hosts);
    rig.synced();
    rig.gang({"old", 4, test::rack_key});
    rig.pods("old", 0, 4);
    rig.live(2);
    REQUIRE(rig.racks_of("old").size() == 1);
    rig.gang({"large", 8, test::rack_key, 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{70'000});
    REQUIRE(rig.record("large")->message.ends_with("is reserved for it"));
}

TEST_CASE("all room of a reserved domain is kept, until the reservation ends (PR1)") {
    Rig rig(with(Protection::promised));
    reserve(rig);
    plain(rig, 1);
    CHECK(left_out(rig, "plain").size() == 8);
    CHECK(bind_error(rig, "plain", "b0-r0-h07") == sentence);
    rig.remove_gang("large");
    rig.advance(Time{1000});
    CHECK(left_out(rig, "plain").empty());
}

TEST_CASE("a node that comes into a reserved domain is kept, too (PR1)") {
    Rig rig(with(Protection::promised));
    reserve(rig, 9);
    plain(rig, 1);
    CHECK(left_out(rig, "plain").size() == 9);
    rig.remove_node("b0-r0-h08");
    rig.advance(Time{1000});
    CHECK(left_out(rig, "plain").size() == 8);
    rig.node("b0-r0-h08", "b0", "r1");
    rig.advance(Time{1000});
    CHECK(left_out(rig, "plain").size() == 8);
    rig.change_node("b0-r0-h08", [](model::Node& node) { node.labels[test::rack_key] = "r0"; });
    rig.advance(Time{1000});
    CHECK(left_out(rig, "plain").size() == 9);
}

TEST_CASE("a pod that filter found exempt is bound, and the gang is planned anew (PR2)") {
    Rig rig;
    hold(rig, 2);
    const auto seat = rig.filter("train-0").node;
    plain(rig, 4);
    rig.exempt = {"plain"};
    CHECK(bind_error(rig, "plain", seat) == "");
    rig.live(2);
    CHECK(rig.racks_of("train").size() == 1);
    CHECK(rig.bound().at("train-0") != rig.bound().at("train-1"));
}

TEST_CASE("a pod that ends before a reservation does may use the domain, and no seats that are held (PR2)") {
    Rig rig(with(Protection::promised));
    reserve(rig);
    plain(rig, 1);
    struct Row {
        std::int64_t ends_after;
        bool passes;
    };
    for (const auto& row : {Row{0, false}, Row{600, true}, Row{1'780, true}, Row{1'900, false}}) {
        CAPTURE(row.ends_after);
        rig.change_pod("plain", [&](model::Pod& pod) { pod.active_deadline = row.ends_after; });
        CHECK(left_out(rig, "plain").empty() == row.passes);
    }
    rig.change_pod("plain", [](model::Pod& pod) { pod.active_deadline = 600; });
    CHECK(bind_error(rig, "plain", "b0-r0-h07").empty());
    Rig other;
    hold(other, 2);
    plain(other, 8);
    other.change_pod("plain", [](model::Pod& pod) { pod.active_deadline = 1; });
    CHECK(left_out(other, "plain").size() == 1);
}

TEST_CASE("protect holds leaves reserved domains out, none leaves everything out (PR3)") {
    struct Row {
        Protection protection;
        bool keeps_seats;
    };
    for (const auto& row :
         {Row{Protection::promised, true}, Row{Protection::holds, true}, Row{Protection::none, false}}) {
        Rig rig(with(row.protection));
        hold(rig, 2);
        const auto seat = rig.filter("train-0").node;
        plain(rig, 4);
        CHECK(left_out(rig, "plain", row.protection).empty() != row.keeps_seats);
        CHECK(bind_error(rig, "plain", seat).empty() != row.keeps_seats);
        Rig other(with(row.protection));
        reserve(other);
        plain(other, 1);
        const bool keeps_domains = row.protection == Protection::promised;
        CHECK(left_out(other, "plain", row.protection).empty() != keeps_domains);
        CHECK(bind_error(other, "plain", "b0-r0-h07").empty() != keeps_domains);
    }
}

TEST_CASE("pods of other schedulers are bound as before (PR3)") {
    Rig rig;
    hold(rig, 2);
    const auto seat = rig.filter("train-0").node;
    plain(rig, 4);
    rig.change_pod("plain", [](model::Pod& pod) { pod.scheduler_name = "other"; });
    CHECK(bind_error(rig, "plain", seat).empty());
}

TEST_CASE("thousands of nodes are judged as each one by itself (PR1, PR4)") {
    std::mt19937 random(1);
    const auto draw = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1)); };
    const std::array<std::string, 3> resources = {"cpu", "gpu", "memory"};
    std::array<std::vector<Promises::Entry>, Promises::shard_count> by_shard;
    for (int i = 0; i < 500; ++i) {
        PromisedRoom room;
        for (auto priority = draw(2); priority > 0; --priority) {
            auto& left = room.left.emplace_back(PromisedRoom::Left{.priority = 2 * priority, .amounts = {}});
            for (const auto& resource : resources) {
                if (draw(2) > 0)
                    left.amounts.emplace_back(resource, draw(6) - 2);
            }
        }
        if (draw(4) == 0)
            room.reserved.push_back({.priority = draw(4), .until = Time{1000 * draw(9)}});
        const auto name = fmt::format("n{}", i);
        by_shard[Promises::shard_of(name_hash(name))].push_back(
            {name_hash(name), std::make_shared<const NodePromises>(name, std::make_shared<const PromisedRoom>(room))});
    }
    Promises promises;
    for (std::size_t at = 0; at < by_shard.size(); ++at)
        promises.set(at, by_shard[at]);
    REQUIRE(promises.size() == 500);
    int kept_out = 0;
    for (int pod = 0; pod < 60; ++pod) {
        model::PlainPod plain{.requests = {}, .priority = draw(5), .active_deadline = draw(3), .is_exempt = pod == 7};
        for (const auto& resource : resources) {
            if (draw(1) > 0)
                plain.requests.set(resource, draw(4));
        }
        const auto protection =
            std::array{Protection::promised, Protection::holds, Protection::none}[static_cast<unsigned>(pod) % 3];
        PodOnPromises judge(plain, protection, Time{3000});
        for (int i = 0; i < 500; ++i) {
            const auto name = fmt::format("n{}", i);
            const auto found = promises.find(name_hash(name), name);
            REQUIRE(found.shard != nullptr);
            const bool expected = promises.on(name)->room->keep_out(plain, protection, Time{3000});
            CHECK(judge.keep_out(found) == expected);
            kept_out += expected ? 1 : 0;
        }
    }
    CHECK(kept_out > 1'000);
}

TEST_CASE("names are found by their hashes, whatever they have in common (PR4)") {
    Promises promises;
    std::array<std::vector<Promises::Entry>, Promises::shard_count> by_shard;
    const auto name = [](int i) { return fmt::format("gpu-node-{:05}.example", i); };
    for (int i = 0; i < 5'000; i += 2) {
        const auto hash = name_hash(name(i));
        by_shard[Promises::shard_of(hash)].push_back(
            {hash, std::make_shared<const NodePromises>(name(i), std::make_shared<const PromisedRoom>())});
    }
    std::size_t most = 0;
    for (std::size_t at = 0; at < by_shard.size(); ++at) {
        most = std::max(most, by_shard[at].size());
        promises.set(at, by_shard[at]);
    }
    CHECK(most < 100);  // 39 on average.
    REQUIRE(promises.size() == 2'500);
    for (int i = 0; i < 5'000; ++i) {
        const auto* found = promises.on(name(i));
        CHECK((found != nullptr) == (i % 2 == 0));
        if (found != nullptr)
            CHECK(found->node == name(i));
    }
}

}  // namespace
}  // namespace echelon::engine
