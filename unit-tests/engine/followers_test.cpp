// Members that required pod affinity lets kube-scheduler place only beside another member (D14): when are they
// released, and how are they woken?

#include "unit-tests/engine/support/rig.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::first_of;
using test::Rig;

model::PodTerm beside(const std::string& role) {
    model::PodTerm term;
    term.kind = model::PodTerm::Kind::together;
    term.key = test::rack_key;
    term.labels = {{"role", model::Requirement::Operator::in, {role}}};
    term.namespaces = {"default"};
    return term;
}

// train-0 and train-1 follow train-2.
void gang_with_followers(Rig& rig, bool gated) {
    rig.fabric(1, 2, 4);
    rig.gang({"train", 3, test::rack_key});
    rig.pods("train", 0, 3, gated);
    rig.label_pod("train-2", {{"role", "leader"}});
    for (const char* name : {"train-0", "train-1"}) {
        rig.label_pod(name, {{"role", "worker"}});
        rig.change_pod(name, [](model::Pod& pod) { pod.terms = {beside("leader")}; });
    }
    rig.synced();
    rig.advance(Time{1000});
}

TEST_CASE("a follower is released when those that follow nobody are at the barrier (D14)") {
    Rig rig;
    gang_with_followers(rig, true);
    CHECK(count_of(rig.writes, "ungate") == 1);
    CHECK(count_of(rig.writes, "ungate train-2") == 1);
    rig.arrive("train", 2, 3);
    rig.advance(Time{100});
    CHECK(count_of(rig.writes, "ungate") == 3);
    CHECK(count_of(rig.writes, "kick") == 0);
    rig.arrive("train", 0, 2);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 3);
}

TEST_CASE("followers are released after ten seconds, even if a member is missing") {
    Rig rig;
    gang_with_followers(rig, true);
    rig.advance(Time{8000});
    CHECK(count_of(rig.writes, "ungate") == 1);
    rig.advance(Time{2000});
    CHECK(count_of(rig.writes, "ungate") == 3);
}

TEST_CASE("members that select themselves by affinity lead") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.gang({"train", 3, test::rack_key});
    rig.pods("train", 0, 3);
    rig.label_pod("train-0", {{"role", "worker"}});
    rig.change_pod("train-0", [](model::Pod& pod) { pod.terms = {beside("worker")}; });
    rig.synced();
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "ungate") == 3);
}

TEST_CASE("a follower without a gate is woken by its label once others are at the barrier (R16)") {
    Rig rig;
    std::string woken;
    rig.fate = [&woken](const model::Write& write) -> std::optional<model::Outcome> {
        if (const auto* kick = std::get_if<model::KickPod>(&write); kick != nullptr && kick->by_label)
            woken += kick->pod.name + " ";
        return std::nullopt;
    };
    gang_with_followers(rig, false);
    CHECK(count_of(rig.writes, "nominate") == 1);
    rig.arrive("train", 2, 3);
    rig.advance(Time{100});
    CHECK(count_of(rig.writes, "nominate") == 3);
    CHECK(woken == "train-0 train-1 ");
    CHECK(first_of(rig.writes, "nominate train-0") < first_of(rig.writes, "kick train-0"));
}

TEST_CASE("a follower that lost its nomination is nominated, and then woken by its label") {
    Rig rig;
    gang_with_followers(rig, true);
    rig.arrive("train", 2, 3);
    rig.advance(Time{100});
    rig.writes.clear();
    rig.change_pod("train-0", [](model::Pod& pod) { pod.nominated_node.clear(); });
    rig.advance(Time{200});
    CHECK(count_of(rig.writes, "nominate train-0") == 1);
    CHECK(count_of(rig.writes, "kick train-0") == 1);
}

}  // namespace
}  // namespace echelon::engine
