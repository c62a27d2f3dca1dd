#pragma once

// How are the engine's writes carried out? In parallel against the API server; each outcome is reported exactly once.
//
// Bindings have separate connections, so other writes don't delay them, and a token bucket of 2,000 a second. Other
// writes share one of clientConnection.qps and burst, and what the start of a gang waits for goes first there. Events
// have a slower one. Writes of one pod are not ordered here: the engine waits for one before the next. Thread-safe.

#include "base/duration_histogram.hpp"
#include "kube/client/credentials.hpp"
#include "kube/lease/lead.hpp"
#include "kube/write/write_figures.hpp"
#include "model/facts/write.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace echelon::kube {

struct WriterOptions {
    double qps = 500;
    double burst = 1000;
    unsigned bind_connections = 6;
    unsigned other_connections = 6;
    std::string reporter;           // reportingInstance of events: the name of this echelon.
    double events_per_second = 20;  // Apart from `qps`, so that events don't delay other writes.
    double event_burst = 100;
    std::size_t most_events_waiting = 1000;  // Further ones are dropped.
};

// Counts and durations of POSTed bindings.
struct BindFigures {
    static constexpr auto codes = answer_codes;
    std::array<std::uint64_t, codes.size()> requests{};  // By index in `codes`.
    base::DurationHistogram<1000, 16> durations;

    void add(const HttpAnswer& answer, std::chrono::nanoseconds took);
};

class Writer {
public:
    using Done = std::function<void(std::uint64_t id, const model::Outcome&)>;  // Called on a worker thread.

    // `warn` is called on worker threads when writes of one kind keep failing, once a minute for each kind.
    Writer(const std::shared_ptr<Credentials>& credentials, const WriterOptions& options, Done done,
           WriteFigures::Warn warn = {});
    ~Writer();  // Finishes writes under way, drops queued ones.

    // If the lead ends before the write is sent, the write is dropped and reported as rejected. Reads ignore the lead,
    // which may be null. A record of a GangPlan that has not been sent gives way to a newer one, and is reported as
    // unknown.
    void submit(std::uint64_t id, model::Write write, std::shared_ptr<const Lead> lead = {});
    [[nodiscard]] BindFigures bind_figures() const;
    [[nodiscard]] WriteCounts write_counts() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
