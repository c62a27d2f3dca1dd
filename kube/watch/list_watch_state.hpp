#pragma once

// Which request comes next to stay in sync with one resource, and what do the answers mean? (L1 to L8)
//
// List and watch as a state machine: its inputs are answers and the time, its output is the next request. Pure: no
// sockets, no clock, no randomness but `Random`; not thread-safe. The first list comes from the server's watch cache
// (version "0"). A later one asks for nothing older than the last version seen, and after an expiry for the newest.

#include "base/backoff.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/watched_kind.hpp"
#include "kube/json/object_parser.hpp"
#include "kube/watch/object_store.hpp"
#include "kube/watch/watch_pace.hpp"
#include "kube/watch/watcher.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

class ListWatchState {
public:
    using Instant = std::chrono::steady_clock::time_point;
    using Random = std::function<double()>;  // In [0, 1).
    using Log = std::function<void(const std::string& sentence)>;
    // Called once per version of an object that can't be read. `outline`: an object with its identity alone, null if
    // that can't be read either. `fault`: what is wrong, without the name.
    using Unreadable = std::function<void(const nlohmann::json& outline, const std::string& fault)>;

    struct Step {
        enum class Kind : std::uint8_t { wait, list, watch };
        Kind kind = Kind::list;
        std::string query = {};            // For a list or a watch, from "?" on.
        std::chrono::milliseconds wait{};  // For a wait.
    };
    struct Figures {
        bool listed = false;  // At least one list was complete.
        int forbidden = 0;    // Consecutive lists that were answered with 403.
        std::string trouble;  // Empty: in sync.
        Instant last_event{};
        std::uint64_t added = 0, modified = 0, deleted = 0, bookmarks = 0;
        std::uint64_t unreadable = 0;  // Objects, once per version, and items or lines without a readable name.
        std::uint64_t restarts_eof = 0, restarts_expired = 0, restarts_stall = 0, restarts_error = 0;
        RelistTimes relists;
    };

    ListWatchState(const WatchedKind& kind, std::string_view version, WatchPace pace, Random random,
                   ObjectStore::Deliver deliver, Unreadable unreadable, Log log);

    [[nodiscard]] Step next(Instant now);

    // One list request per page: began, then items and other members in any order, then ended.
    void list_began(Instant now);
    void list_item(std::string_view json);
    void list_member(std::string_view key, std::string_view json);
    void list_item_too_long(std::string_view front);
    // `front`: the JSON up to the fault. `fault`: the end of a sentence.
    void list_item_unreadable(std::string_view front, std::string_view fault);
    void list_ended(const HttpAnswer& answer, bool complete, Instant now);  // `complete`: its JSON or protobuf was.

    // One watch: began, opened after the status 200, lines, ended. `inside_line`: the last line was cut off.
    void watch_began(Instant now);
    void watch_opened(Instant now);
    [[nodiscard]] bool watch_line(std::string_view json, Instant now);  // False: end this watch.
    [[nodiscard]] bool watch_line_too_long(std::string_view front, Instant now);
    [[nodiscard]] bool watch_line_unreadable(std::string_view front, std::string_view fault, Instant now);
    void watch_ended(const HttpAnswer& answer, bool inside_line, Instant now);

    // True once after the server answered 404: the kind may no longer be served.
    [[nodiscard]] bool kind_was_missing();
    // The kind is served again, perhaps in another version: lists again.
    void served_as(std::string_view version);
    // The kind is no longer served: delivers every object as gone.
    void unserved();
    // Lists again, and delivers every object, changed or not.
    void read_anew();

    [[nodiscard]] const Figures& figures() const { return figures_; }
    [[nodiscard]] std::size_t objects() const { return store_.size(); }
    // True if every item of the last list had a readable name.
    [[nodiscard]] bool has_read_every_name() const { return nameless_ == 0; }

private:
    // Which version a list asks for.
    enum class ListMode : std::uint8_t {
        cached,  // "0": whatever the watch cache has.
        known,   // Not older than version_.
        newest,  // No version, in pages.
        whole,   // No version and no pages, after a page token expired.
    };
    // How a failure is handled.
    enum class Trouble : std::uint8_t { expired, throttled, missing, other };

    void fail(const std::string& sentence, std::optional<std::chrono::seconds> retry_after, Instant now);
    void list_failed(const HttpAnswer& answer, Instant now);
    void expired(Instant now);
    void watch_failed(const std::string& sentence, Instant now);
    void error_event(const nlohmann::json& status, Instant now);
    void take_event(std::string_view type, const Value& object);
    void report_unreadable(const PartialIdentity& object, const std::string& fault);
    [[nodiscard]] bool was_short(Instant now) const;
    [[nodiscard]] static Trouble classify(int code, const nlohmann::json& status);

    const WatchedKind kind_;
    const std::string name_;
    const WatchPace pace_;
    const Random random_;
    const Unreadable unreadable_;
    const Log log_;
    ObjectStore store_;
    ObjectParser parser_;
    base::Backoff backoff_;
    Figures figures_;
    Instant wait_until_{};

    bool must_list_ = true;
    ListMode mode_;             // A record that a cache doesn't show yet may be of a commit that has begun (I8).
    std::string version_;       // The last resourceVersion seen, opaque.
    std::string continue_;      // Token of the next page; empty: first page.
    std::string list_version_;  // resourceVersion of the page that is being read.
    std::string list_continue_;
    bool is_page_asked_again_ = false;
    Instant list_began_{};
    std::size_t nameless_ = 0;  // Items of the current or last list whose name couldn't be read.

    Instant watch_began_{};
    bool watch_was_opened_ = false;
    bool watch_had_event_ = false;
    bool expired_at_once_ = false;          // No watch has brought an event or lasted since one expired at once.
    bool watch_error_was_handled_ = false;  // An ERROR event ended the watch, and was handled.
    std::optional<std::string> cut_at_;     // version_ when the last watch ended inside a line.
    int silent_watches_ = 0;                // That were accepted and said nothing at all.
    int watch_failures_ = 0;                // Consecutive; failures_before_list of them lead to a list.
    bool missing_ = false;
};

}  // namespace echelon::kube
