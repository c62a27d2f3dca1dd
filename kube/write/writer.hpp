#pragma once

// Carries out writes against the API server, in parallel, and reports each outcome exactly once.
//
// Bindings go over connections of their own (4 to 8 kept alive) and aren't held up by other writes, which share a token
// bucket (clientConnection.qps, burst); events have a slower bucket of their own. Writes about one pod are not ordered
// here: the engine waits for one before the next. Thread-safe.

#include "kube/client/credentials.hpp"
#include "kube/lease/lead.hpp"
#include "model/facts/durations.hpp"
#include "model/facts/write.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::kube {

struct WriterOptions {
    double qps = 500;
    double burst = 1000;
    unsigned bind_connections = 6;
    unsigned other_connections = 6;
    std::string reporter;           // Of events: which echelon this is.
    double events_per_second = 20;  // Beside `qps`: events never hold up what gangs wait for.
    double event_burst = 100;
    std::size_t most_events_waiting = 1000;  // Further ones are dropped.
};

// Bindings that were POSTed, as the API server answered them.
struct BindFigures {
    // The answers that are told apart: HTTP statuses, "other" for any further one, "none" when no answer came.
    static constexpr std::array<std::string_view, 15> codes = {"200", "201", "400", "401", "403", "404",   "409", "422",
                                                               "429", "500", "502", "503", "504", "other", "none"};
    std::array<std::uint64_t, codes.size()> requests{};  // By place in `codes`.
    model::DurationHistogram<1000, 16> durations;

    void add(std::optional<int> status, std::chrono::nanoseconds took);
};

class Writer {
public:
    using Done = std::function<void(std::uint64_t id, const model::Outcome&)>;  // Called on a worker thread.

    Writer(const std::shared_ptr<Credentials>& credentials, const WriterOptions& options, Done done);
    ~Writer();  // Finishes what is under way, drops what is queued.

    // A write that was asked for under a lead is dropped, and reported as rejected, when that is over before it is
    // sent; reads have no end. `lead` may be null.
    void submit(std::uint64_t id, model::Write write, std::shared_ptr<const Lead> lead = {});
    [[nodiscard]] BindFigures bind_figures() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
