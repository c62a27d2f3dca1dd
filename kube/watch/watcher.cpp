#include "kube/watch/watcher.hpp"

#include "kube/client/watched_kind.hpp"
#include "kube/watch/reflector_thread.hpp"

#include <thread>
#include <utility>

namespace echelon::kube {

namespace {

bool is_wanted(const WatchedKind& kind, const WatcherOptions& options) {
    return (options.watch_plans || !kind.is_record) && (options.watch_budgets || !kind.is_budget);
}

constexpr std::string_view store_name = "configmaps";

// Views of what it is made of.
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
    ServedKinds served{[this] { look_again(); }};
    std::vector<std::unique_ptr<ReflectorThread>> followers;
    std::vector<std::jthread> threads;  // After the followers: ended before they go.

    // Those who read otherwise now.
    void look_again() {
        for (const std::unique_ptr<ReflectorThread>& follower : followers) {
            if (follower->reads_pods())
                follower->look_again();
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
            state_->followers.push_back(std::make_unique<ReflectorThread>(kind, credentials, wanted.pace, sink, log,
                                                                          state_->served, wanted.limits,
                                                                          ReflectorThread::Read(), wanted.health));
        }
    }
    if (wanted.store) {
        state_->store_selector = "metadata.name=" + wanted.store->place.name;
        state_->followers.push_back(
            std::make_unique<ReflectorThread>(kind_of(*wanted.store, state_->store_selector), credentials, wanted.pace,
                                              sink, log, state_->served, wanted.limits, wanted.store->read));
    }
    for (const std::unique_ptr<ReflectorThread>& each : state_->followers)
        state_->threads.emplace_back([follower = each.get()](const std::stop_token& stop) { follower->run(stop); });
}

Watcher::~Watcher() {
    for (std::jthread& thread : state_->threads)
        thread.request_stop();
    for (const std::unique_ptr<ReflectorThread>& follower : state_->followers)
        follower->cancel();
    state_->threads.clear();
}

UnservedKinds Watcher::unserved() const {
    return state_->served.unserved();
}

std::vector<std::string> unreadable_in(const std::vector<WatchStatus>& watched) {
    std::vector<std::vector<UnreadableObject>> books;
    for (const WatchStatus& each : watched)
        books.push_back(each.unreadable_objects);
    return newest_unreadable(books);
}

std::vector<WatchStatus> Watcher::status() const {
    std::vector<WatchStatus> all;
    for (const std::unique_ptr<ReflectorThread>& follower : state_->followers)
        all.push_back(follower->status());
    return all;
}

}  // namespace echelon::kube
