// Seats for members that don't exist yet (H2 to H5), and anti-affinity to pods with held seats (D14).

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

// "lws": 8 whole-host pods in one rack, of which only the leader lws-0 exists until it is bound.
void leader_first(Rig& rig) {
    test::late_gang(rig, {"lws", 8, test::rack_key});
    rig.pods("lws", 0, 1);
}

// Seats without a bound pod, including those of placeholders.
std::uint32_t held(Rig& rig) {
    const auto stats = rig.engine.published()->stats;
    return stats.held_seats + stats.committed_seats;
}

void schedule(Rig& rig) {
    rig.schedule_all();
    rig.advance(Time{1000});
}

TEST_CASE("a leader isn't bound where its workers would have no room (H2)") {
    Rig rig;
    rig.fabric(1, 2, 7);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().empty());
    REQUIRE(rig.record("lws") != nullptr);
    CHECK(rig.record("lws")->reason == "Impossible");
}

TEST_CASE("the start set binds alone, and the seats of the others stay held (H3)") {
    Rig rig;
    rig.fabric(1, 1, 11);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    CHECK(held(rig) == 7);
    REQUIRE(rig.record("lws") != nullptr);
    CHECK(rig.record("lws")->seats.size() == 1);
    CHECK(rig.record("lws")->message.find("7 seats are held for pods that don't exist yet") != std::string::npos);
    CHECK(rig.record("lws")->groups.front().placed == 1);
    // Three hosts are left, and other gangs get no more than these.
    rig.gang({"other", 4, test::rack_key});
    rig.pods("other", 0, 4);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    rig.remove_pod("other-3");
    rig.change_gang("other", [](model::Group& group) { group.minimum = 3; });
    rig.advance(Time{10'000});
    schedule(rig);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("existing members get seats before members that are only declared (H2)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    leader_first(rig);
    rig.change_gang("lws", [](model::Group& group) {
        group.minimum = 1;
        model::PodClass pod_class;
        pod_class.requests = {{"cpu", 1000}, {"pods", 1}};
        group.late_pod_class = pod_class;
    });
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    CHECK(rig.record("lws")->phase == model::Phase::bound);
    CHECK(held(rig) == 0);
}

TEST_CASE("the barrier waits for every existing member, late or not (H3)") {
    Rig rig;
    rig.fabric(1, 1, 8);
    leader_first(rig);
    rig.pods("lws", 1, 4);
    rig.synced();
    rig.advance(Time{1000});
    rig.arrive("lws", 0, 3);
    rig.settle();
    CHECK(rig.bound().empty());
    rig.arrive("lws", 3, 4);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    CHECK(held(rig) == 4);
}

TEST_CASE("late members take over the seats held for them (H4)") {
    Rig rig;
    rig.fabric(2, 2, 10);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(rig.bound().size() == 1);
    for (int come = 1; come < 8; ++come) {
        rig.pods("lws", come, come + 1);
        rig.advance(Time{1000});
        CHECK(held(rig) == 8U - static_cast<std::uint32_t>(come));
        CHECK(rig.record("lws")->phase == model::Phase::committed);
        schedule(rig);
        CHECK(rig.bound().size() == static_cast<std::size_t>(come) + 1);
        CHECK(held(rig) == 7U - static_cast<std::uint32_t>(come));
    }
    CHECK(rig.record("lws")->phase == model::Phase::bound);
    CHECK(rig.racks_of("lws").size() == 1);
    CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.level == Note::Level::bug; }));
}

TEST_CASE("late members come all at once, in a rack with no host besides the held ones (H4)") {
    Rig rig;
    rig.fabric(1, 1, 8);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(rig.bound().size() == 1);
    rig.pods("lws", 1, 8);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
    CHECK(held(rig) == 0);
}

TEST_CASE("a selector that the controller puts on a late member is a fact (H4)") {
    Rig rig;
    rig.fabric(1, 1, 10);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    const auto bound = rig.bound();
    REQUIRE(bound.size() == 1);
    // One host without a placeholder is free, but the member selects another one.
    std::string wanted;
    for (int h = 9; h >= 0 && wanted.empty(); --h) {
        if (const auto name = fmt::format("b0-r0-h{:02}", h); name != bound.begin()->second)
            wanted = name;
    }
    rig.pods("lws", 1, 2, true);
    rig.change_pod("lws-1",
                   [&](model::Pod& pod) { pod.pod_class.node_selector = {{"kubernetes.io/hostname", wanted}}; });
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().at("lws-1") == wanted);
    CHECK(held(rig) == 6);
}

TEST_CASE("if no late member comes in time, the room is given back and the start set stays (H5)") {
    auto options = Rig::default_options();
    options.placeholder_lifetime = Time{60'000};
    Rig rig(options);
    rig.fabric(1, 1, 8);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(held(rig) == 7);
    rig.advance(Time{70'000});
    CHECK(held(rig) == 0);
    CHECK(rig.bound().size() == 1);
    CHECK(rig.record("lws")->reason == "Incomplete");
    CHECK(rig.record("lws")->message ==
          "group \"default/lws\" has 1 of at least 8 pods; the others weren't created in time");
    rig.gang({"other", 7, test::rack_key});
    rig.pods("other", 0, 7);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
    // Late members find no room now, and do once there is some.
    rig.pods("lws", 1, 8);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
    for (int i = 0; i < 7; ++i)
        rig.remove_pod(fmt::format("other-{}", i));
    rig.remove_gang("other");
    rig.advance(Time{20'000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("lws").size() == 1);
}

TEST_CASE("late members keep their room for a limited time after the start set has ended (H5)") {
    auto options = Rig::default_options();
    options.placeholder_lifetime = Time{60'000};
    Rig rig(options);
    rig.fabric(1, 1, 8);
    leader_first(rig);
    rig.change_gang("lws", [&](model::Group& group) { group.late_pod_class = rig.pod_of("lws-0").pod_class; });
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(held(rig) == 7);
    rig.change_pod("lws-0", [](model::Pod& pod) { pod.phase = model::PodPhase::succeeded; });
    rig.advance(Time{30'000});
    CHECK(held(rig) == 7);
    rig.change_gang("lws", [](model::Group& group) { group.priority = 1; });  // Planned once more: no new time for it.
    rig.advance(Time{40'000});
    CHECK(held(rig) == 0);
    CHECK(rig.record("lws")->reason == "Incomplete");
    // Members that come later start over, with seats for those still missing.
    rig.pods("lws", 1, 2);
    rig.advance(Time{1000});
    CHECK(held(rig) == 7);
}

// A gang of two groups of four whole-host pods in one rack. The leader of the first group exists, and no pod of the
// second.
void leader_of_two_groups(Rig& rig) {
    model::Group both;
    both.key = {"compositepodgroup", "default/both"};
    both.kind = model::GroupKind::composite;
    both.minimum = 2;
    both.required = {test::rack_key};
    both.uid = "group-both";
    rig.add_group("both", both);
    for (const std::string name : {"first", "second"}) {
        rig.gang({name, 4, ""});
        rig.change_gang(name, [&](model::Group& group) {
            group.parent = both.key;
            group.expected = 4;
            group.start_set = name == "first" ? 1 : 0;
        });
    }
    rig.pods("first", 0, 1);
}

TEST_CASE("a leader isn't bound where a group without pods would have no room (H2)") {
    Rig rig;
    rig.fabric(1, 2, 7);
    leader_of_two_groups(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().empty());
    REQUIRE(rig.record("both") != nullptr);
    CHECK(rig.record("both")->reason == "Impossible");
}

TEST_CASE("the leader passes the barrier alone, and room is held for groups without pods (H3, H4)") {
    Rig rig;
    rig.fabric(1, 2, 8);
    leader_of_two_groups(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    CHECK(held(rig) == 7);
    CHECK(rig.record("both")->phase == model::Phase::committed);
    rig.pods("second", 0, 2);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(held(rig) == 5);
    rig.pods("first", 1, 4);
    rig.pods("second", 2, 4);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
    CHECK(held(rig) == 0);
    CHECK(rig.record("both")->phase == model::Phase::bound);
    CHECK(rig.racks_of("first") == rig.racks_of("second"));
    CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.level == Note::Level::bug; }));
}

TEST_CASE("members that have ended and are gone aren't needed any more, and the room of the others stays held (H7)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 1);
    rig.change_gang("train", [&](model::Group& group) {
        group.expected = 4;
        group.start_set = 1;
        group.late_pod_class = rig.pod_of("train-0").pod_class;
    });
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(rig.bound().size() == 1);
    REQUIRE(held(rig) == 3);
    rig.change_pod("train-0", [](model::Pod& pod) { pod.phase = model::PodPhase::succeeded; });
    rig.change_gang("train", [](model::Group& group) { group.ended = 1; });
    rig.advance(Time{1000});
    CHECK(held(rig) == 3);
    rig.remove_pod("train-0");
    rig.advance(Time{1000});
    CHECK(held(rig) == 3);
    // Other gangs get no more than what is left.
    rig.gang({"other", 2, test::rack_key});
    rig.pods("other", 0, 2);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().empty());
    rig.pods("train", 1, 4);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(held(rig) == 0);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.level == Note::Level::bug; }));
}

TEST_CASE("placeholders end with their gang, and with a hold that no member came to (H5)") {
    Rig rig;
    rig.fabric(1, 1, 8);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    CHECK(held(rig) == 8);
    rig.remove_pod("lws-0");
    rig.advance(Time{1000});
    CHECK(held(rig) == 0);
    rig.pods("lws", 0, 1);
    rig.advance(Time{1000});
    CHECK(held(rig) == 8);
    rig.remove_pod("lws-0");
    rig.remove_gang("lws");
    rig.advance(Time{1000});
    CHECK(held(rig) == 0);
    rig.gang({"other", 8, test::rack_key});
    rig.pods("other", 0, 8);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
}

TEST_CASE("after a restart the seats of missing members are held again, beside the bound members (R17)") {
    Rig rig;
    rig.fabric(2, 2, 8);
    leader_first(rig);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(rig.bound().size() == 1);
    rig.restart();
    rig.synced();
    rig.advance(Time{1000});
    CHECK(held(rig) == 7);
    rig.pods("lws", 1, 8);
    rig.advance(Time{1000});
    schedule(rig);
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("lws").size() == 1);
}

// Pods that keep away from all that carry app=web, on the level of the key.
void keep_apart(Rig& rig, const std::string& name, const std::string& key) {
    model::PodTerm term;
    term.key = key;
    term.labels = {{"app", model::Requirement::Operator::in, {"web"}}};
    term.namespaces = {"default"};
    rig.label_pod(name, {{"app", "web"}});
    rig.change_pod(name, [&](model::Pod& pod) { pod.terms = {term}; });
}

TEST_CASE("gangs with anti-affinity by rack get a rack each, although no member is bound yet (D14)") {
    Rig rig;
    rig.fabric(1, 2, 8);
    for (const std::string name : {"a", "b", "c"}) {
        rig.gang({name, 1, test::rack_key});
        rig.pods(name, 0, 1);
        keep_apart(rig, name + "-0", test::rack_key);
    }
    rig.synced();
    rig.advance(Time{2000});
    CHECK(held(rig) == 2);
    REQUIRE(rig.record("c") != nullptr);
    CHECK(rig.record("c")->reason == "NoRoom");
    CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.level == Note::Level::bug; }));
}

}  // namespace
}  // namespace echelon::engine
