// Nominations of gated pods without a seat: kube-scheduler would keep room for them.

#include "unit-tests/engine/support/rig.hpp"

#include <optional>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

TEST_CASE("a nomination that lands after the plan is lost is cleared soon, also behind others that were cleared") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 4);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (std::holds_alternative<model::UngatePod>(write))
            return model::Outcome{model::Outcome::Kind::rejected, "not yet", "", ""};
        return std::nullopt;
    };
    rig.synced();
    rig.advance(Time{1000});
    const auto node = rig.pod_of("train-2").nominated_node;
    REQUIRE(!node.empty());

    rig.remove_pod("train-3");  // The plan is lost.
    rig.advance(Time{500});
    for (const auto* seen : {"train-0", "train-1", "train-2"})
        CHECK(rig.pod_of(seen).nominated_node.empty());
    rig.change_pod("train-2", [&](model::Pod& pod) { pod.nominated_node = node; });  // It was under way.
    rig.advance(Time{1000});
    CHECK(rig.pod_of("train-2").nominated_node.empty());
}

}  // namespace
}  // namespace echelon::engine
