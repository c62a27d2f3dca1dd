// Seats and pods that keep each other away, once a node is relabelled (D14).

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

TEST_CASE("a held seat moves once a relabelled node brings a pod that keeps it away into its rack (D14)") {
    Rig rig;
    rig.node("n0", "b0", "r0");
    rig.node("n1", "b0", "r1");
    rig.node("n2", "b0", "r2");
    rig.pod("lonely", "", false);
    model::PodTerm term;
    term.key = test::rack_key;
    term.labels = {{"app", model::Requirement::Operator::in, {"x"}}};
    term.namespaces = {"default"};
    rig.change_pod("lonely", [&](model::Pod& pod) {
        pod.terms = {term};
        pod.node = "n2";
    });
    rig.synced();
    rig.gang({"train", 1, {}});
    rig.pods("train", 0, 1, false);
    rig.label_pod("train-0", {{"app", "x"}});
    rig.advance(Time{1000});
    const auto first = rig.filter("train-0").node;
    REQUIRE((first == "n0" || first == "n1"));
    rig.change_node("n2", [&](model::Node& node) { node.labels[test::rack_key] = first == "n0" ? "r0" : "r1"; });
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0").node == (first == "n0" ? "n1" : "n0"));
}

}  // namespace
}  // namespace echelon::engine
