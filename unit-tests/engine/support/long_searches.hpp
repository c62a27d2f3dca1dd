#pragma once

// How does a test run an engine whose searches are all long?

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace echelon::engine::test {

// With so little work every search is a long one.
inline Options apart() {
    auto options = Rig::default_options();
    options.step_work = 1;
    options.async_searches = true;
    return options;
}

// Until the engine has nothing to do but wait for searches.
inline void idle(Rig& rig) {
    rig.advance(Time{500});
}

inline void sync(Rig& rig) {
    rig.synced();
    idle(rig);
}

inline bool holds(const Rig& rig, const std::string& gang) {
    return std::ranges::any_of(rig.notes, [&](const Note& note) {
        return note.gang == "default/" + gang && note.sentence.starts_with("holds ");
    });
}

inline void one_pod(Rig& rig, const std::string& name, std::int64_t priority, std::int64_t gpus = 8) {
    rig.gang({name, 1, test::rack_key, priority, 1});
    rig.pod(name + "-0", name, true, gpus);
}

inline void end_searches(Rig& rig) {
    for (int i = 0; i < 6 && !rig.searches.empty(); ++i) {
        rig.end_search();
        idle(rig);
    }
}

}  // namespace echelon::engine::test
