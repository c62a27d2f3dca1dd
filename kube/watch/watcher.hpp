#pragma once

// How does the model stay in sync with the API server? One thread lists and watches each resource (L1 to L13).
//
// A kind that isn't served counts as listed, and discovery asks for it again every 30 s. A CRD that is installed later
// is found without a restart, and pods are then read again, since they may name its objects. A forbidden kind (403 to
// discovery or a list) counts as listed, too, unless it is needed for every decision; pods wait for its objects.

#include "base/duration_histogram.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/served_kinds.hpp"
#include "kube/decode.hpp"
#include "kube/topology/store_place.hpp"
#include "kube/watch/unreadable.hpp"
#include "kube/watch/watch_pace.hpp"
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

using RelistTimes = base::DurationHistogram<10'000, 12>;

// One line of /readyz and the figures behind the cache metrics.
struct WatchStatus {
    std::string what;  // "pods", "podgroups.scheduling.k8s.io" ...
    bool served = true;
    bool listed = false;     // The first list was delivered, or the kind isn't served.
    bool needed = false;     // Nothing is decided without it, even if it may not be listed.
    bool forbidden = false;  // The last list or discovery was answered with 403.
    std::string trouble;     // Why it is out of sync; empty: it is in sync.
    std::size_t objects = 0;
    std::chrono::steady_clock::time_point last_event;  // Event, bookmark, list or accepted watch.
    std::uint64_t added = 0, modified = 0, deleted = 0, bookmarks = 0;
    std::uint64_t restarts_eof = 0, restarts_expired = 0, restarts_stall = 0, restarts_error = 0;
    RelistTimes relists;
    std::uint64_t unreadable = 0;                      // Objects that couldn't be read, counted once per version.
    std::vector<UnreadableObject> unreadable_objects;  // The current ones (the newest 16), oldest first.
};

// The sentences of unreadable objects of all resources, newest first, `most_unreadable` at most.
[[nodiscard]] std::vector<std::string> unreadable_in(const std::vector<WatchStatus>& watched);

// A ConfigMap that is watched beside the kinds.
struct WatchedStore {
    ConfigMapRef place;
    // Decodes the ConfigMap. Called on one watcher thread at a time.
    std::function<std::vector<model::Event>(const nlohmann::json& object, Change change)> read;
};

struct WatcherOptions {
    bool watch_plans = true;     // GangPlans, for recovery.
    bool watch_budgets = false;  // PodDisruptionBudgets, where pods may be evicted.
    bool plans_alone = false;    // No kind but GangPlans.
    WatchPace pace{};
    std::optional<WatchedStore> store = {};
    model::Limits limits{};  // Bounds of one object.
    std::shared_ptr<const NodeHealth> health = {};
};

class Watcher {
public:
    // Called on watcher threads: for one resource in order, and never concurrently.
    using Sink = std::function<void(model::Event)>;
    using Log = std::function<void(const std::string& sentence)>;  // Rate-limited by the watcher.

    // The names that will arrive as `model::Synced`, in a fixed order.
    [[nodiscard]] static std::vector<std::string> resources(const WatcherOptions& options = {});

    Watcher(const std::shared_ptr<Credentials>& credentials, WatcherOptions options, const Sink& sink, const Log& log);
    ~Watcher();  // Stops within a second, whatever the server does.

    [[nodiscard]] std::vector<WatchStatus> status() const;
    [[nodiscard]] UnservedKinds unserved() const;  // The kinds that aren't served now.

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
