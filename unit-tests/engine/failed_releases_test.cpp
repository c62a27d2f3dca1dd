// What follows when the API server refuses a nomination or the removal of a gate?

#include "unit-tests/engine/support/rig.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::Rig;
using Kind = model::Outcome::Kind;

// A gang of two that fits; the writes of this kind are answered so until `rig.fate` is empty.
template <typename Write>
void answer_with(Kind kind, Rig& rig) {
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"train", 2});
    rig.fate = [kind](const model::Write& write) {
        return std::holds_alternative<Write>(write) ? std::optional(model::Outcome{kind, "not now", "", ""})
                                                    : std::nullopt;
    };
    rig.pods("train", 0, 2);
    rig.advance(Time{1000});
}

TEST_CASE("a gate whose removal was refused for a moment is removed soon") {
    Rig rig;
    answer_with<model::UngatePod>(Kind::rejected, rig);
    CHECK(rig.gated("train") == 2);
    rig.fate = nullptr;
    rig.advance(Time{2000});
    CHECK(rig.gated("train") == 0);
    rig.live(3);
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("the removal of a gate is refused for ever: it is tried less and less often") {
    Rig rig;
    answer_with<model::UngatePod>(Kind::rejected, rig);
    const auto tries = [&] { return count_of(rig.writes, "ungate train-0"); };
    rig.advance(Time{20'000});
    const auto before = tries();
    CHECK(before < 8);
    rig.advance(Time{60'000});
    CHECK(tries() - before >= 3);
    CHECK(tries() - before <= 5);
}

TEST_CASE_TEMPLATE("a write that is answered as if the pod were gone is repeated while the watch shows the pod", Write,
                   model::NominatePod, model::UngatePod) {
    Rig rig;
    answer_with<Write>(Kind::gone, rig);
    CHECK(rig.gated("train") == 2);
    rig.fate = nullptr;
    rig.live(6);
    CHECK(rig.bound().size() == 2);
}

}  // namespace
}  // namespace echelon::engine
