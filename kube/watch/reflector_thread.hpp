#pragma once

// How is one resource watched? Sends the requests that a ListWatchState asks for, decodes the objects in the answers,
// and delivers the events.
//
// `run` is the body of one thread. The other public functions may be called from any thread.

#include "kube/client/credentials.hpp"
#include "kube/client/discovery.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/limited_log.hpp"
#include "kube/client/served_kinds.hpp"
#include "kube/client/watched_kind.hpp"
#include "kube/protobuf/message_shape.hpp"
#include "kube/watch/list_watch_state.hpp"
#include "kube/watch/watch_pace.hpp"
#include "kube/watch/watcher.hpp"
#include "model/facts/event.hpp"

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
    // Decodes an object of a kind that `decode` doesn't know. Empty: `decode` is used.
    using Read = std::function<std::vector<model::Event>(const nlohmann::json& object, Change change)>;

    // Requires: `served` and the texts of `kind` outlive this.
    ReflectorThread(const WatchedKind& kind, std::shared_ptr<Credentials> credentials, WatchPace pace,
                    Watcher::Sink sink, Watcher::Log log, ServedKinds& served, const model::Limits& limits = {},
                    Read read = {}, std::shared_ptr<const NodeHealth> health = {});

    void run(const std::stop_token& stop);
    // Ends the request under way. `run` then returns if its stop token is set.
    void cancel() { client_.cancel(); }
    // Ends the request under way, so that `run` compares the served kinds at once.
    void recheck_served_kinds() { client_.interrupt(); }
    [[nodiscard]] bool reads_pods() const;
    [[nodiscard]] WatchStatus status() const;

private:
    void discover_kind(const std::stop_token& stop);
    // The server gave no usable answer to discovery, or refused it.
    void ask_again(const std::stop_token& stop, const Discovery& found);
    void served_as(const std::string& version);
    void unserved(const Discovery& found);
    void read_anew_if_needed();
    void list(const std::string& query);
    void watch(const std::string& query);
    void deliver(const Value& object, Change change);
    [[nodiscard]] base::Result<std::vector<model::Event>> events_of(const Value& object, Change change) const;
    // `fault` names the object.
    void report_unreadable(const nlohmann::json& object, const base::Error& fault);
    // Logs and lists the fault, once per version of the object. `sentence` names the object.
    void note_fault(const nlohmann::json& object, const std::string& sentence);
    void report_synced();
    // The last list or discovery was answered with 5xx or with nothing readable, or not.
    void note_broken(bool is_broken, const std::string& sentence);
    void publish();
    [[nodiscard]] double random() { return std::uniform_real_distribution<double>(0.0, 1.0)(generator_); }

    const WatchedKind kind_;
    const std::string name_;
    const WatchPace pace_;
    const Watcher::Sink sink_;
    LimitedLog log_;
    LimitedLog object_log_;  // A flood of unreadable objects must not hide what happens to the watch.
    const model::Limits limits_;
    const std::shared_ptr<const NodeHealth> health_;
    const Read read_;
    ServedKinds& served_;

    // Used by the running thread alone, except for `cancel`.
    HttpClient client_;
    std::mt19937_64 generator_;
    base::Backoff discovery_backoff_;
    UnreadableList unreadable_;
    std::uint64_t undecoded_ = 0;          // Objects with a readable name and an unreadable field.
    std::optional<ListWatchState> state_;  // From the first discovery that found the kind.
    std::string path_;                     // The resource's path; empty: discovery comes first.
    const ObjectShape* shape_ = nullptr;   // Null: the served version is read as JSON.
    int unserved_in_a_row_ = 0;
    int refusals_in_a_row_ = 0;  // Of discovery.
    UnservedKinds unserved_;     // Used for the pods delivered so far.
    bool synced_ = false;
    bool is_back_ = false;  // It is served again, and the list that shows it is still to come.
    std::optional<std::chrono::steady_clock::time_point> broken_since_;

    mutable std::mutex status_mutex_;
    WatchStatus status_;  // Guarded by status_mutex_.
};

}  // namespace echelon::kube
