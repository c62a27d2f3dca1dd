#include "kube/watch/watcher.hpp"

#include "kube/client/watched_kind.hpp"
#include "kube/watch/reflector_thread.hpp"

#include <thread>
#include <utility>

namespace echelon::kube {

namespace {

bool is_wanted(const WatchedKind& kind, const WatcherOptions& options) {
    if (options.plans_alone)
        return kind.is_record;
    return (options.watch_plans || !kind.is_record) && (options.watch_budgets || !kind.is_budget);
}

constexpr std::string_view store_name = "configmaps";

// The result has views of both arguments.
WatchedKind kind_of(const WatchedStore& store, const std::string& selector) {
    return {.resource = store_name,
            .group = "",
            .versions = {"v1"},
            .kind = "ConfigMap",
            .field_selector = selector,
            .is_needed = true,
            .ns = store.place.ns};
}

}  // namespace

struct Watcher::State {
    WatcherOptions options;
    std::string store_selector;  // "metadata.name=..."
    ServedKinds served{[this] { recheck_served_kinds(); }};
    std::vector<std::unique_ptr<ReflectorThread>> reflectors;
    std::vector<std::jthread> threads;  // After the reflectors: ended before they go.

    // Called when the served kinds change, which changes how pods are read.
    void recheck_served_kinds() {
        for (const std::unique_ptr<ReflectorThread>& reflector : reflectors) {
            if (reflector->reads_pods())
                reflector->recheck_served_kinds();
        }
    }
};

std::vector<std::string> Watcher::resources(const WatcherOptions& options) {
    std::vector<std::string> names;
    for (const WatchedKind& kind : watched_kinds) {
        if (is_wanted(kind, options))
            names.push_back(full_name(kind));
    }
    if (options.store)
        names.emplace_back(store_name);
    return names;
}

Watcher::Watcher(const std::shared_ptr<Credentials>& credentials, WatcherOptions options, const Sink& sink,
                 const Log& log)
    : state_(std::make_unique<State>()) {
    state_->options = std::move(options);
    const WatcherOptions& wanted = state_->options;
    for (const WatchedKind& kind : watched_kinds) {
        if (is_wanted(kind, wanted)) {
            state_->reflectors.push_back(std::make_unique<ReflectorThread>(kind, credentials, wanted.pace, sink, log,
                                                                           state_->served, wanted.limits,
                                                                           ReflectorThread::Read(), wanted.health));
        }
    }
    if (wanted.store) {
        state_->store_selector = "metadata.name=" + wanted.store->place.name;
        state_->reflectors.push_back(
            std::make_unique<ReflectorThread>(kind_of(*wanted.store, state_->store_selector), credentials, wanted.pace,
                                              sink, log, state_->served, wanted.limits, wanted.store->read));
    }
    for (const std::unique_ptr<ReflectorThread>& each : state_->reflectors)
        state_->threads.emplace_back([reflector = each.get()](const std::stop_token& stop) { reflector->run(stop); });
}

Watcher::~Watcher() {
    for (std::jthread& thread : state_->threads)
        thread.request_stop();
    for (const std::unique_ptr<ReflectorThread>& reflector : state_->reflectors)
        reflector->cancel();
    state_->threads.clear();
}

UnservedKinds Watcher::unserved() const {
    return state_->served.unserved();
}

std::vector<std::string> unreadable_in(const std::vector<WatchStatus>& watched) {
    std::vector<std::vector<UnreadableObject>> lists;
    for (const WatchStatus& each : watched)
        lists.push_back(each.unreadable_objects);
    return newest_unreadable(lists);
}

std::vector<WatchStatus> Watcher::status() const {
    std::vector<WatchStatus> all;
    for (const std::unique_ptr<ReflectorThread>& reflector : state_->reflectors)
        all.push_back(reflector->status());
    return all;
}

}  // namespace echelon::kube
