#pragma once

// Which jobs came, when, and what did they ask for?
//
// A trace is CSV text with a header; docs/simulate.md has its columns. Plain values. Pure.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::simulate {

using Seconds = double;  // Since the start of the trace. Sums of what the trace says, never rounded.

// What each pod of a job requests. Jobs of equal requests share one.
struct PodRequest {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_bytes = 0;
    std::string gpu_resource;             // Resource of `gpus` and `gpu_share`; empty: none is requested.
    std::int64_t gpus = 0;                // Whole devices.
    std::int64_t gpu_share = 0;           // Thousandths of one device.
    std::vector<std::string> gpu_models;  // Any of them; empty: every model. Sorted.

    auto operator<=>(const PodRequest&) const = default;
};

// Keys of levels. Jobs of equal levels share one.
struct LevelRequest {
    std::vector<std::string> required;
    std::vector<std::string> preferred;

    auto operator<=>(const LevelRequest&) const = default;
};

struct Job {
    std::string name;
    std::size_t line = 0;  // Line in the trace.
    Seconds submit = 0;
    std::optional<Seconds> duration;  // Absent: it never ends.
    std::optional<Seconds> limit;     // activeDeadlineSeconds: it ends then at the latest.
    std::uint32_t pods = 1;
    std::uint32_t request = 0;  // Index into Trace::requests.
    std::uint32_t levels = 0;   // Index into Trace::levels.
    std::int64_t priority = 0;
    bool is_gang = true;
    std::string owner;

    // How long each pod runs; absent: for ever.
    [[nodiscard]] std::optional<Seconds> run_time() const;
};

struct Trace {
    std::vector<PodRequest> requests;
    std::vector<LevelRequest> levels;
    std::vector<Job> jobs;  // By submit, then line.
};

// What is wrong with a trace. The header is line 1.
struct TraceFault {
    std::size_t line = 1;
    std::string what;  // No trailing period.

    bool operator==(const TraceFault&) const = default;
};

[[nodiscard]] std::expected<Trace, TraceFault> read_trace(std::string_view text);

}  // namespace echelon::simulate
