// What the published state shows about gangs, for explanations of pending ones.

#include "engine/publish/state_publisher.hpp"
#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

TEST_CASE("two gangs of one name, a PodGroup and one by labels, are both shown, and one goes without the other") {
    Rig rig;
    rig.fabric(2, 1, 8);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2);
    model::Group by_labels;
    by_labels.key = {"label-gang", "default/train"};
    by_labels.minimum = 2;
    by_labels.required = {test::rack_key};
    rig.add_group("by-labels", by_labels);
    for (int i = 0; i < 2; ++i) {
        const auto name = fmt::format("labelled-{}", i);
        rig.pod(name, "");
        rig.change_pod(name, [&](model::Pod& pod) { pod.membership = model::Membership{by_labels.key, {}, -1, ""}; });
    }
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->gangs.size() == 2);
    for (int i = 0; i < 2; ++i)
        rig.remove_pod(fmt::format("labelled-{}", i));
    rig.remove_gang("by-labels");
    rig.advance(Time{1000});
    const auto gangs = rig.engine.published()->gangs;
    REQUIRE(gangs.size() == 1);
    CHECK(gangs.sorted().front().second->record.root == model::GroupKey{"podgroup", "default/train"});
}

TEST_CASE("a pod that moves to a gang of the same name and another kind keeps the verdict of that gang") {
    const model::GroupKey former{"podgroup", "default/train"};
    const model::GroupKey now{"label-gang", "default/train"};
    StatePublisher publisher;
    Verdict verdict;
    verdict.text = "echelon: former";
    publisher.set(former, "uid", verdict);
    verdict.text = "echelon: now";
    publisher.set(now, "uid", verdict);
    SUBCASE("one verdict is dropped") {
        publisher.drop(former, "uid");
    }
    SUBCASE("the whole gang is") {
        publisher.drop_all(former);
    }
    const auto published = publisher.published();
    REQUIRE(published.verdict("uid") != nullptr);
    CHECK(published.verdict("uid")->text == "echelon: now");
    publisher.drop_all(now);
    CHECK(publisher.published().verdict("uid") == nullptr);
}

}  // namespace
}  // namespace echelon::engine
