#pragma once

// The bind calls that wait at the barrier, from the request to the engine's answer or the caller's hanging up.
//
// A waiting call holds no thread. Each ends exactly once: answered, gone, or forgotten with the server. Thread-safe.

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

// How many calls may wait at once.
struct BindRoom {
    std::size_t all = 4096;
    std::size_t members = 3072;  // Of them; the rest is for pods of no gang.
};

class BindCalls {
public:
    // Told of each call that has ended: how, and how long it took.
    using Ended = std::function<void(const Ticket& ticket, const std::string& pod, CallResult result,
                                     std::chrono::steady_clock::duration took)>;

    // `doors` and `tallies` must outlive this.
    BindCalls(const Backend& doors, Metrics& tallies, BindRoom room = {}, Ended ended = {})
        : doors_(doors), tallies_(tallies), room_(room), ended_(std::move(ended)) {}

    // The engine is told of the call and the answer comes later; or an answer at once: why it can't wait.
    [[nodiscard]] std::optional<std::string> begin(const Request& request);
    // The body for the caller and the ticket to give it to; nullopt: no such call waits.
    [[nodiscard]] std::optional<std::pair<Ticket, std::string>> answer(const engine::AnswerBind& answer);
    // The caller hung up; the engine is told.
    void gone(const Ticket& ticket);
    [[nodiscard]] std::size_t waiting() const;

private:
    struct Waiting {
        Ticket ticket;
        std::string pod;  // "namespace/name".
        std::chrono::steady_clock::time_point since;
        bool is_member = false;  // Of a gang, as far as the published state knows: it may wait long.
    };
    // Why no call may wait now; nullopt: it may.
    [[nodiscard]] std::optional<std::string> reason_to_refuse(const engine::PublishedState& published) const;
    // Requires mutex_: the number of the call; 0: there is no room.
    [[nodiscard]] std::uint64_t add(const Waiting& coming);
    // Requires mutex_.
    Waiting remove(std::uint64_t call);
    void count(const Waiting& call, CallResult result);

    const Backend& doors_;
    Metrics& tallies_;
    const BindRoom room_;
    const Ended ended_;

    mutable std::mutex mutex_;
    // Protected by mutex_.
    std::uint64_t next_call_ = 1;
    std::size_t members_ = 0;                             // Of `waiting_`.
    std::unordered_map<std::uint64_t, Waiting> waiting_;  // By call number.
    std::map<Ticket, std::uint64_t> calls_;               // The same the other way round.
};

}  // namespace echelon::server
