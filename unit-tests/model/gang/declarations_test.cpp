// The declarations of one group by pods, stored once per variant.

#include "model/gang/declarations.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon::model;

namespace {

Group asking(std::int64_t minimum, bool oldest_pod_decides = false) {
    Group group;
    group.key = {"label-gang", "ns/g"};
    group.minimum = minimum;
    group.policy.oldest_pod_decides = oldest_pod_decides;
    return group;
}

struct Voice {
    std::int64_t minimum;
    std::int64_t created;
    const char* pod;
};

// The result of declarations that come in this order, after which the last one is withdrawn.
Group made_of(const std::vector<Voice>& voices, bool oldest_pod_decides) {
    Declarations said;
    for (const auto& voice : voices)
        said.add(asking(voice.minimum, oldest_pod_decides), {voice.created, voice.pod});
    said.add(asking(99, oldest_pod_decides), {0, "gone"});
    said.remove(asking(99, oldest_pod_decides), {0, "gone"});
    return *said.effective_variant();
}

}  // namespace

TEST_CASE("most pods decide, or the oldest; the age is that of the oldest; the order doesn't matter (Z13)") {
    std::vector<Voice> voices = {{3, 30, "c"}, {3, 40, "d"}, {2, 20, "b"}, {2, 20, "a"}, {7, 50, "e"}};
    std::ranges::sort(voices, {}, &Voice::pod);
    do {
        const auto by_count = made_of(voices, false);
        CHECK(by_count.minimum == 2);  // Two say 2 and two say 3: the smaller one.
        CHECK(by_count.created == 20);
        const auto by_age = made_of(voices, true);
        CHECK(by_age.minimum == 2);
        CHECK(by_age.created == 20);
    } while (std::ranges::next_permutation(voices, {}, &Voice::pod).found);
}

TEST_CASE("what pods add to a group is no declaration of it") {
    Declarations said;
    CHECK(said.empty());
    auto more = asking(5);
    more.only_supplements = true;
    said.add(more, {1, {}});
    CHECK_FALSE(said.effective_variant());
    CHECK(said.ways() == 0);
    REQUIRE(said.additions().size() == 1);
    said.add(asking(2), {1, {}});
    said.add(asking(2), {2, {}});
    CHECK(said.ways() == 1);
    said.add(asking(3), {2, {}});
    CHECK(said.ways() == 2);
    said.remove(more, {1, {}});
    CHECK(said.additions().empty());
    said.remove(asking(2), {1, {}});
    said.remove(asking(2), {2, {}});
    CHECK(said.effective_variant()->minimum == 3);
    said.remove(asking(3), {2, {}});
    CHECK(said.empty());
}

TEST_CASE("equal declarations share one copy (BD2)") {
    Declarations said;
    said.add(asking(2), {1, {}});
    const auto first = said.effective_variant();
    said.add(asking(2), {2, {}});
    CHECK(&*said.effective_variant() == &*first);
}

TEST_CASE("labels divide a group while additions are about pods of several values (Z18)") {
    Declarations said;
    const auto about = [](const std::string& value) {
        auto addition = asking(1);
        addition.only_supplements = true;
        addition.about = LabelledPods{"job", value};
        return addition;
    };
    said.add(about("a"), {1, {}});
    said.add(about("a"), {2, {}});
    CHECK(said.dividing_labels().empty());
    said.add(about("b"), {3, {}});
    CHECK(said.additions().size() == 1);  // However many parts there are.
    REQUIRE(said.dividing_labels().size() == 1);
    CHECK(said.dividing_labels().front() == "job");
    said.remove(about("a"), {1, {}});
    CHECK(said.dividing_labels().size() == 1);
    said.remove(about("a"), {2, {}});
    CHECK(said.dividing_labels().empty());
    said.remove(about("b"), {3, {}});
    CHECK(said.empty());
}
