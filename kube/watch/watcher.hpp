#pragma once

// The side watcher: keeps the model in step with the API server. One thread per watched resource (L1 to L13).
//
// Kinds that the server doesn't serve count as listed and are asked for again every 30 s (discovery), so that a CRD
// installed later is picked up without a restart; pods are read anew then, since they may name its objects. A kind that
// may not be read (403) counts as listed, too, unless nothing can be decided without it; what is in it is waited for.

#include "kube/client/credentials.hpp"
#include "kube/client/served_kinds.hpp"
#include "kube/decode.hpp"
#include "kube/topology/store_place.hpp"
#include "kube/watch/unreadable.hpp"
#include "kube/watch/watch_pace.hpp"
#include "model/facts/durations.hpp"
#include "model/facts/event.hpp"
#include "model/facts/limits.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

using RelistTimes = model::DurationHistogram<10'000, 12>;

// One line of /readyz and the figures behind the cache metrics.
struct WatchStatus {
    std::string what;  // "pods", "podgroups.scheduling.k8s.io" ...
    bool served = true;
    bool listed = false;  // First list delivered (or not served).
    std::string trouble;  // Why it isn't in step now; empty: it is.
    std::size_t objects = 0;
    std::chrono::steady_clock::time_point last_event;  // Event, bookmark, list or accepted watch.
    std::uint64_t added = 0, modified = 0, deleted = 0, bookmarks = 0;
    std::uint64_t restarts_eof = 0, restarts_expired = 0, restarts_stall = 0, restarts_error = 0;
    RelistTimes relists;
    std::uint64_t unreadable = 0;                      // Objects that couldn't be read, once per version.
    std::vector<UnreadableObject> unreadable_objects;  // Those of now: the newest, oldest first.
};

// Of all resources together: a sentence each, the newest first, `most_unreadable` at most.
[[nodiscard]] std::vector<std::string> unreadable_in(const std::vector<WatchStatus>& watched);

// A ConfigMap that is watched beside the kinds.
struct WatchedStore {
    ConfigMapRef place;
    // What it changes. Called on a watcher thread, never two at a time.
    std::function<std::vector<model::Event>(const nlohmann::json& object, Change change)> read;
};

struct WatcherOptions {
    bool watch_plans = true;     // GangPlans, for recovery.
    bool watch_budgets = false;  // PodDisruptionBudgets, where pods may be evicted.
    WatchPace pace{};
    std::optional<WatchedStore> store = {};
    model::Limits limits{};  // Of what one object makes of itself.
    std::shared_ptr<const NodeHealth> health = {};
};

class Watcher {
public:
    // Called on watcher threads; events of one resource in order, never two at a time for one resource.
    using Sink = std::function<void(model::Event)>;
    using Log = std::function<void(const std::string& sentence)>;  // Rate-limited by the watcher.

    // The names of `model::Synced` that will come, in a fixed order.
    [[nodiscard]] static std::vector<std::string> resources(const WatcherOptions& options = {});

    Watcher(const std::shared_ptr<Credentials>& credentials, WatcherOptions options, const Sink& sink, const Log& log);
    ~Watcher();  // Stops within a second, whatever the server does.

    [[nodiscard]] std::vector<WatchStatus> status() const;
    [[nodiscard]] UnservedKinds unserved() const;  // As of now.

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
