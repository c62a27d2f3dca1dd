#pragma once

// What do all parts of a simulation share? The clock, the API server, random numbers, network faults, and the journal
// of violations and, on request, of a trace.
//
// Not thread-safe; one simulation owns one world.

#include "unit-tests/simulator/api_server.hpp"
#include "unit-tests/simulator/clock.hpp"
#include "unit-tests/simulator/random.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::simulator {

struct Violation {
    std::string invariant;  // "I1" .. "I14" (ARCHITECTURE.md), or a rule about evictions.
    std::string sentence;
    std::uint64_t step = 0;
    Time at{0};
};

// How the API server and the network behave for a while.
struct Weather {
    std::uint64_t refused = 0;   // Per mille of writes that never arrive; the outcome is unknown (1, 5, 6).
    std::uint64_t lost = 0;      // Are carried out, but the answer is lost: unknown (19).
    std::uint64_t rejected = 0;  // Are forbidden (8).
    std::uint64_t slow = 0;      // Take up to `slowness` (2, 21).
    Time slowness{0};
    Time until{0};
};

// The commits of a gang: for each sequence of records in phase Committed, the UIDs of members that it binds. Needed
// where only waiting members count (KP4).
struct Promise {
    model::Phase phase = model::Phase::pending;  // Of the last record.
    std::vector<std::set<std::string>> commits;

    void hear(const model::PlanRecord& record);
};

// What the records of a gang in phase Clearing have named: by UID the victims that were ever named (P2), and those of
// the last epoch (P4).
struct NamedVictims {
    std::set<std::string> ever;
    std::int64_t epoch = -1;
    std::set<std::string> last;
    std::uint64_t writer = 0;  // The latest lead that has written.

    // False: the record adds a victim within one epoch. A pod that is gone may be named again: it is not evicted twice.
    // What an earlier lead has written may arrive late, and is then overwritten.
    [[nodiscard]] bool hear(const model::PlanRecord& record, std::uint64_t by, const View& truth);
};

struct World {
    explicit World(std::uint64_t seed) : random(seed) {}

    Clock clock;
    ApiServer api;
    Random random;
    Weather weather;
    std::uint64_t leads = 0;   // Of all processes so far.
    std::uint64_t writer = 0;  // The lead under which the last write was sent.
    bool is_quiet = false;     // Faults and churn are over: progress is demanded.
    std::uint64_t steps = 0;

    bool is_tracing = false;
    std::vector<std::string> trace;
    std::optional<Violation> violation;
    std::string watched;  // Violations of this invariant alone count; empty: of every one.

    // Roots whose GangPlan was ever written with phase Committed or Bound -> UIDs that had a seat in it.
    std::map<model::GroupKey, std::set<std::string>> recorded;
    std::map<model::GroupKey, Promise> promises;      // By root.
    std::map<model::GroupKey, NamedVictims> victims;  // Likewise.

    void tell(std::string line) {
        if (is_tracing)
            trace.push_back(std::move(line));
    }
    // The first one counts; the run ends with it.
    void fail(std::string_view invariant, std::string sentence);
};

}  // namespace echelon::simulator
