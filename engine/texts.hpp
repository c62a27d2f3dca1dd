#pragma once

// What does kube-scheduler, and so the user, read? Texts on pods are constant per verdict, since a changed text
// requeues the pod (R15).

#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::engine::texts {

// "echelon: gang default/train: WHAT".
[[nodiscard]] std::string about(std::string_view gang, std::string_view what);
// "2026-01-01T00:00:00Z". `seconds` since 1970.
[[nodiscard]] std::string time(std::int64_t seconds);

// The whole text for a pod of no gang (PR1).
inline constexpr std::string_view promised_room = "echelon: room here is promised to a gang";

inline constexpr std::string_view waiting_for_members = "waiting for members";
inline constexpr std::string_view no_room_for_extras = "no room for members beyond the minimum";
inline constexpr std::string_view clearing = "its seats wait for pods that are being evicted";
inline constexpr std::string_view no_seat = "the member has no seat in a plan";
inline constexpr std::string_view yielded = "aborted, a more important gang needs the room";
inline constexpr std::string_view plan_changed = "aborted, the plan changed";
inline constexpr std::string_view not_waiting = "aborted, the pod isn't waiting any more";
inline constexpr std::string_view barrier_timeout = "aborted, not every member came in time";
inline constexpr std::string_view outcome_unknown = "whether the pod was bound is not known yet";
inline constexpr std::string_view barrier_full = "aborted, the barrier is full and others go first";
inline constexpr std::string_view not_leading = "aborted, this echelon no longer leads";
inline constexpr std::string_view shutting_down = "aborted, echelon is shutting down";

}  // namespace echelon::engine::texts
