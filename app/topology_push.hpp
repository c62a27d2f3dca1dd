#pragma once

// What becomes of a topology that is pushed over HTTP? It is validated at once and written into its ConfigMap. Every
// echelon that watches the ConfigMap takes it from there, also after a restart.
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

// Options of the watcher, with the ConfigMap if the settings name one. `topologies` must outlive the watcher.
[[nodiscard]] kube::WatcherOptions watcher_options(const config::Settings& settings, app::PushedTopologies* topologies);

class TopologyPush {
public:
    using Reply = std::function<void(server::Backend::TopologyReply)>;

    TopologyPush(std::shared_ptr<kube::Credentials> credentials, const config::TopologyStore& store);

    // No reply is called afterwards.
    void end() { store_.end(); }

    // Handles a call to the server: replies at once, or when the API server has answered.
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
