#include "app/watch_metrics.hpp"

#include "model/facts/durations.hpp"
#include "server/extender/metric_table.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::app {

namespace {

// The watcher keeps monotonic times; a scrape wants seconds since 1970.
double unix_seconds(std::chrono::steady_clock::time_point at) {
    const auto age = std::chrono::steady_clock::now() - at;
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(wall - age).count();
}

// The rows of one histogram; `labels` are those beside `le`, each with a comma behind it.
void rows(std::string& out, std::string_view name, std::string_view labels, const model::DurationsView& durations) {
    double bound = durations.first_seconds;
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < durations.counts.size(); ++at, bound *= 2) {
        total += durations.counts[at];
        const bool is_last = at + 1 == durations.counts.size();
        out += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, labels,
                           is_last ? std::string("+Inf") : fmt::format("{}", bound), total);
    }
    const auto alone = labels.empty() ? std::string() : fmt::format("{{{}}}", labels.substr(0, labels.size() - 1));
    out += fmt::format("{}_sum{} {}\n{}_count{} {}\n", name, alone, durations.sum_seconds, name, alone, total);
}

}  // namespace

std::string lead_metric(bool leads) {
    std::string out;
    out += server::metric_head("echelon_leader");
    out += fmt::format("echelon_leader {}\n", leads ? 1 : 0);
    return out;
}

std::string load_metrics(const LoadFigures& figures) {
    std::string out = server::metric_head("echelon_config_reloads_total");
    out += fmt::format("echelon_config_reloads_total{{result=\"ok\"}} {}\n", figures.taken_up);
    out += fmt::format("echelon_config_reloads_total{{result=\"error\"}} {}\n", figures.refused);
    out += server::metric_head("echelon_config_last_reload_success_timestamp_seconds");
    out += fmt::format("echelon_config_last_reload_success_timestamp_seconds {:.3f}\n",
                       std::chrono::duration<double>(figures.last_success.time_since_epoch()).count());
    return out;
}

std::string topology_metrics(const TopologyFigures& files, const TopologyFigures& pushed) {
    std::string out = server::metric_head("echelon_topology_reloads_total");
    for (const auto& [source, figures] : {std::pair{"file", &files}, std::pair{"push", &pushed}}) {
        out += fmt::format("echelon_topology_reloads_total{{source=\"{}\",result=\"ok\"}} {}\n", source,
                           figures->taken_up);
        out += fmt::format("echelon_topology_reloads_total{{source=\"{}\",result=\"error\"}} {}\n", source,
                           figures->refused);
    }
    return out;
}

std::string bind_metrics(const kube::BindFigures& figures) {
    std::string out = server::metric_head("echelon_bind_requests_total");
    for (std::size_t at = 0; at < figures.requests.size(); ++at) {
        out += fmt::format("echelon_bind_requests_total{{code=\"{}\"}} {}\n", kube::BindFigures::codes[at],
                           figures.requests[at]);
    }
    out += server::metric_head("echelon_bind_duration_seconds");
    rows(out, "echelon_bind_duration_seconds", "", figures.durations);
    return out;
}

std::string watch_metrics(const std::vector<kube::WatchStatus>& status) {
    std::string out;
    out += server::metric_head("echelon_cache_objects");
    for (const auto& s : status)
        out += fmt::format("echelon_cache_objects{{resource=\"{}\"}} {}\n", s.what, s.objects);
    out += server::metric_head("echelon_cache_last_event_timestamp_seconds");
    for (const auto& s : status) {
        if (s.last_event == std::chrono::steady_clock::time_point{})
            continue;
        out += fmt::format("echelon_cache_last_event_timestamp_seconds{{resource=\"{}\"}} {:.3f}\n", s.what,
                           unix_seconds(s.last_event));
    }
    out += server::metric_head("echelon_watch_events_total");
    for (const auto& s : status) {
        const auto row = [&](std::string_view type, std::uint64_t count) {
            out += fmt::format("echelon_watch_events_total{{resource=\"{}\",type=\"{}\"}} {}\n", s.what, type, count);
        };
        row("added", s.added);
        row("modified", s.modified);
        row("deleted", s.deleted);
        row("bookmark", s.bookmarks);
    }
    out += server::metric_head("echelon_watch_restarts_total");
    for (const auto& s : status) {
        const auto row = [&](std::string_view reason, std::uint64_t count) {
            out += fmt::format("echelon_watch_restarts_total{{resource=\"{}\",reason=\"{}\"}} {}\n", s.what, reason,
                               count);
        };
        row("eof", s.restarts_eof);
        row("expired", s.restarts_expired);
        row("stall", s.restarts_stall);
        row("error", s.restarts_error);
    }
    out += server::metric_head("echelon_unreadable_objects_total");
    for (const auto& s : status)
        out += fmt::format("echelon_unreadable_objects_total{{resource=\"{}\"}} {}\n", s.what, s.unreadable);
    out += server::metric_head("echelon_relist_duration_seconds");
    for (const auto& s : status)
        rows(out, "echelon_relist_duration_seconds", fmt::format("resource=\"{}\",", s.what), s.relists);
    return out;
}

}  // namespace echelon::app
