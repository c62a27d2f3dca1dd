#pragma once

// What can happen to the engine? Only these inputs, from one queue, change its state.

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

// The watch has seen something.
struct Observed {
    model::Event event;
};

// kube-scheduler called filter for a pod, and got this answer. HTTP workers have answered from the published state
// already.
struct Filtered {
    enum class Answer : std::uint8_t {
        passed,  // Outside every gang: the same names were returned.
        pinned,  // The planned node was in the list and was returned alone.
        // The planned node wasn't in the list, because of kube-scheduler's own filters or of sampling (rule R3).
        missing,
        refused,  // No seat.
    };
    std::string uid;
    Answer answer = Answer::passed;
    std::uint32_t names = 0;  // Number of nodes in the call.
    std::string node;         // The planned node; empty: none.
    bool is_exempt = false;   // filter found that this plain pod may use promised room (PR2).
};

// kube-scheduler calls bind and waits. An `AnswerBind` with the same call number answers it later.
struct BindCalled {
    std::uint64_t call = 0;
    model::PodRef pod;
    std::string node;
};

// The caller of a waiting bind has closed its connection.
struct CallerGone {
    std::uint64_t call = 0;
};

// A write that the engine requested has ended.
struct Written {
    std::uint64_t write = 0;
    model::Outcome outcome;
};

// A search that the engine requested has ended. If it was not run, as in a replay, the engine runs it itself.
struct SearchEnded {
    std::uint64_t search = 0;
};

// Time has passed; sent when `Engine::wakes_at()` is due.
struct Ticked {};

// Whether this echelon may plan and write. True at the start.
struct LeadChanged {
    bool leads = true;
    // When the lead ends unless it is renewed: a process that was suspended must not act on an expired lead.
    std::chrono::milliseconds until = std::chrono::milliseconds::max();
};

struct ProfileOptions {
    bool gang = true;
    bool topology = true;
    bool nominate = true;
    Protection protect = Protection::promised;  // Which promised room is closed to its plain pods.
    bool packs = false;                         // Nodes are scored for its plain pods (SC1).
    bool preempt = false;                       // Pods of lower priority may be evicted for its gangs.
    bool conditions = false;                    // Objects of the groups get a condition (Z32).

    bool operator==(const ProfileOptions&) const = default;
};

// How pods are evicted for gangs (docs/preemption.md).
struct PreemptionOptions {
    std::int64_t most_victims = 512;             // For one gang; larger sets of pods are not considered.
    std::chrono::milliseconds timeout{300'000};  // How long a gang waits for its victims to go.
    bool foreign = false;                        // Pods of other schedulers may be evicted, too (U4).

    bool operator==(const PreemptionOptions&) const = default;
};

// The configuration has changed: the new values of all settings that may change at run time. Calls that wait already
// keep their deadlines.
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
