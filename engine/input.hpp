#pragma once

// Everything that can happen to the engine. One queue of these is all that ever changes its state.

#include "engine/publish/promises.hpp"
#include "model/facts/event.hpp"
#include "model/facts/write.hpp"
#include "solver/solve.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>

namespace echelon::engine {

// The watch saw something.
struct Observed {
    model::Event event;
};

// kube-scheduler asked filter about a pod, and what it was told. Callbacks themselves are answered from the picture;
// the engine only learns of them here.
struct Filtered {
    enum class Answer : std::uint8_t {
        passed,   // Outside every gang: the same names went back.
        pinned,   // The planned node was in the list and went back alone.
        missing,  // The planned node wasn't in the list: kube-scheduler's own filters, or sampling (rule R3).
        refused,  // No seat.
    };
    std::string uid;
    Answer answer = Answer::passed;
    std::uint32_t names = 0;  // Length of the list that came.
    std::string node;         // The planned node that the answer was about; empty: none.
    bool is_exempt = false;   // A pod of no gang that may use promised room, as far as that was asked (PR2).
};

// kube-scheduler calls bind and waits. Answered later, by an `AnswerBind` with the same call number.
struct BindCalled {
    std::uint64_t call = 0;
    model::PodRef pod;
    std::string node;
};

// The caller of a waiting bind hung up.
struct CallerGone {
    std::uint64_t call = 0;
};

// A write that the engine asked for has come to an end.
struct Written {
    std::uint64_t write = 0;
    model::Outcome outcome;
};

// A search that the engine asked for has come to an end. The engine still has its problem, and solves it where nobody
// has, as a replay does.
struct SearchEnded {
    std::uint64_t search = 0;
};

// Time has passed; sent when `Engine::wakes_at()` is due.
struct Ticked {};

// Whether this echelon may plan and write. Starts as true.
struct LeadChanged {
    bool leads = true;
    // A lead ends then by itself, unless it is told again: who was stopped for a while must not act on an old one.
    std::chrono::milliseconds until = std::chrono::milliseconds::max();
};

struct ProfileOptions {
    bool gang = true;
    bool topology = true;
    bool nominate = true;
    Protection protect = Protection::promised;  // What is kept from its plain pods.
    bool packs = false;                         // Nodes are scored for those (SC1).
    bool preempt = false;                       // Its gangs may have pods of lower priority evicted.
    bool conditions = false;                    // What becomes of its gangs is written on the objects of their groups.

    bool operator==(const ProfileOptions&) const = default;
};

// How pods are evicted for gangs (docs/preemption.md).
struct PreemptionOptions {
    std::int64_t most_victims = 512;             // Of one gang; larger sets of pods are not considered.
    std::chrono::milliseconds timeout{300'000};  // So long a gang waits for its victims to go.
    bool foreign = false;                        // Pods of other schedulers may be evicted, too (U4).

    bool operator==(const PreemptionOptions&) const = default;
};

// The configuration was changed: what may change while running, as it is from now on. Who waits already keeps the
// deadline that it has.
struct Reconfigured {
    std::map<std::string, ProfileOptions, std::less<>> profiles;  // By schedulerName.
    std::chrono::milliseconds barrier_timeout{};
    std::chrono::milliseconds settle{};
    std::chrono::milliseconds claim_after{};
    std::chrono::milliseconds claim_lifetime{};
    solver::SolveOptions budget;
    PreemptionOptions preemption;
};

// SIGTERM: waiting binds are answered with an error, commits under way are finished.
struct Draining {};

using Input = std::variant<Observed, Filtered, BindCalled, CallerGone, Written, Ticked, LeadChanged, Draining,
                           Reconfigured, SearchEnded>;

}  // namespace echelon::engine
