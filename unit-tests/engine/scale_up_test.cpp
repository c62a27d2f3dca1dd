// Members and minimums come from different watches: no race between them leaves a part of a gang bound (rules X1 to
// X4).

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::first_of;
using test::Rig;
using Kind = model::Outcome::Kind;

// Whole-host pods, all of them the minimum, rack required, on 2 x 2 racks of 16; planned and released.
void held_gang(Rig& rig, int size) {
    rig.fabric(2, 2, 16);
    rig.gang({"train", size, test::rack_key});
    rig.pods("train", 0, size);
    rig.synced();
    rig.advance(Time{1000});
}

void bring_all(Rig& rig) {
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
}

auto grow_to(std::int64_t minimum) {
    return [minimum](model::Group& group) {
        group.minimum = minimum;
        ++group.generation;
    };
}

TEST_CASE("the group is read once, beside the commit record, and before the first binding (X2)") {
    Rig rig;
    held_gang(rig, 16);
    rig.holds_back_writes = true;
    rig.arrive("train", 0, 16);
    CHECK(count_of(rig.writes, "look train") == 1);
    CHECK(count_of(rig.writes, "record train Committed") == 1);
    CHECK(count_of(rig.writes, "bind ") == 0);
    rig.holds_back_writes = false;
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "look train") == 1);
    CHECK(first_of(rig.writes, "look train") < first_of(rig.writes, "bind "));
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("each object of a tree is read, and a gang by labels has none (X2)") {
    Rig rig;
    rig.fabric(2, 2, 16);
    add_parts(rig, test::composite("both", 2), {"decode", "prefill"}, 4, test::rack_key);
    for (int i = 0; i < 4; ++i) {
        rig.pod(fmt::format("label-{}", i), "");
        rig.change_pod(fmt::format("label-{}", i), [](model::Pod& pod) {
            model::Group leaf;
            leaf.key = {"label-gang", "default/label"};
            leaf.minimum = 4;
            pod.membership = model::Membership{leaf.key, {leaf}, -1, ""};
        });
    }
    rig.synced();
    bring_all(rig);
    CHECK(rig.bound().size() == 12);
    for (const auto* look : {"look both", "look decode", "look prefill"})
        CHECK(count_of(rig.writes, look) == 1);
    CHECK(count_of(rig.writes, "look ") == 3);
}

TEST_CASE("a minimum that was raised before the watch shows it leaves no member bound (X2)") {
    Rig rig;
    held_gang(rig, 8);
    rig.change_gang_unseen("train", grow_to(12));
    const auto calls = rig.arrive("train", 0, 8);
    rig.advance(Time{5000});
    CHECK(count_of(rig.writes, "bind ") == 0);
    CHECK(rig.answer(calls.front()) == nullptr);  // They wait for the watch.
    CHECK(rig.record("train")->phase == model::Phase::held);
    rig.show_gang("train");
    rig.advance(Time{1000});
    CHECK(rig.bound().empty());
    rig.pods("train", 8, 12);
    bring_all(rig);
    CHECK(rig.bound().size() == 12);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("while the group can't be read nothing is bound, and reads are retried with growing pauses (X2)") {
    for (const auto kind : {Kind::unknown, Kind::rejected}) {
        CAPTURE(static_cast<int>(kind));
        Rig rig;
        held_gang(rig, 16);
        rig.fate = [kind](const model::Write& write) -> std::optional<model::Outcome> {
            if (!std::holds_alternative<model::ReadGroup>(write))
                return std::nullopt;
            return model::Outcome{kind, "no", "", ""};
        };
        rig.arrive("train", 0, 16);
        rig.advance(Time{40'000});
        CHECK(rig.bound().empty());
        CHECK(count_of(rig.writes, "look ") >= 5);
        CHECK(count_of(rig.writes, "look ") <= 15);
        CHECK(std::ranges::count_if(rig.notes, [](const Note& note) {
                  return note.sentence.find("can be read") != std::string::npos;
              }) == 1);
        rig.fate = nullptr;
        rig.advance(Time{9'000});
        CHECK(rig.bound().size() == 16);
    }
}

TEST_CASE("a group deleted before the watch shows it gives its hold back, and no member is bound (X2)") {
    Rig rig;
    held_gang(rig, 16);
    const auto group = model::GroupKey{"podgroup", "default/train"};
    const auto calls = rig.arrive("train", 0, 16);
    rig.remove_gang_unseen("train");
    rig.settle();
    CHECK(rig.bound().empty());
    REQUIRE(rig.answer(calls.front()) != nullptr);
    CHECK(rig.answer(calls.front())->error == "echelon: gang default/train: aborted, \"default/train\" is gone");
    CHECK(rig.engine.published()->stats.held_seats == 0);
    rig.step(Observed{model::GroupGone{group, "group-train"}});
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 0);
    CHECK(count_of(rig.writes, "bind ") == 0);
}

TEST_CASE("a commit that another run recorded is read again before it is rolled forward (X2)") {
    Rig rig;
    held_gang(rig, 8);
    // It ends when the commit record is written, before the group was read.
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* record = std::get_if<model::ApplyPlan>(&write);
        rig.holds_back_writes = record != nullptr && record->record.phase == model::Phase::committed;
        if (!std::holds_alternative<model::ReadGroup>(write))
            return std::nullopt;
        return model::Outcome{Kind::unknown, "connection lost", "", ""};
    };
    rig.arrive("train", 0, 8);
    rig.settle();
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    rig.fate = nullptr;
    rig.holds_back_writes = false;
    rig.restart();
    rig.change_gang_unseen("train", grow_to(12));  // After the lists, before the members come again.
    rig.writes.clear();
    rig.arrive("train", 0, 8);
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "look train") >= 1);
    CHECK(rig.bound().empty());
}

TEST_CASE("members that a raised minimum needs aren't bound one by one under the old minimum (X3)") {
    Rig rig;
    held_gang(rig, 4);
    bring_all(rig);
    REQUIRE(rig.bound().size() == 4);
    rig.change_gang_unseen("train", grow_to(8));
    rig.pods("train", 4, 6);  // By the generation that the watch has shown these are extras.
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("train-4").node.empty());
    rig.arrive("train", 4, 6);
    rig.advance(Time{3000});
    CHECK(rig.bound().size() == 4);
    rig.show_gang("train");
    rig.pods("train", 6, 8);
    bring_all(rig);
    bring_all(rig);
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("new members up to a raised minimum are bound together, in the domain of their gang (X4)") {
    Rig rig;
    held_gang(rig, 4);
    bring_all(rig);
    const auto racks = rig.racks_of("train");
    rig.change_gang("train", grow_to(8));
    rig.pods("train", 4, 8);
    rig.advance(Time{1000});
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    rig.arrive("train", 4, 7);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    rig.arrive("train", 7, 8);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("train") == racks);
}

TEST_CASE("members beyond the minimum are bound one by one (X4)") {
    Rig rig;
    held_gang(rig, 4);
    bring_all(rig);
    rig.pods("train", 4, 6);
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("train-5").node.empty());
    rig.arrive("train", 4, 5);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 5);
    CHECK(rig.racks_of("train").size() == 1);
}

}  // namespace
}  // namespace echelon::engine
