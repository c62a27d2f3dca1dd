#pragma once

// Which bind calls wait at the barrier? From the request until the engine answers or the caller hangs up.
//
// A waiting call takes no thread. Each ends exactly once: it is answered, its caller is gone, or the server ends.
// Thread-safe.

#include "engine/action.hpp"
#include "engine/publish/published_state.hpp"
#include "server/extender/extender.hpp"
#include "server/extender/metrics.hpp"
#include "server/http/request.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace echelon::server {

// The number of calls that may wait at once.
struct BindRoom {
    std::size_t all = 4096;
    std::size_t members = 3072;  // Of these, for members of gangs; the rest is for plain pods.
};

class BindCalls {
public:
    // Called for each call that has ended.
    using Ended = std::function<void(const Ticket& ticket, const std::string& pod, CallResult result,
                                     std::chrono::steady_clock::duration took)>;

    // `backend` and `metrics` must outlive this.
    BindCalls(const Backend& backend, Metrics& metrics, BindRoom room = {}, Ended ended = {})
        : backend_(backend), metrics_(metrics), room_(room), ended_(std::move(ended)) {}

    // Nullopt: the call waits, and the engine knows it. Otherwise the body of a refusal.
    [[nodiscard]] std::optional<std::string> begin(const Request& request);
    // The ticket of the call and the body of the answer; nullopt: no such call waits.
    [[nodiscard]] std::optional<std::pair<Ticket, std::string>> answer(const engine::AnswerBind& answer);
    // The caller hung up; tells the engine.
    void gone(const Ticket& ticket);
    [[nodiscard]] std::size_t waiting() const;

private:
    struct Waiting {
        Ticket ticket;
        std::string pod;  // "namespace/name".
        std::chrono::steady_clock::time_point since;
        bool is_member = false;  // The published state has the pod in a gang, so the call may wait long.
    };
    // Why no call may wait now; nullopt: calls may.
    [[nodiscard]] std::optional<std::string> reason_to_refuse(const engine::PublishedState& published) const;
    // Requires: mutex_ is held. Returns the number of the call; 0: too many wait.
    [[nodiscard]] std::uint64_t add(const Waiting& coming);
    // Requires mutex_.
    Waiting remove(std::uint64_t call);
    void count(const Waiting& call, CallResult result);

    const Backend& backend_;
    Metrics& metrics_;
    const BindRoom room_;
    const Ended ended_;

    mutable std::mutex mutex_;
    // Protected by mutex_.
    std::uint64_t next_call_ = 1;
    std::size_t members_ = 0;                             // Members in `waiting_`.
    std::unordered_map<std::uint64_t, Waiting> waiting_;  // By call number.
    std::map<Ticket, std::uint64_t> calls_;               // Ticket -> call number.
};

}  // namespace echelon::server
