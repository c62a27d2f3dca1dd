#pragma once

// What comes of a topology that is pushed over HTTP? It is judged at once, written into its ConfigMap, and taken up
// from there by every echelon that watches it, also after a restart.
//
// Thread-safe.

#include "app/pushed_topologies.hpp"
#include "app/watch_metrics.hpp"
#include "config/settings.hpp"
#include "kube/client/credentials.hpp"
#include "kube/topology/topology_store.hpp"
#include "kube/watch/watcher.hpp"
#include "server/extender/extender.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace echelon::app {

// The watch that sees them; nothing when the settings name no ConfigMap. `topologies` must outlive the watcher.
[[nodiscard]] kube::WatcherOptions watch_of(const config::Settings& settings, app::PushedTopologies* topologies);

class TopologyPush {
public:
    using Reply = std::function<void(server::Backend::TopologyReply)>;

    TopologyPush(std::shared_ptr<kube::Credentials> credentials, const config::TopologyStore& store);

    // No reply comes afterwards.
    void end() { store_.end(); }

    // As the door of the server: replies at once, or when the API server has answered.
    void call(server::Backend::TopologyCall call, const Reply& reply);
    [[nodiscard]] app::PushedTopologies& topologies() { return topologies_; }
    [[nodiscard]] TopologyFigures figures() const;

private:
    void keep(server::Backend::TopologyCall call, const Reply& reply);
    void write(std::string name, std::optional<std::string> document, std::string text, const Reply& reply);

    app::PushedTopologies topologies_;
    kube::TopologyStore store_;
};

// Null when the settings name no ConfigMap.
[[nodiscard]] std::unique_ptr<TopologyPush> push_of(const config::Settings& settings,
                                                    const std::shared_ptr<kube::Credentials>& credentials);

}  // namespace echelon::app
