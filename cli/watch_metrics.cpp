#include "cli/watch_metrics.hpp"

#include <chrono>
#include <functional>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

// The watcher keeps monotonic times; a scrape wants seconds since 1970.
double unix_seconds(std::chrono::steady_clock::time_point at) {
    const auto age = std::chrono::steady_clock::now() - at;
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(wall - age).count();
}

}  // namespace

std::string lead_metric(bool leads) {
    std::string out;
    head(out, "echelon_leader", "gauge", "1 while this echelon plans and writes, 0 while it stands by.");
    out += fmt::format("echelon_leader {}\n", leads ? 1 : 0);
    return out;
}

std::string watch_metrics(const std::vector<kube::WatchStatus>& status) {
    std::string out;
    head(out, "echelon_cache_objects", "gauge", "Objects of a watched resource.");
    for (const auto& s : status)
        out += fmt::format("echelon_cache_objects{{resource=\"{}\"}} {}\n", s.what, s.objects);
    head(out, "echelon_cache_last_event_timestamp_seconds", "gauge", "Last event, bookmark or list of a resource.");
    for (const auto& s : status) {
        if (s.last_event == std::chrono::steady_clock::time_point{})
            continue;
        out += fmt::format("echelon_cache_last_event_timestamp_seconds{{resource=\"{}\"}} {:.3f}\n", s.what,
                           unix_seconds(s.last_event));
    }
    head(out, "echelon_watch_events_total", "counter", "Watch events by type.");
    for (const auto& s : status) {
        const auto row = [&](std::string_view type, std::uint64_t count) {
            out += fmt::format("echelon_watch_events_total{{resource=\"{}\",type=\"{}\"}} {}\n", s.what, type, count);
        };
        row("added", s.added);
        row("modified", s.modified);
        row("deleted", s.deleted);
        row("bookmark", s.bookmarks);
    }
    head(out, "echelon_watch_restarts_total", "counter", "Watches that had to be begun again, by reason.");
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
    return out;
}

}  // namespace echelon::cli
