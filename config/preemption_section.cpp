#include "config/preemption_section.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace echelon::config {

namespace {

constexpr double most_victims = 10'000;
constexpr std::chrono::seconds shortest_clearing{1};
constexpr std::chrono::seconds longest_clearing{86'400};

}  // namespace

bool preempts(const Settings& settings) {
    return std::ranges::any_of(settings.profiles, &Profile::preempt);
}

void read_preempt(Section& section, Profile& profile) {
    section.read_flag("preempt", profile.preempt);
    if (profile.preempt && !profile.gang)
        section.complain(*section.find("preempt"), "needs gang: true, since pods are evicted for gangs alone");
}

void read_preemption(const Value& value, Preemption& out, Faults& faults) {
    Section section(value, "preemption", {"maxVictims", "timeout", "foreign"}, faults);
    auto victims = static_cast<double>(out.most_victims);
    section.read_rate("maxVictims", victims, true);
    if (victims > most_victims) {
        section.complain(*section.find("maxVictims"), fmt::format("must be at most {}", most_victims));
    } else {
        out.most_victims = static_cast<std::int64_t>(victims);
    }
    section.read_duration("timeout", out.timeout);
    if (out.timeout < shortest_clearing || out.timeout > longest_clearing)
        section.complain(*section.find("timeout"), "must be from 1s to 24h");
    section.read_flag("foreign", out.foreign);
}

}  // namespace echelon::config
