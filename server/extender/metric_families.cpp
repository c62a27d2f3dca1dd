#include "server/extender/metric_families.hpp"

#include "model/facts/plan_record.hpp"
#include "model/gang/gang.hpp"
#include "server/extender/metric_table.hpp"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
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

ClientMetric labelled(const MetricLabels& labels) {
    ClientMetric metric;
    for (const auto& [name, value] : labels)
        metric.label.push_back({name, value});
    return metric;
}

ClientMetric metric_of(const Sample& sample, MetricType type) {
    ClientMetric metric = labelled(sample.labels);
    if (type == MetricType::Counter)
        metric.counter.value = sample.value;
    if (type == MetricType::Gauge)
        metric.gauge.value = sample.value;
    return metric;
}

MetricFamily family_of(std::string_view name, MetricType type, const std::vector<Sample>& samples) {
    const auto* row = metric_row(name);
    MetricFamily family{.name = std::string(name),
                        .help = row == nullptr ? std::string() : std::string(row->help),
                        .type = type,
                        .metric = {}};
    for (const auto& sample : samples)
        family.metric.push_back(metric_of(sample, type));
    return family;
}

double number(std::uint64_t value) {
    return static_cast<double>(value);
}

MetricFamily counter(std::string_view name, std::uint64_t value) {
    return counter_family(name, {{{}, number(value)}});
}

MetricFamily gauge(std::string_view name, std::uint64_t value) {
    return gauge_family(name, {{{}, number(value)}});
}

ClientMetric histogram_of(const MetricLabels& labels, const base::DurationsView& durations) {
    ClientMetric metric = labelled(labels);
    double bound = durations.first_seconds;
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < durations.counts.size(); ++at, bound *= 2) {
        total += durations.counts[at];
        const bool is_last = at + 1 == durations.counts.size();
        metric.histogram.bucket.push_back({total, is_last ? std::numeric_limits<double>::infinity() : bound});
    }
    metric.histogram.sample_count = total;
    metric.histogram.sample_sum = durations.sum_seconds;
    return metric;
}

MetricFamily histogram(std::string_view name, const base::DurationsView& durations) {
    return histogram_family(name, {{{}, durations}});
}

template <typename Result, typename All>
MetricFamily histograms_by_result(std::string_view name, const All& all) {
    std::vector<std::pair<MetricLabels, base::DurationsView>> histograms;
    for (std::size_t at = 0; at < all.size(); ++at)
        histograms.push_back({{{"result", std::string(to_string(static_cast<Result>(at)))}}, all[at]});
    return histogram_family(name, histograms);
}

MetricFamily gangs_by_phase(const engine::Stats& stats) {
    std::vector<Sample> samples;
    for (std::size_t at = 0; at < stats.gangs_by_phase.size(); ++at) {
        auto phase = model::to_string(static_cast<model::Phase>(at));
        samples.push_back({{{"phase", std::string(phase)}}, number(stats.gangs_by_phase[at])});
    }
    return gauge_family("echelon_gangs", samples);
}

// Every reason has a series without a level, so that an alert on it never lacks data.
MetricFamily unplaced_gangs(const engine::PublishedState& published) {
    auto unplaced = published.topology_counts ? published.topology_counts->unplaced
                                              : decltype(published.topology_counts->unplaced){};
    for (std::size_t at = 0; at < published.stats.unplaced_by_reason.size(); ++at)
        unplaced.try_emplace({static_cast<model::Reason>(at), ""}, 0);
    std::vector<Sample> samples;
    for (const auto& [key, count] : unplaced) {
        const auto& [reason, level] = key;
        samples.push_back({{{"reason", std::string(model::to_string(reason))}, {"level", level}}, number(count)});
    }
    return gauge_family("echelon_unplaced_gangs", samples);
}

MetricFamily topology_domains(const engine::PublishedState& published) {
    std::vector<Sample> samples;
    if (published.topology_counts) {
        for (const auto& [level, count] : published.topology_counts->domains)
            samples.push_back({{{"level", level}}, number(count)});
    }
    return gauge_family("echelon_topology_domains", samples);
}

MetricFamily violations(const engine::Stats& stats) {
    std::vector<Sample> samples;
    for (std::size_t at = 0; at < stats.violations.size(); ++at)
        samples.push_back({{{"invariant", std::string(engine::invariant_names[at])}}, number(stats.violations[at])});
    return counter_family("echelon_invariant_violations_total", samples);
}

MetricFamily solve_attempts(const engine::Stats& stats) {
    return counter_family("echelon_gang_solve_attempts_total",
                          {{{{"result", "placed"}}, number(stats.solves_placed)},
                           {{{"result", "infeasible"}}, number(stats.solves_infeasible)},
                           {{{"result", "budget_exhausted"}}, number(stats.solves_out_of_budget)},
                           {{{"result", "stale"}}, number(stats.plans_rejected_by_referee)}});
}

MetricFamily preemptions(const engine::Stats& stats) {
    std::vector<Sample> samples;
    for (std::size_t at = 0; at < stats.clearings.size(); ++at) {
        const auto result = engine::to_string(static_cast<engine::ClearingResult>(at));
        samples.push_back({{{"result", std::string(result)}}, number(stats.clearings[at])});
    }
    return counter_family("echelon_preemptions_total", samples);
}

MetricFamily holds(const engine::Stats& stats) {
    return gauge_family("echelon_holds", {{{{"state", "held"}}, number(stats.held_seats)},
                                          {{{"state", "committed"}}, number(stats.committed_seats)}});
}

MetricFamily ended_holds(const engine::Stats& stats) {
    return counter_family("echelon_holds_expired_total", {{{{"reason", "expired"}}, number(stats.holds_expired)},
                                                          {{{"reason", "broken"}}, number(stats.holds_broken)}});
}

MetricFamily model_objects(const engine::Stats& stats) {
    return gauge_family("echelon_model_objects", {{{{"resource", "nodes"}}, number(stats.nodes)},
                                                  {{{"resource", "pods"}}, number(stats.pods)},
                                                  {{{"resource", "groups"}}, number(stats.groups)}});
}

// Field `index` (0-based) of /proc/self/stat after the command name, which may contain spaces.
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

// When this machine booted, in seconds since 1970.
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
    return count - 1;  // Without the descriptor of the listing itself.
}

constexpr int threads_field = 17;
constexpr int start_time_field = 19;
constexpr int virtual_bytes_field = 20;
constexpr int resident_pages_field = 21;

}  // namespace

MetricFamily gauge_family(std::string_view name, const std::vector<Sample>& samples) {
    return family_of(name, MetricType::Gauge, samples);
}

MetricFamily counter_family(std::string_view name, const std::vector<Sample>& samples) {
    return family_of(name, MetricType::Counter, samples);
}

MetricFamily histogram_family(std::string_view name,
                              const std::vector<std::pair<MetricLabels, base::DurationsView>>& histograms) {
    auto family = family_of(name, MetricType::Histogram, {});
    for (const auto& [labels, durations] : histograms)
        family.metric.push_back(histogram_of(labels, durations));
    return family;
}

std::vector<MetricFamily> published_families(const engine::PublishedState& published) {
    const auto& stats = published.stats;
    return {gangs_by_phase(stats),
            unplaced_gangs(published),
            solve_attempts(stats),
            histograms_by_result<engine::SolveResult>("echelon_gang_solve_duration_seconds", stats.solves),
            histogram("echelon_gang_time_to_bound_seconds", stats.to_bound),
            preemptions(stats),
            counter("echelon_preemption_victims_total", stats.victims),
            histogram("echelon_clearing_seconds", stats.clearing_times),
            holds(stats),
            ended_holds(stats),
            model_objects(stats),
            topology_domains(published),
            gauge("echelon_topology_nodes_unmapped",
                  published.topology_counts ? published.topology_counts->unmapped_nodes : 0),
            violations(stats),
            histograms_by_result<engine::WaitResult>("echelon_barrier_wait_duration_seconds", stats.waits),
            gauge("echelon_barrier_waiting_pods", stats.barrier_waiting),
            counter("echelon_barrier_timeouts_total", stats.barrier_timeouts),
            counter("echelon_gang_commits_total", stats.commits),
            counter("echelon_members_bound_total", stats.members_bound),
            counter("echelon_nominations_total", stats.nominations),
            counter("echelon_gates_removed_total", stats.gates_removed),
            counter("echelon_kicks_total", stats.kicks),
            counter("echelon_plan_records_written_total", stats.records_written)};
}

std::vector<MetricFamily> process_families() {
    std::vector<MetricFamily> families;
    auto add = [&families](std::string_view name, std::optional<double> value) {
        if (value)
            families.push_back(gauge_family(name, {{{}, *value}}));
    };
    families.push_back(
        gauge_family("echelon_build_info", {{{{"version", ECHELON_VERSION}, {"commit", ECHELON_COMMIT}}, 1}}));
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    families.push_back(
        counter_family("process_cpu_seconds_total", {{{}, seconds(usage.ru_utime) + seconds(usage.ru_stime)}}));
    auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    auto resident = stat_field(resident_pages_field);
    if (resident)
        resident = *resident * page;
    add("process_resident_memory_bytes", resident);
    add("process_virtual_memory_bytes", stat_field(virtual_bytes_field));
    add("process_threads", stat_field(threads_field));
    add("process_open_fds", open_descriptors());
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        add("process_max_fds", number(limit.rlim_cur));
    }
    auto booted = boot_time();
    auto started = stat_field(start_time_field);
    if (booted && started) {
        auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
        add("process_start_time_seconds", *booted + *started / ticks);
    }
    return families;
}

}  // namespace echelon::server
