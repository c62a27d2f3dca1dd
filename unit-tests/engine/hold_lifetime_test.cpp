// How long held seats wait for their pods: as the groups of a gang state, else as long as holds last.

#include "unit-tests/engine/support/rig.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

// How long seats are held if no member comes, in whole seconds.
int seconds_held(Rig& rig, const std::string& gang) {
    REQUIRE(rig.record(gang)->phase == model::Phase::held);
    int seconds = 0;
    for (; rig.record(gang)->phase == model::Phase::held && seconds < 1000; ++seconds)
        rig.advance(Time{1000});
    return seconds;
}

void hold_two(Rig& rig, std::optional<std::int64_t> timeout) {
    rig.fabric(1, 1, 4);
    rig.gang({"train", 2, test::rack_key});
    rig.change_gang("train", [&](model::Group& group) { group.timeout = timeout; });
    rig.pods("train", 0, 2);
    rig.synced();
}

TEST_CASE("held seats wait for their pods as long as the gang states, else as long as holds last") {
    struct Row {
        std::optional<std::int64_t> timeout;
        int least;
    };
    for (const Row& row : {Row{std::nullopt, 118}, Row{30, 28}, Row{300, 298}}) {
        CAPTURE(row.least);
        Rig rig;
        hold_two(rig, row.timeout);
        const int held = seconds_held(rig, "train");
        CHECK(held >= row.least);
        CHECK(held <= row.least + 4);
    }
}

TEST_CASE("a hold that ends since its pods don't come is no lack of room (B8)") {
    Rig rig;
    hold_two(rig, 30);
    seconds_held(rig, "train");
    REQUIRE(rig.record("train")->phase == model::Phase::pending);
    CHECK(rig.record("train")->reason.empty());
    CHECK(rig.record("train")->message == "its pods did not all reach the barrier in time; it will be planned again");
}

TEST_CASE("of several groups the longest time counts, and one that states none doesn't shorten it") {
    Rig rig;
    rig.fabric(1, 1, 4);
    model::Group root;
    root.key = {"compositepodgroup", "default/all"};
    root.kind = model::GroupKind::composite;
    root.api_version = "scheduling.k8s.io/v1alpha3";
    root.api_kind = "CompositePodGroup";
    rig.add_group("all", root);
    for (const char* name : {"a", "b", "c"}) {
        rig.gang({name, 1, ""});
        rig.change_gang(name, [&](model::Group& group) {
            group.parent = root.key;
            if (name[0] != 'c')
                group.timeout = name[0] == 'a' ? 20 : 45;
        });
        rig.pod(std::string(name) + "-0", name);
    }
    rig.synced();
    const int held = seconds_held(rig, "all");
    CHECK(held >= 43);
    CHECK(held <= 47);
}

TEST_CASE("the longest time that can be stated doesn't overflow") {
    Rig rig;
    hold_two(rig, 2'147'483'647);
    rig.advance(Time{3'600'000});
    CHECK(rig.record("train")->phase == model::Phase::held);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("after a restart the seats of a commit that waits for members end when the gang states") {
    Rig rig;
    hold_two(rig, 20);
    rig.fate = [posted = 0](const model::Write& write) mutable -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || posted++ < 1)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
    rig.schedule_all();
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    rig.fate = nullptr;
    rig.restart();
    rig.change_gang("train", [](model::Group& group) { group.minimum = 3; });
    rig.advance(Time{15'000});
    CHECK(rig.engine.published()->stats.committed_seats == 1);
    rig.advance(Time{10'000});
    CHECK(rig.engine.published()->stats.committed_seats == 0);
}

}  // namespace
}  // namespace echelon::engine
