#pragma once

// Which configuration is in use? The configuration of the start, plus what could be applied from changed files since.
//
// Thread-safe, except for `poll`, which one thread calls from time to time.

#include "app/settings_watch.hpp"
#include "app/watch_metrics.hpp"
#include "config/settings.hpp"
#include "engine/input.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::app {

[[nodiscard]] std::map<std::string, engine::ProfileOptions, std::less<>> profiles_of(const config::Settings& settings);
[[nodiscard]] engine::PreemptionOptions preemption_of(const config::Settings& settings);

class RunningSettings {
public:
    RunningSettings(config::Settings settings, SettingsWatch watch);

    [[nodiscard]] std::shared_ptr<const config::Settings> now() const;
    // The schedulerName of the first profile; empty: there is none.
    [[nodiscard]] std::string first_profile() const;
    // A profile has this name, and its `gang` or `topology` is on.
    [[nodiscard]] bool is_ours(std::string_view scheduler_name) const;
    // Which promises bind the plain pods of this scheduler; none if no profile has the name.
    [[nodiscard]] engine::Protection protection(std::string_view scheduler_name) const;
    // Nodes are scored for the plain pods of this scheduler.
    [[nodiscard]] bool packs(std::string_view scheduler_name) const;
    [[nodiscard]] ReloadFigures figures() const;

    // Checks the file. A changed file is applied, or rejected as a whole and logged. Returns the new settings of the
    // engine.
    [[nodiscard]] std::optional<engine::Reconfigured> poll();

private:
    void refuse(const std::vector<config::Fault>& faults);

    SettingsWatch watch_;  // Used by `poll` alone.
    mutable std::mutex mutex_;
    std::shared_ptr<const config::Settings> now_;  // Guarded by mutex_.
    ReloadFigures figures_;                        // Guarded by mutex_.
};

}  // namespace echelon::app
