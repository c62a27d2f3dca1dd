#pragma once

// How does the API server answer writes? Counts by kind and answer, and a warning while writes of one kind keep
// failing.
//
// Thread-safe. A count is one atomic addition; only failures take a lock.

#include "base/enum_count.hpp"
#include "kube/client/http_client.hpp"
#include "model/facts/write.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::kube {

// HTTP statuses, "other" for further ones, "none" if no answer came.
inline constexpr std::array<std::string_view, 15> answer_codes = {
    "200", "201", "400", "401", "403", "404", "409", "422", "429", "500", "502", "503", "504", "other", "none"};
// The index in `answer_codes`.
[[nodiscard]] std::size_t answer_code(const HttpAnswer& answer);

// A GangPlan takes two writes: `plan` is the object, `plan_status` its status.
enum class WriteKind : std::uint8_t {
    bind,
    nominate,
    ungate,
    kick,
    plan,
    plan_status,
    plan_deletion,
    event,
    score,
    condition,
    evict,
};
inline constexpr std::array<std::string_view, base::count_up_to(WriteKind::evict)> write_kinds = {
    "bind",          "nominate", "ungate", "kick",      "plan", "plan_status",
    "plan_deletion", "event",    "score",  "condition", "evict"};
// Nullopt: a read.
[[nodiscard]] std::optional<WriteKind> kind_of(const model::Write& write);

using WriteCounts = std::array<std::array<std::uint64_t, answer_codes.size()>, write_kinds.size()>;

class WriteFigures {
public:
    using Warn = std::function<void(const std::string& sentence)>;

    explicit WriteFigures(Warn warn) : warn_(std::move(warn)) {}

    // Counts the answer, and returns it.
    [[nodiscard]] HttpAnswer counted(WriteKind kind, HttpAnswer answer);
    // A write got 429, 5xx or no answer. `sentence` names its object and the answer. The second failure of a kind
    // within a minute is warned about, and further ones in that minute are not.
    void failed(WriteKind kind, const std::string& sentence, std::chrono::steady_clock::time_point now);
    [[nodiscard]] WriteCounts counts() const;

private:
    struct Failures {
        std::chrono::steady_clock::time_point began;  // Of the current minute.
        std::uint64_t count = 0;                      // In it.
    };

    const Warn warn_;  // May be empty.
    std::array<std::array<std::atomic<std::uint64_t>, answer_codes.size()>, write_kinds.size()> counts_{};
    std::mutex mutex_;
    std::array<Failures, write_kinds.size()> failures_;  // Guarded by mutex_.
};

}  // namespace echelon::kube
