#pragma once

// One watched resource from discovery to the last event: does over HTTP what the reflector asks for, and hands on what
// comes of it.
//
// `run` is the life of one thread. `cancel` and `status` may be called from any thread.

#include "kube/client/credentials.hpp"
#include "kube/client/discovery.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/log_rate_limiter.hpp"
#include "kube/client/served_kinds.hpp"
#include "kube/client/watched_kind.hpp"
#include "kube/protobuf/message_shape.hpp"
#include "kube/watch/list_watch_state.hpp"
#include "kube/watch/watch_pace.hpp"
#include "kube/watch/watcher.hpp"
#include "model/facts/event.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>

namespace echelon::kube {

class ReflectorThread {
public:
    // What an object changes, where `decode` doesn't know its kind.
    using Read = std::function<std::vector<model::Event>(const nlohmann::json& object, Change change)>;

    // Requires: `served`, and what `kind` points to, outlive this.
    ReflectorThread(const WatchedKind& kind, std::shared_ptr<Credentials> credentials, WatchPace pace,
                    Watcher::Sink sink, Watcher::Log log, ServedKinds& served, const model::Limits& limits = {},
                    Read read = {}, std::shared_ptr<const NodeHealth> health = {});

    void run(const std::stop_token& stop);
    // Ends the request under way; `run` then returns if it was asked to stop.
    void cancel() { client_.cancel(); }
    // Ends the request under way, so that `run` looks at once which kinds are served.
    void look_again() { client_.interrupt(); }
    [[nodiscard]] bool reads_pods() const;
    [[nodiscard]] WatchStatus status() const;

private:
    void discover_kind(const std::stop_token& stop);
    void served_as(const std::string& version);
    void unserved(const Discovery& found);
    void read_anew_if_needed();
    void list(const std::string& query);
    void watch(const std::string& query);
    void deliver(const Value& object, Change change);
    [[nodiscard]] base::Result<std::vector<model::Event>> events_of(const Value& object, Change change) const;
    // `fault` names the object.
    void cannot_read(const nlohmann::json& object, const base::Error& fault);
    // Logged and listed, once per version of the object. `sentence` names it.
    void note_fault(const nlohmann::json& object, const std::string& sentence);
    void synced();
    void say(const std::string& sentence);
    void publish();
    void pause(const std::stop_token& stop, std::chrono::milliseconds time);
    [[nodiscard]] double random() { return std::uniform_real_distribution<double>(0.0, 1.0)(numbers_); }

    const WatchedKind kind_;
    const std::string name_;
    const WatchPace pace_;
    const Watcher::Sink sink_;
    const Watcher::Log log_;
    const model::Limits limits_;
    const std::shared_ptr<const NodeHealth> health_;
    const Read read_;
    ServedKinds& served_;

    // Used by the running thread alone, except for `cancel`.
    HttpClient client_;
    std::mt19937_64 numbers_;
    base::Backoff discovery_backoff_;
    LogRateLimiter gate_;
    UnreadableBook book_;
    std::uint64_t undecoded_ = 0;              // Objects with a name, and a field that couldn't be read.
    std::optional<ListWatchState> reflector_;  // From the first discovery that found the kind.
    std::string path_;                         // Empty: to be discovered.
    const ObjectShape* shape_ = nullptr;       // Null: in the version that is served it comes as JSON.
    int unserved_in_a_row_ = 0;
    UnservedKinds unserved_;  // Under which what was delivered was read.
    bool synced_ = false;

    std::mutex pause_mutex_;
    std::condition_variable_any pause_;

    mutable std::mutex status_mutex_;
    WatchStatus status_;  // Guarded by status_mutex_.
};

}  // namespace echelon::kube
