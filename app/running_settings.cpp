#include "app/running_settings.hpp"

#include "app/log.hpp"
#include "config/settings_change.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::app {

namespace {

using config::LogLevel;

engine::Protection protection_of(config::Protect protect) {
    switch (protect) {
        case config::Protect::promised:
            return engine::Protection::promised;
        case config::Protect::holds:
            return engine::Protection::holds;
        case config::Protect::none:
            break;
    }
    return engine::Protection::none;
}

engine::Reconfigured reconfigured(const config::Settings& settings) {
    engine::Reconfigured changed;
    changed.profiles = profiles_of(settings);
    changed.barrier_timeout = settings.barrier_timeout;
    changed.settle = settings.gang_settle;
    changed.claim_after = settings.queue_claim_after;
    changed.claim_lifetime = settings.queue_claim_lifetime;
    changed.budget.steps = settings.solver_steps;
    changed.preemption = preemption_of(settings);
    return changed;
}

}  // namespace

std::map<std::string, engine::ProfileOptions, std::less<>> profiles_of(const config::Settings& settings) {
    std::map<std::string, engine::ProfileOptions, std::less<>> profiles;
    for (const auto& profile : settings.profiles)
        profiles[profile.scheduler_name] = {profile.gang,
                                            profile.topology,
                                            profile.nominate,
                                            protection_of(profile.protect),
                                            profile.scores == config::Scores::pack,
                                            profile.preempt,
                                            profile.conditions};
    return profiles;
}

engine::PreemptionOptions preemption_of(const config::Settings& settings) {
    const auto& preemption = settings.preemption;
    return {.most_victims = preemption.most_victims, .timeout = preemption.timeout, .foreign = preemption.foreign};
}

RunningSettings::RunningSettings(config::Settings settings, SettingsWatch watch)
    : watch_(std::move(watch)), now_(std::make_shared<const config::Settings>(std::move(settings))) {
    figures_.last_success = std::chrono::system_clock::now();
}

std::shared_ptr<const config::Settings> RunningSettings::now() const {
    const std::lock_guard lock(mutex_);
    return now_;
}

std::string RunningSettings::first_profile() const {
    const auto settings = now();
    return settings->profiles.empty() ? "" : settings->profiles.front().scheduler_name;
}

bool RunningSettings::is_ours(std::string_view scheduler_name) const {
    const auto settings = now();
    return std::ranges::any_of(settings->profiles, [&](const config::Profile& profile) {
        return profile.scheduler_name == scheduler_name && (profile.gang || profile.topology);
    });
}

engine::Protection RunningSettings::protection(std::string_view scheduler_name) const {
    const auto settings = now();
    const auto found = std::ranges::find(settings->profiles, scheduler_name, &config::Profile::scheduler_name);
    return found == settings->profiles.end() ? engine::Protection::none : protection_of(found->protect);
}

bool RunningSettings::packs(std::string_view scheduler_name) const {
    const auto settings = now();
    return std::ranges::any_of(settings->profiles, [&](const config::Profile& profile) {
        return profile.scheduler_name == scheduler_name && profile.scores == config::Scores::pack;
    });
}

ReloadFigures RunningSettings::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

std::optional<engine::Reconfigured> RunningSettings::poll() {
    const auto found = watch_.poll();
    if (!found)
        return std::nullopt;
    if (!*found) {
        refuse(found->error());
        return std::nullopt;
    }
    const auto before = now();
    auto after = std::make_shared<const config::Settings>(config::apply_change(*before, **found));
    const auto later = config::restart_needed(*before, **found);
    {
        const std::lock_guard lock(mutex_);
        now_ = after;
        ++figures_.applied;
        figures_.last_success = std::chrono::system_clock::now();
    }
    if (after->log_level != before->log_level)
        follow_log_level(after->log_level);
    log_line(LogLevel::info, {.caller = "reload"}, "the changed configuration is in use");
    if (!later.empty()) {
        log_line(LogLevel::warning, {.caller = "reload"},
                 fmt::format("restart needed: changes of {} aren't in use", fmt::join(later, ", ")));
    }
    if (*after == *before)
        return std::nullopt;
    return reconfigured(*after);
}

void RunningSettings::refuse(const std::vector<config::Fault>& faults) {
    {
        const std::lock_guard lock(mutex_);
        ++figures_.refused;
    }
    for (const auto& fault : faults) {
        const auto line = config::to_line(watch_.file(), fault);
        log_line(LogLevel::error, {.caller = "reload", .err = line},
                 "the changed configuration isn't used, the old one stays: " + line);
    }
}

}  // namespace echelon::app
