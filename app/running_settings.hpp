#pragma once

// Which configuration is in use? That of the start, with whatever of a changed file could be taken up since.
//
// Thread-safe, but for `look`, which one thread calls from time to time.

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
    // A profile bears the name, and its `gang` or `topology` is on.
    [[nodiscard]] bool is_ours(std::string_view scheduler_name) const;
    // What binds the plain pods of this scheduler; none where no profile bears the name.
    [[nodiscard]] engine::Protection protection(std::string_view scheduler_name) const;
    // Nodes are scored for the plain pods of this scheduler.
    [[nodiscard]] bool packs(std::string_view scheduler_name) const;
    [[nodiscard]] LoadFigures figures() const;

    // Looks at the file: all of a changed one is taken up, or nothing of it and that is logged. What the engine has to
    // be told then.
    [[nodiscard]] std::optional<engine::Reconfigured> look();

private:
    void refuse(const std::vector<config::Fault>& faults);

    SettingsWatch watch_;  // Of `look`.
    mutable std::mutex mutex_;
    std::shared_ptr<const config::Settings> now_;  // Guarded by mutex_.
    LoadFigures figures_;                          // Guarded by mutex_.
};

}  // namespace echelon::app
