// The verdicts in the published state: the cost of a change doesn't depend on the number of pods, and the verdicts
// equal those computed from all members.

#include "engine/publish/verdicts.hpp"

#include "unit-tests/engine/support/rig.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
    bool one_in(std::uint32_t sides) { return below(sides) == 0; }

private:
    std::mt19937 engine_;
};

using Texts = std::map<std::string, std::string>;  // By UID.

Texts texts_of(const Verdicts& verdicts) {
    Texts texts;
    verdicts.for_each([&](const std::string& uid, const Verdict& verdict) { texts.emplace(uid, verdict.text); });
    return texts;
}

TEST_CASE("a published copy doesn't change with later writes") {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Verdicts verdicts;
        Texts expected;
        std::vector<std::pair<Verdicts, Texts>> shared;
        for (int step = 0; step < 3'000; ++step) {
            const auto uid = fmt::format("uid-{}", dice.below(400));
            if (dice.one_in(3)) {
                verdicts.erase(uid);
                expected.erase(uid);
            } else {
                const auto text = fmt::format("text {}", dice.below(5));
                verdicts.put(uid, {.kind = Verdict::Kind::refused, .node = "", .text = text, .gang = "default/g"});
                expected[uid] = text;
            }
            if (dice.one_in(100))
                shared.emplace_back(verdicts, expected);
        }
        REQUIRE(texts_of(verdicts) == expected);
        for (const auto& [then, texts] : shared)
            REQUIRE(texts_of(then) == texts);
        for (const auto& [uid, text] : expected)
            CHECK(verdicts.find(uid)->text == text);
        CHECK(verdicts.find("uid-400") == nullptr);
    }
}

// Each member without a node has a verdict: a seat, or the text of the gang. No other pod has one.
void check_verdicts(const Rig& rig, const std::map<std::string, std::string>& gang_of, Engine& engine) {
    const auto published = engine.published();
    std::map<std::string, std::string> seats;
    for (const auto& seat : engine.held_seats())
        seats.emplace(seat.pod, seat.node);
    std::map<std::string, std::string> texts;  // By gang.
    std::size_t members = 0;
    for (const auto& [name, gang] : gang_of) {
        const auto& pod = rig.pod_of(name);
        CAPTURE(name);
        const auto* verdict = published->verdict(pod.uid);
        REQUIRE((verdict == nullptr) == !pod.node.empty());
        if (verdict == nullptr)
            continue;
        ++members;
        CHECK(verdict->gang == "default/" + gang);
        const auto seat = seats.find("default/" + name);
        REQUIRE((verdict->kind == Verdict::Kind::pinned) == (seat != seats.end()));
        if (seat != seats.end()) {
            CHECK(verdict->node == seat->second);
        } else {
            CHECK(texts.try_emplace(gang, verdict->text).first->second == verdict->text);
        }
    }
    CHECK(texts_of(published->verdicts).size() == members);
}

TEST_CASE("after any event the verdicts equal those computed from all members") {
    for (std::uint32_t seed = 1; seed <= 25; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Rig rig;
        rig.fabric(1, 2, 3);
        for (const char* gang : {"a", "b", "c"})
            rig.gang({gang, static_cast<std::int64_t>(dice.below(4)) + 1, dice.one_in(2) ? test::rack_key : ""});
        rig.synced();
        std::map<std::string, std::string> gang_of;
        for (int step = 0; step < 150; ++step) {
            const auto gang = std::string(1, static_cast<char>('a' + dice.below(3)));
            const auto name = fmt::format("{}-{}", gang, dice.below(6));
            const auto known = gang_of.find(name);
            switch (dice.below(8)) {
                case 0:
                    rig.advance(Time{dice.below(400)});
                    break;
                case 1:
                    rig.schedule_all();
                    break;
                case 2:
                    rig.change_gang(gang, [&](model::Group& group) { group.minimum = dice.below(4) + 1; });
                    break;
                case 3:
                    if (known != gang_of.end()) {
                        rig.remove_pod(name);
                        gang_of.erase(known);
                    }
                    break;
                default:
                    if (known == gang_of.end()) {
                        rig.pod(name, gang, dice.one_in(2));
                        gang_of.emplace(name, gang);
                    }
            }
            check_verdicts(rig, gang_of, rig.engine);
        }
    }
}

}  // namespace
}  // namespace echelon::engine
