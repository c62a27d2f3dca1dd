#include "cli/cluster_reader.hpp"

#include "app/pushed_topologies.hpp"
#include "app/settings_mapping.hpp"
#include "app/topology_files.hpp"
#include "app/topology_push.hpp"
#include "kube/client/credentials.hpp"
#include "kube/watch/watcher.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr auto patience = std::chrono::seconds(30);
constexpr auto between_looks = std::chrono::milliseconds(10);

// A kind that isn't served, or may not be listed and isn't needed, counts as listed.
bool is_in_step(const kube::WatchStatus& status) {
    const bool is_left_out = !status.served || (status.forbidden && !status.needed);
    return status.listed && (is_left_out || status.trouble.empty());
}

}  // namespace

struct ClusterReader::State {
    explicit State(model::Profiles profiles) : cluster(std::move(profiles)) {}

    void take(const model::Event& event) {
        const std::lock_guard lock(mutex);
        if (const auto* seen = std::get_if<model::PlanSeen>(&event)) {
            plans[seen->record.ns + "/" + seen->record.name] = seen->record;
        } else if (const auto* gone = std::get_if<model::PlanGone>(&event)) {
            plans.erase(gone->ns + "/" + gone->name);
        } else {
            static_cast<void>(cluster.apply(event));
        }
    }

    app::PushedTopologies pushed{[](const std::string&) {}};
    std::mutex mutex;
    model::Cluster cluster;                          // Guarded by mutex.
    std::map<std::string, model::PlanRecord> plans;  // Guarded by mutex.
    std::optional<kube::Watcher> watcher;            // Last: its threads use the others.
};

ClusterReader::ClusterReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ClusterReader::~ClusterReader() = default;
ClusterReader::ClusterReader(ClusterReader&&) noexcept = default;
ClusterReader& ClusterReader::operator=(ClusterReader&&) noexcept = default;

base::Result<ClusterReader> ClusterReader::open(const std::string& kubeconfig, const std::string& config_file,
                                                Kinds kinds) {
    const auto settings = app::load_settings(config_file);
    if (!settings)
        return std::unexpected(settings.error());
    auto credentials = kube::Credentials::from_kubeconfig(kubeconfig);
    if (!credentials)
        return std::unexpected(credentials.error());
    auto state = std::make_unique<State>(app::model_profiles(*settings));
    auto options = app::watcher_options(*settings, &state->pushed);
    options.plans_alone = kinds == Kinds::plans;
    for (const auto& event : app::topologies_of(*settings))
        state->take(event);
    for (const auto& event : app::TopologyFiles(settings->topologies).poll())
        state->take(event);
    state->watcher.emplace(
        *credentials, std::move(options), [all = state.get()](const model::Event& event) { all->take(event); },
        [](const std::string&) {});
    return ClusterReader(std::move(state));
}

base::Result<std::string> ClusterReader::read(const std::function<std::string(Facts)>& report) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const auto watched = state_->watcher->status();
        const auto late = std::ranges::find_if_not(watched, is_in_step);
        if (late == watched.end()) {
            const std::lock_guard lock(state_->mutex);
            Facts facts{.cluster = state_->cluster, .plans = {}, .unreadable = kube::unreadable_in(watched)};
            for (const auto& [name, plan] : state_->plans)
                facts.plans.push_back(plan);
            return report(std::move(facts));
        }
        const auto refused = std::ranges::find_if(
            watched, [](const kube::WatchStatus& status) { return status.needed && status.forbidden; });
        if (refused != watched.end() || std::chrono::steady_clock::now() >= until) {
            const auto& worst = refused != watched.end() ? *refused : *late;
            return base::failure(fmt::format("{} can't be listed: {}", worst.what,
                                             worst.trouble.empty() ? "there is no answer yet" : worst.trouble));
        }
        std::this_thread::sleep_for(between_looks);
    }
}

}  // namespace echelon::cli
