#include "app/watch_metrics.hpp"

#include "server/extender/metric_families.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::app {

namespace {

using server::counter_family;
using server::gauge_family;
using server::histogram_family;
using server::MetricLabels;
using server::Sample;
using Samples = std::vector<Sample>;

// The watcher keeps monotonic times; a scrape wants seconds since 1970.
double unix_seconds(std::chrono::steady_clock::time_point at) {
    const auto age = std::chrono::steady_clock::now() - at;
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(wall - age).count();
}

Sample sample(MetricLabels labels, std::uint64_t count) {
    return {.labels = std::move(labels), .value = static_cast<double>(count)};
}

// One sample for each kind that is watched.
template <typename Field>
Samples by_resource(const std::vector<kube::WatchStatus>& status, Field field) {
    Samples samples;
    for (const auto& watch : status)
        samples.push_back(sample({{"resource", watch.what}}, watch.*field));
    return samples;
}

prometheus::MetricFamily last_events(const std::vector<kube::WatchStatus>& status) {
    Samples samples;
    for (const auto& watch : status) {
        if (watch.last_event != std::chrono::steady_clock::time_point{})
            samples.push_back({.labels = {{"resource", watch.what}}, .value = unix_seconds(watch.last_event)});
    }
    return gauge_family("echelon_cache_last_event_timestamp_seconds", samples);
}

prometheus::MetricFamily events(const std::vector<kube::WatchStatus>& status) {
    Samples samples;
    for (const auto& watch : status) {
        for (const auto& [type, count] : {std::pair{"added", watch.added}, std::pair{"modified", watch.modified},
                                          std::pair{"deleted", watch.deleted}, std::pair{"bookmark", watch.bookmarks}})
            samples.push_back(sample({{"resource", watch.what}, {"type", type}}, count));
    }
    return counter_family("echelon_watch_events_total", samples);
}

prometheus::MetricFamily restarts(const std::vector<kube::WatchStatus>& status) {
    Samples samples;
    for (const auto& watch : status) {
        for (const auto& [reason, count] :
             {std::pair{"eof", watch.restarts_eof}, std::pair{"expired", watch.restarts_expired},
              std::pair{"stall", watch.restarts_stall}, std::pair{"error", watch.restarts_error}})
            samples.push_back(sample({{"resource", watch.what}, {"reason", reason}}, count));
    }
    return counter_family("echelon_watch_restarts_total", samples);
}

prometheus::MetricFamily relists(const std::vector<kube::WatchStatus>& status) {
    std::vector<std::pair<MetricLabels, base::DurationsView>> histograms;
    for (const auto& watch : status)
        histograms.push_back({{{"resource", watch.what}}, watch.relists});
    return histogram_family("echelon_relist_duration_seconds", histograms);
}

}  // namespace

Families joined(const std::vector<Families>& all) {
    Families out;
    for (const auto& families : all)
        out.insert(out.end(), families.begin(), families.end());
    return out;
}

prometheus::MetricFamily lead_metric(bool leads) {
    return gauge_family("echelon_leader", {sample({}, leads ? 1 : 0)});
}

Families reload_metrics(const ReloadFigures& figures) {
    const double last = std::chrono::duration<double>(figures.last_success.time_since_epoch()).count();
    return {counter_family("echelon_config_reloads_total", {sample({{"result", "ok"}}, figures.applied),
                                                            sample({{"result", "error"}}, figures.refused)}),
            gauge_family("echelon_config_last_reload_success_timestamp_seconds", {{.labels = {}, .value = last}})};
}

prometheus::MetricFamily topology_metrics(const TopologyFigures& files, const TopologyFigures& pushed) {
    Samples samples;
    for (const auto& [source, figures] : {std::pair{"file", &files}, std::pair{"push", &pushed}}) {
        samples.push_back(sample({{"source", source}, {"result", "ok"}}, figures->applied));
        samples.push_back(sample({{"source", source}, {"result", "error"}}, figures->refused));
    }
    return counter_family("echelon_topology_reloads_total", samples);
}

Families bind_metrics(const kube::BindFigures& figures) {
    Samples samples;
    for (std::size_t at = 0; at < figures.requests.size(); ++at)
        samples.push_back(sample({{"code", std::string(kube::BindFigures::codes[at])}}, figures.requests[at]));
    return {counter_family("echelon_bind_requests_total", samples),
            histogram_family("echelon_bind_duration_seconds", {{{}, figures.durations}})};
}

prometheus::MetricFamily write_metrics(const kube::WriteCounts& counts) {
    Samples samples;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        for (std::size_t code = 0; code < counts[kind].size(); ++code) {
            samples.push_back(sample(
                {{"kind", std::string(kube::write_kinds[kind])}, {"code", std::string(kube::answer_codes[code])}},
                counts[kind][code]));
        }
    }
    return counter_family("echelon_writes_total", samples);
}

Families watch_metrics(const std::vector<kube::WatchStatus>& status) {
    return {gauge_family("echelon_cache_objects", by_resource(status, &kube::WatchStatus::objects)),
            last_events(status),
            events(status),
            restarts(status),
            counter_family("echelon_unreadable_objects_total", by_resource(status, &kube::WatchStatus::unreadable)),
            relists(status)};
}

}  // namespace echelon::app
