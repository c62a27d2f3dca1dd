#include "cli/cluster_reader.hpp"

#include "app/settings_mapping.hpp"
#include "app/topology_files.hpp"
#include "app/topology_push.hpp"
#include "kube/client/credentials.hpp"
#include "kube/watch/watcher.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::cli {

namespace {

constexpr auto patience = std::chrono::seconds(30);

// What the watcher's threads have listed so far. Everything is guarded by `mutex`.
struct Gathering {
    explicit Gathering(model::Profiles profiles) : cluster(std::move(profiles)) {}

    void take(const model::Event& event) {
        if (const auto* seen = std::get_if<model::PlanSeen>(&event)) {
            plans[seen->record.ns + "/" + seen->record.name] = seen->record;
        } else if (const auto* gone = std::get_if<model::PlanGone>(&event)) {
            plans.erase(gone->ns + "/" + gone->name);
        } else if (const auto* synced = std::get_if<model::Synced>(&event)) {
            missing.erase(synced->what);
        } else {
            static_cast<void>(cluster.apply(event));
        }
    }

    std::mutex mutex;
    std::condition_variable is_whole;
    model::Cluster cluster;
    std::map<std::string, model::PlanRecord> plans;
    std::set<std::string> missing;
};

}  // namespace

base::Result<ListedCluster> list_cluster(const std::string& kubeconfig, const std::string& config_file) {
    const auto settings = app::load_settings(config_file);
    if (!settings)
        return std::unexpected(settings.error());
    auto credentials = kube::Credentials::from_kubeconfig(kubeconfig);
    if (!credentials)
        return std::unexpected(credentials.error());
    Gathering gathering(app::model_profiles(*settings));
    app::PushedTopologies pushed([](const std::string&) {});
    const auto options = app::watcher_options(*settings, &pushed);
    const auto resources = kube::Watcher::resources(options);
    gathering.missing.insert(resources.begin(), resources.end());
    for (const auto& event : app::topologies_of(*settings))
        gathering.take(event);
    for (const auto& event : app::TopologyFiles(settings->topologies).poll())
        gathering.take(event);
    std::string trouble;
    std::vector<std::string> unreadable;
    {
        const kube::Watcher watcher(
            *credentials, options,
            [&gathering](const model::Event& event) {
                const std::lock_guard lock(gathering.mutex);
                gathering.take(event);
                if (gathering.missing.empty())
                    gathering.is_whole.notify_all();
            },
            [](const std::string&) {});
        std::unique_lock lock(gathering.mutex);
        const bool is_whole = gathering.is_whole.wait_for(lock, patience, [&] { return gathering.missing.empty(); });
        const auto missing = gathering.missing;
        lock.unlock();
        const auto watched = watcher.status();
        unreadable = kube::unreadable_in(watched);
        for (const auto& status : watched) {
            if (!is_whole && missing.contains(status.what) && trouble.empty()) {
                trouble = fmt::format("{} can't be listed: {}", status.what,
                                      status.trouble.empty() ? "there is no answer yet" : status.trouble);
            }
        }
    }
    if (!trouble.empty())
        return base::failure(trouble);
    ListedCluster seen{.cluster = std::move(gathering.cluster), .plans = {}, .unreadable = std::move(unreadable)};
    for (auto& [name, plan] : gathering.plans)
        seen.plans.push_back(std::move(plan));
    return seen;
}

}  // namespace echelon::cli
