#include "server/extender/metric_table.hpp"

#include "engine/invariant.hpp"
#include "server/http/rejection.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::server {
namespace {

using enum MetricKind;
using Names = std::string_view;

constexpr Names verbs[] = {"filter", "prioritize", "preempt", "bind"};
constexpr Names call_results[] = {"ok", "rejected", "error", "bad_request", "deadline", "client_gone", "overload"};
constexpr Names solve_results[] = {"placed", "infeasible", "budget_exhausted", "stale"};
constexpr Names wait_results[] = {"released", "timeout", "client_gone", "aborted"};
constexpr Names phases[] = {"Pending", "Clearing", "Held", "Committed", "Bound", "Degraded"};
constexpr Names clearing_results[] = {"placed", "cheaper", "refused", "timed_out", "changed", "gone"};
constexpr Names reasons[] = {"Invalid", "Incomplete", "Impossible", "NoRoom", "OutOfBudget"};
constexpr Names hold_states[] = {"held", "committed"};
constexpr Names hold_ends[] = {"expired", "broken"};
constexpr Names model_resources[] = {"nodes", "pods", "groups"};
constexpr Names codes[] = {"200", "201", "400", "401", "403", "404",   "409", "422",
                           "429", "500", "502", "503", "504", "other", "none"};
constexpr Names write_kinds[] = {"bind",          "nominate", "ungate", "kick",      "plan", "plan_status",
                                 "plan_deletion", "event",    "score",  "condition", "evict"};
constexpr Names event_types[] = {"added", "modified", "deleted", "bookmark"};
constexpr Names restart_reasons[] = {"eof", "expired", "stall", "error"};
constexpr Names load_results[] = {"ok", "error"};
constexpr Names topology_sources[] = {"file", "push"};

constexpr MetricLabel watched{.name = "resource", .meaning = "watched resources, such as `pods`"};
constexpr MetricLabel level{.name = "level", .meaning = "keys of topology levels"};

constexpr Names fast_buckets = "0.0001 x 2^0..13; bind 0.001 x 2^0..16";
constexpr Names slow_buckets = "0.001 x 2^0..16";

constexpr MetricRow table[] = {
    {"echelon_build_info", gauge, "1, with what was built.", {{{.name = "version"}, {.name = "commit"}}}},
    {"echelon_extender_requests_total",
     counter,
     "Calls of kube-scheduler, by verb and how they ended.",
     {{{"verb", verbs}, {"result", call_results}}}},
    {"echelon_extender_request_duration_seconds",
     histogram,
     "Time from a whole request to its answer; bind includes the wait at the barrier.",
     {{{"verb", verbs}}},
     fast_buckets},
    {"echelon_extender_inflight_requests", gauge, "Calls that have no answer yet.", {{{"verb", verbs}}}},
    {"echelon_http_connections", gauge, "Open connections of all ports."},
    {"echelon_http_connections_rejected_total",
     counter,
     "Connections that were turned away or ended by us, by reason.",
     {{{"reason", rejection_names}}}},
    {"echelon_gang_solve_attempts_total",
     counter,
     "Answers of the solver; stale: refused by the referee.",
     {{{"result", solve_results}}}},
    {"echelon_gang_solve_duration_seconds",
     histogram,
     "Time to find a plan of a gang, or that there is none.",
     {{{"result", solve_results}}},
     "0.0001 x 2^0..16"},
    {"echelon_gangs", gauge, "Gangs by the phase of their plan.", {{{"phase", phases}}}},
    {"echelon_unplaced_gangs",
     gauge,
     "Gangs without a plan, by reason, and by the level that lacks room (empty: no level does).",
     {{{"reason", reasons}, level}}},
    {"echelon_gang_time_to_bound_seconds",
     histogram,
     "Time from first seeing a gang until every minimum is bound. Gangs that existed at startup aren't counted.",
     {},
     "0.01 x 2^0..19"},
    {"echelon_preemptions_total",
     counter,
     "Times that pods were to be evicted for a gang, by outcome; cheaper: room became free before all pods were "
     "evicted.",
     {{{"result", clearing_results}}}},
    {"echelon_preemption_victims_total", counter, "Pods that were evicted for gangs."},
    {"echelon_clearing_seconds",
     histogram,
     "From the choice of the pods to evict until the gang had their room, or gave up.",
     {},
     "0.01 x 2^0..19"},
    {"echelon_barrier_wait_duration_seconds",
     histogram,
     "Time that a member waited at the barrier, by outcome.",
     {{{"result", wait_results}}},
     slow_buckets},
    {"echelon_barrier_waiting_pods", gauge, "Bind calls that wait for the rest of their gang."},
    {"echelon_barrier_timeouts_total", counter, "Barriers that were given up at their deadline."},
    {"echelon_holds", gauge, "Seats that are promised, by state.", {{{"state", hold_states}}}},
    {"echelon_holds_expired_total",
     counter,
     "Holds that ended without a commit, by reason.",
     {{{"reason", hold_ends}}}},
    {"echelon_bind_requests_total",
     counter,
     "Bindings that were asked of the API server, by its answer (none: there was none).",
     {{{"code", codes}}}},
    {"echelon_bind_duration_seconds", histogram, "Time of the API server to answer a binding.", {}, slow_buckets},
    {"echelon_writes_total",
     counter,
     "Writes that were asked of the API server, by kind and by its answer (none: there was none).",
     {{{"kind", write_kinds}, {"code", codes}}}},
    {"echelon_cache_objects", gauge, "Objects of a watched resource.", {{watched}}},
    {"echelon_cache_last_event_timestamp_seconds",
     gauge,
     "Last event, bookmark, list or accepted watch of a resource, seconds since 1970.",
     {{watched}}},
    {"echelon_watch_events_total", counter, "Watch events by type.", {{watched, {"type", event_types}}}},
    {"echelon_watch_restarts_total",
     counter,
     "Watches that had to be begun again, by reason.",
     {{watched, {"reason", restart_reasons}}}},
    {"echelon_unreadable_objects_total",
     counter,
     "Objects of which something couldn't be read, once per version, and parts of lists and watches that aren't "
     "objects.",
     {{watched}}},
    {"echelon_relist_duration_seconds", histogram, "Time of a whole list.", {{watched}}, "0.01 x 2^0..12"},
    {"echelon_topology_domains", gauge, "Domains that nodes are in, by level.", {{level}}},
    {"echelon_topology_nodes_unmapped", gauge, "Nodes that lack a level of the topology which reports use."},
    {"echelon_invariant_violations_total",
     counter,
     "Broken promises that were found before they did harm. Each is a bug of echelon; the runbook lists what is "
     "checked.",
     {{{"invariant", engine::invariant_names}}}},
    {"echelon_leader", gauge, "1 while this echelon plans and writes, 0 while it is on standby."},
    {"echelon_config_reloads_total",
     counter,
     "Times that the configuration file had changed; error: the old one is still in use.",
     {{{"result", load_results}}}},
    {"echelon_config_last_reload_success_timestamp_seconds", gauge,
     "When the configuration in use was read, seconds since 1970."},
    {"echelon_topology_reloads_total",
     counter,
     "Times that a topology of a file, or a pushed one, had changed; error: it can't be used, the last good one stays.",
     {{{"source", topology_sources}, {"result", load_results}}}},
    {"echelon_tls_reloads_total",
     counter,
     "Times that the TLS files had changed; error: the old ones are still in use.",
     {{{"result", load_results}}}},
    {"echelon_recording", gauge, "1 while this life of the service is recorded for replay."},
    {"echelon_recording_bytes", gauge, "Bytes of the recording of this life."},
    {"echelon_model_objects", gauge, "Objects in the engine's model.", {{{"resource", model_resources}}}},
    {"echelon_gang_commits_total", counter, "Plans that were committed."},
    {"echelon_members_bound_total", counter, "Bindings of gang members that succeeded."},
    {"echelon_nominations_total", counter, "Nominations written."},
    {"echelon_gates_removed_total", counter, "Scheduling gates removed."},
    {"echelon_kicks_total", counter, "Parked members woken by an annotation or a label."},
    {"echelon_plan_records_written_total", counter, "GangPlan objects written."},
    {"process_cpu_seconds_total", counter, "CPU time used, user and system."},
    {"process_resident_memory_bytes", gauge, "Resident memory."},
    {"process_virtual_memory_bytes", gauge, "Virtual memory."},
    {"process_threads", gauge, "Threads of the process."},
    {"process_open_fds", gauge, "Open file descriptors."},
    {"process_max_fds", gauge, "Most file descriptors allowed."},
    {"process_start_time_seconds", gauge, "Start of the process, seconds since 1970."},
};

std::string shown(const MetricLabel& label) {
    if (label.values.empty()) {
        return label.meaning.empty() ? fmt::format("`{}`", label.name)
                                     : fmt::format("`{}` ({})", label.name, label.meaning);
    }
    std::string text = fmt::format("`{}` =", label.name);
    for (const auto value : label.values)
        text += fmt::format("{} {}", value == label.values.front() ? "" : ",", value);
    return text;
}

std::string shown_labels(const MetricRow& row) {
    std::string text;
    for (const auto& label : row.labels) {
        if (!label.name.empty())
            text += fmt::format("{}{}", text.empty() ? "" : "; ", shown(label));
    }
    return text;
}

}  // namespace

std::string_view to_string(MetricKind kind) {
    switch (kind) {
        case counter:
            return "counter";
        case gauge:
            return "gauge";
        case histogram:
            return "histogram";
    }
    return "";
}

std::span<const MetricRow> metric_table() {
    return table;
}

const MetricRow* metric_row(std::string_view name) {
    const auto row = std::ranges::find(table, name, &MetricRow::name);
    return row == std::end(table) ? nullptr : row;
}

std::string metrics_document() {
    std::string text =
        "# Metrics\n\n"
        "The metrics that `/metrics` of the admin port returns. This page is printed by `echelon print-metrics`; a "
        "test compares "
        "the two.\n\n"
        "Label values come from fixed sets. Pods, gangs and nodes have no series of their own: what is true of one "
        "gang is\nin its GangPlan and in `echelon explain`. Durations are seconds; the buckets of a histogram "
        "double.\n\n"
        "| metric | type | labels | meaning |\n|---|---|---|---|\n";
    for (const auto& row : table) {
        const auto buckets = row.buckets.empty() ? std::string() : fmt::format(" Buckets: {}.", row.buckets);
        text += fmt::format("| `{}` | {} | {} | {}{} |\n", row.name, to_string(row.kind), shown_labels(row), row.help,
                            buckets);
    }
    return text;
}

}  // namespace echelon::server
