#include "server/metric_families.hpp"

#include "model/gang.hpp"
#include "model/plan_record.hpp"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

#ifndef ECHELON_VERSION
#define ECHELON_VERSION "unknown"
#endif
#ifndef ECHELON_COMMIT
#define ECHELON_COMMIT "unknown"
#endif

namespace echelon::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

ClientMetric metric_of(const Sample& sample, MetricType type) {
    ClientMetric metric;
    for (const auto& [name, value] : sample.labels)
        metric.label.push_back({name, value});
    if (type == MetricType::Counter)
        metric.counter.value = sample.value;
    if (type == MetricType::Gauge)
        metric.gauge.value = sample.value;
    return metric;
}

MetricFamily family_of(std::string name, std::string help, MetricType type, const std::vector<Sample>& samples) {
    MetricFamily family{.name = std::move(name), .help = std::move(help), .type = type, .metric = {}};
    for (const auto& sample : samples)
        family.metric.push_back(metric_of(sample, type));
    return family;
}

double number(std::uint64_t value) {
    return static_cast<double>(value);
}

MetricFamily counter(std::string name, std::string help, std::uint64_t value) {
    return counter_family("echelon_" + std::move(name), std::move(help), {{{}, number(value)}});
}

MetricFamily gauge(std::string name, std::string help, std::uint64_t value) {
    return gauge_family("echelon_" + std::move(name), std::move(help), {{{}, number(value)}});
}

MetricFamily gangs_by_phase(const engine::Stats& stats) {
    std::vector<Sample> samples;
    for (std::size_t at = 0; at < stats.gangs_by_phase.size(); ++at) {
        auto phase = model::to_string(static_cast<model::Phase>(at));
        samples.push_back({{{"phase", std::string(phase)}}, number(stats.gangs_by_phase[at])});
    }
    return gauge_family("echelon_gangs", "Gangs by the phase of their plan.", samples);
}

MetricFamily unplaced_by_reason(const engine::Stats& stats) {
    std::vector<Sample> samples;
    for (std::size_t at = 0; at < stats.unplaced_by_reason.size(); ++at) {
        auto reason = model::to_string(static_cast<model::Reason>(at));
        samples.push_back({{{"reason", std::string(reason)}}, number(stats.unplaced_by_reason[at])});
    }
    return gauge_family("echelon_unplaced_gangs", "Gangs without a plan, by reason.", samples);
}

MetricFamily solve_attempts(const engine::Stats& stats) {
    return counter_family("echelon_gang_solve_attempts_total", "Answers of the solver; stale: refused by the referee.",
                          {{{{"result", "placed"}}, number(stats.solves_placed)},
                           {{{"result", "infeasible"}}, number(stats.solves_infeasible)},
                           {{{"result", "budget_exhausted"}}, number(stats.solves_out_of_budget)},
                           {{{"result", "stale"}}, number(stats.plans_rejected_by_referee)}});
}

MetricFamily holds(const engine::Stats& stats) {
    return gauge_family(
        "echelon_holds", "Seats that are promised, by state.",
        {{{{"state", "held"}}, number(stats.held_seats)}, {{{"state", "committed"}}, number(stats.committed_seats)}});
}

MetricFamily ended_holds(const engine::Stats& stats) {
    return counter_family(
        "echelon_holds_expired_total", "Holds that ended without a commit, by reason.",
        {{{{"reason", "expired"}}, number(stats.holds_expired)}, {{{"reason", "broken"}}, number(stats.holds_broken)}});
}

MetricFamily cached_objects(const engine::Stats& stats) {
    return gauge_family("echelon_model_objects", "Objects in the engine's model.",
                        {{{{"resource", "nodes"}}, number(stats.nodes)},
                         {{{"resource", "pods"}}, number(stats.pods)},
                         {{{"resource", "groups"}}, number(stats.groups)}});
}

// Field `index` (0-based) of /proc/self/stat behind the command name, which may hold blanks itself.
std::optional<double> stat_field(int index) {
    std::ifstream file("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    auto behind_name = text.rfind(')');
    if (behind_name == std::string::npos)
        return std::nullopt;
    std::istringstream fields(text.substr(behind_name + 1));
    std::string field;
    for (int at = 0; at <= index; ++at) {
        if (!(fields >> field))
            return std::nullopt;
    }
    double value = 0;
    auto [_, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

// Seconds since 1970 when this machine started.
std::optional<double> boot_time() {
    std::ifstream file("/proc/stat");
    std::string word;
    double value = 0;
    while (file >> word) {
        if (word == "btime" && file >> value)
            return value;
    }
    return std::nullopt;
}

std::optional<double> open_descriptors() {
    std::error_code error;
    double count = 0;
    std::filesystem::directory_iterator at("/proc/self/fd", error);
    if (error)
        return std::nullopt;
    for (; at != std::filesystem::directory_iterator(); at.increment(error)) {
        if (error)
            return std::nullopt;
        ++count;
    }
    return count - 1;  // Without the one that is listing them.
}

constexpr int threads_field = 17;
constexpr int start_time_field = 19;
constexpr int virtual_bytes_field = 20;
constexpr int resident_pages_field = 21;

}  // namespace

MetricFamily gauge_family(std::string name, std::string help, const std::vector<Sample>& samples) {
    return family_of(std::move(name), std::move(help), MetricType::Gauge, samples);
}

MetricFamily counter_family(std::string name, std::string help, const std::vector<Sample>& samples) {
    return family_of(std::move(name), std::move(help), MetricType::Counter, samples);
}

std::vector<MetricFamily> picture_families(const engine::Stats& stats) {
    return {gangs_by_phase(stats),
            unplaced_by_reason(stats),
            solve_attempts(stats),
            holds(stats),
            ended_holds(stats),
            cached_objects(stats),
            gauge("barrier_waiting_pods", "Bind calls that wait for the rest of their gang.", stats.barrier_waiting),
            counter("barrier_timeouts_total", "Barriers that were given up at their deadline.", stats.barrier_timeouts),
            counter("gang_commits_total", "Plans that were committed.", stats.commits),
            counter("members_bound_total", "Bindings of gang members that succeeded.", stats.members_bound),
            counter("nominations_total", "Nominations written.", stats.nominations),
            counter("gates_removed_total", "Scheduling gates removed.", stats.gates_removed),
            counter("kicks_total", "Parked members woken by an annotation.", stats.kicks),
            counter("plan_records_written_total", "GangPlan objects written.", stats.records_written)};
}

std::vector<MetricFamily> process_families() {
    std::vector<MetricFamily> families;
    auto add = [&families](std::string name, std::string help, std::optional<double> value) {
        if (value)
            families.push_back(gauge_family(std::move(name), std::move(help), {{{}, *value}}));
    };
    families.push_back(gauge_family("echelon_build_info", "1, with what was built.",
                                    {{{{"version", ECHELON_VERSION}, {"commit", ECHELON_COMMIT}}, 1}}));
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    families.push_back(counter_family("process_cpu_seconds_total", "CPU time used, user and system.",
                                      {{{}, seconds(usage.ru_utime) + seconds(usage.ru_stime)}}));
    auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    auto resident = stat_field(resident_pages_field);
    if (resident)
        resident = *resident * page;
    add("process_resident_memory_bytes", "Resident memory.", resident);
    add("process_virtual_memory_bytes", "Virtual memory.", stat_field(virtual_bytes_field));
    add("process_threads", "Threads of the process.", stat_field(threads_field));
    add("process_open_fds", "Open file descriptors.", open_descriptors());
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        add("process_max_fds", "Most file descriptors allowed.", number(limit.rlim_cur));
    }
    auto booted = boot_time();
    auto started = stat_field(start_time_field);
    if (booted && started) {
        auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
        add("process_start_time_seconds", "Start of the process, seconds since 1970.", *booted + *started / ticks);
    }
    return families;
}

}  // namespace echelon::server
