#pragma once

// How do gangs of a few hosts come and go while a large one waits for room?

#include "unit-tests/engine/support/rig.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace echelon::engine::test {

// A gang that waits reserves a domain after a minute, for ten minutes.
inline Options reserving_soon() {
    auto options = Rig::default_options();
    options.claim_after = Time{60'000};
    options.claim_lifetime = Time{600'000};
    return options;
}

// A gang of `size` hosts comes; true: it is bound. `ends_after`: activeDeadlineSeconds of the pods; 0: none.
inline bool passes(Rig& rig, const std::string& gang, int size, std::int64_t ends_after = 0) {
    rig.gang({gang, size, test::rack_key, {}, 99});
    rig.pods(gang, 0, size, false);
    for (int i = 0; i < size; ++i) {
        rig.change_pod(fmt::format("{}-{}", gang, i), [&](model::Pod& pod) { pod.active_deadline = ends_after; });
    }
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    return !rig.racks_of(gang).empty();
}

// All pods of the gang end, and its group goes.
inline void remove_all(Rig& rig, const std::string& gang, int size) {
    for (int i = 0; i < size; ++i)
        rig.remove_pod(fmt::format("{}-{}", gang, i));
    rig.remove_gang(gang);
    rig.advance(Time{3000});
}

}  // namespace echelon::engine::test
