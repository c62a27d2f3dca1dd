#include "kube/watcher.hpp"

#include "kube/follower.hpp"
#include "kube/watched_kind.hpp"

#include <thread>
#include <utility>

namespace echelon::kube {

namespace {

bool is_wanted(const WatchedKind& kind, const WatcherOptions& options) {
    return options.watch_plans || !kind.is_record;
}

}  // namespace

struct Watcher::State {
    std::vector<std::unique_ptr<Follower>> followers;
    std::vector<std::jthread> threads;  // After the followers: ended before they go.
};

std::vector<std::string> Watcher::resources(const WatcherOptions& options) {
    std::vector<std::string> names;
    for (const WatchedKind& kind : watched_kinds) {
        if (is_wanted(kind, options))
            names.push_back(full_name(kind));
    }
    return names;
}

Watcher::Watcher(std::shared_ptr<Credentials> credentials, WatcherOptions options, Sink sink, Log log)
    : state_(std::make_unique<State>()) {
    for (const WatchedKind& kind : watched_kinds) {
        if (is_wanted(kind, options))
            state_->followers.push_back(std::make_unique<Follower>(kind, credentials, options.pace, sink, log));
    }
    for (const std::unique_ptr<Follower>& each : state_->followers)
        state_->threads.emplace_back([follower = each.get()](const std::stop_token& stop) { follower->run(stop); });
}

Watcher::~Watcher() {
    for (std::jthread& thread : state_->threads)
        thread.request_stop();
    for (const std::unique_ptr<Follower>& follower : state_->followers)
        follower->cancel();
    state_->threads.clear();
}

std::vector<WatchStatus> Watcher::status() const {
    std::vector<WatchStatus> all;
    for (const std::unique_ptr<Follower>& follower : state_->followers)
        all.push_back(follower->status());
    return all;
}

}  // namespace echelon::kube
