#pragma once

// Which metrics does the HTTP server count, and how are all metrics written for a scrape? (docs/metrics.md)
//
// Label values come from fixed sets, never from names of pods, gangs or nodes. Thread-safe.

#include "base/enum_count.hpp"
#include "engine/action.hpp"
#include "engine/publish/published_state.hpp"
#include "server/http/rejection.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace echelon::server {

enum class Verb : std::uint8_t { filter, prioritize, preempt, bind };
inline constexpr std::size_t verb_count = base::count_up_to(Verb::bind);

enum class CallResult : std::uint8_t { ok, rejected, error, bad_request, deadline, client_gone, overload };
inline constexpr std::size_t result_count = base::count_up_to(CallResult::overload);

[[nodiscard]] std::string_view to_string(Verb verb);
[[nodiscard]] std::string_view to_string(CallResult result);
[[nodiscard]] CallResult to_result(engine::BindResult result);

// Counts of all ports at the time of a scrape.
struct PortCounts {
    std::size_t connections = 0;
    std::array<std::uint64_t, rejection_count> rejections{};  // By Rejection.
};

class Metrics {
public:
    Metrics();
    ~Metrics();

    void began(Verb verb);
    void ended(Verb verb, CallResult result, std::chrono::steady_clock::duration took);

    // Changed TLS files were loaded (`is_good`) or refused.
    void reloaded(bool is_good);

    // All metrics in Prometheus text format, `more` last.
    [[nodiscard]] std::string text(const engine::PublishedState& published, const PortCounts& ports,
                                   std::vector<prometheus::MetricFamily> more = {}) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::server
