#include "config/settings.hpp"

#include "base/kubernetes_names.hpp"
#include "config/addresses.hpp"
#include "config/document.hpp"
#include "config/export_section.hpp"
#include "config/health_section.hpp"
#include "config/limits_section.hpp"
#include "config/preemption_section.hpp"
#include "config/profiles_section.hpp"
#include "config/scalars.hpp"
#include "config/section.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace echelon::config {

namespace {

using Kind = Value::Kind;
constexpr std::size_t largest_file = 1UL << 20U;
constexpr std::size_t most_levels = 16;
constexpr double most_steps = 1e9;
constexpr double least_barrier = 16;  // Connections.
constexpr double most_barrier = 1'000'000;
constexpr std::chrono::seconds shortest_lease{3};
constexpr std::chrono::seconds longest_lease{3600};
constexpr double least_recording = 2;  // Megabytes.
constexpr double most_recording = 1 << 20U;
constexpr double longest_wait = 2147483647;  // Seconds.
constexpr std::string_view own_api_version = "config.echelon.sh/v1alpha1";
constexpr std::string_view own_kind = "EchelonConfiguration";
constexpr std::string_view host_level = "kubernetes.io/hostname";

void read_client_connection(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "clientConnection", {"kubeconfig", "qps", "burst"}, faults);
    section.read_text(section.find("kubeconfig"), out.client_connection.kubeconfig);
    section.read_rate("qps", out.client_connection.qps, false);
    section.read_rate("burst", out.client_connection.burst, true);
}

void read_tls(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "tls", {"certFile", "keyFile", "clientCAFile", "allowedNames"}, faults);
    Tls& tls = out.tls.emplace();
    section.read_text(section.require("certFile"), tls.cert_file);
    section.read_text(section.require("keyFile"), tls.key_file);
    section.read_text(section.find("clientCAFile"), tls.client_ca_file);
    section.read_texts("allowedNames", tls.allowed_names);
    if (const Value::Entry* names = section.find("allowedNames");
        names != nullptr && names->value.kind == Kind::list && names->value.items.empty())
        section.complain(*names, "must have at least one entry: without the key any certificate of the CA is taken");
    if (section.find("clientCAFile") != nullptr || value.kind != Kind::map)
        return;
    const std::string path = section.path_of("clientCAFile");
    if (const Value::Entry* names = section.find("allowedNames")) {
        section.complain(*names, "needs clientCAFile: nobody shows a certificate without it");
    }
    for (const auto& [key, address] : {std::pair{"extender", out.extender}, std::pair{"bind", out.bind}}) {
        if (address.is_loopback())
            continue;
        faults.push_back(
            {value.line, path, fmt::format("is missing: {} isn't on loopback, callers must show a certificate", key)});
        return;
    }
}

void read_barrier(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "barrier", {"timeout", "connections"}, faults);
    section.read_duration("timeout", out.barrier_timeout);
    if (out.barrier_timeout.count() == 0)
        section.complain(*section.find("timeout"), "must be longer than 0");
    auto connections = static_cast<double>(out.barrier_connections);
    section.read_rate("connections", connections, true);
    if (connections < least_barrier || connections > most_barrier)
        return section.complain(*section.find("connections"), "must be from 16 to 1000000");
    out.barrier_connections = static_cast<std::uint64_t>(connections);
}

void read_gang(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "gang", {"settle"}, faults);
    section.read_duration("settle", out.gang_settle);
}

void read_queue(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "queue", {"claimAfter", "claimLifetime"}, faults);
    section.read_duration("claimAfter", out.queue_claim_after);
    section.read_duration("claimLifetime", out.queue_claim_lifetime);
    if (out.queue_claim_lifetime.count() == 0)
        section.complain(*section.find("claimLifetime"), "must be longer than 0");
}

void read_recording(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "recording", {"directory", "maxMegabytes"}, faults);
    Recording& recording = out.recording.emplace();
    section.read_text(section.require("directory"), recording.directory);
    auto megabytes = static_cast<double>(recording.most_megabytes);
    section.read_rate("maxMegabytes", megabytes, true);
    if (megabytes < least_recording || megabytes > most_recording)
        return section.complain(*section.find("maxMegabytes"), "must be from 2 to 1048576");
    recording.most_megabytes = static_cast<std::uint64_t>(megabytes);
}

void read_log(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "log", {"level"}, faults);
    const Value::Entry* level = section.find("level");
    if (!section.is(level, Kind::text, "debug, info, warning or error"))
        return;
    if (const auto known = log_level(level->value.text)) {
        out.log_level = *known;
    } else {
        section.complain(*level, fmt::format("must be debug, info, warning or error, not {}", shown(level->value)));
    }
}

void read_solver(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "solver", {"steps"}, faults);
    auto steps = static_cast<double>(out.solver_steps);
    section.read_rate("steps", steps, true);
    if (steps > most_steps)
        return section.complain(*section.find("steps"), fmt::format("must be at most {}", most_steps));
    out.solver_steps = static_cast<std::uint64_t>(steps);
}

// Callers are restricted by the network and, if configured, by the CA. The API server presents a client certificate
// only if it is set up for that.
void read_webhook(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "webhook", {"address", "certFile", "keyFile", "clientCAFile"}, faults);
    Webhook& webhook = out.webhook.emplace();
    read_address(section, "0.0.0.0:9303", webhook.address);
    section.read_text(section.require("certFile"), webhook.cert_file);
    section.read_text(section.require("keyFile"), webhook.key_file);
    section.read_text(section.find("clientCAFile"), webhook.client_ca_file);
}

void read_object_name(Section& section, const char* key, std::string& out) {
    const Value::Entry* entry = section.require(key);
    section.read_text(entry, out);
    if (entry != nullptr && !out.empty() && !base::is_dns_subdomain(out))
        section.complain(*entry, fmt::format("{} can't be the name of an object", shown(out)));
}

void read_leader(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "leader", {"mode", "lease"}, faults);
    if (const Value::Entry* mode = section.find("mode"); section.is(mode, Kind::text, "none, follow or own")) {
        if (mode->value.text == "follow") {
            out.leader.mode = LeaderMode::follow;
        } else if (mode->value.text == "own") {
            out.leader.mode = LeaderMode::own;
        } else if (mode->value.text != "none") {
            section.complain(*mode, fmt::format("must be none, follow or own, not {}", shown(mode->value)));
        }
    }
    const Value::Entry* lease = section.find("lease");
    if (lease == nullptr && out.leader.mode == LeaderMode::follow)
        faults.push_back({value.line, "leader.lease", "is missing: follow needs the lease of the scheduler"});
    if (lease == nullptr && out.leader.mode == LeaderMode::own)
        faults.push_back({value.line, "leader.lease", "is missing: own needs a lease to take"});
    if (lease == nullptr)
        return;
    Section names(lease->value, "leader.lease", {"namespace", "name", "duration"}, faults);
    read_object_name(names, "namespace", out.leader.lease_namespace);
    read_object_name(names, "name", out.leader.lease_name);
    const Value::Entry* given = names.find("duration");
    if (given == nullptr)
        return;
    if (out.leader.mode != LeaderMode::own)
        return names.complain(*given, "belongs to mode own: a lease that is followed says so itself");
    std::chrono::milliseconds duration = out.leader.lease_duration;
    names.read_duration("duration", duration);
    out.leader.lease_duration = std::chrono::duration_cast<std::chrono::seconds>(duration);
    if (out.leader.lease_duration != duration || duration < shortest_lease || duration > longest_lease)
        names.complain(*given, "must be whole seconds from 3s to 1h");
}

void read_levels(Section& section, const std::string& path, std::vector<std::string>& out, Faults& faults) {
    const Value::Entry* entry = section.require("levels");
    section.read_texts("levels", out);
    if (entry == nullptr || entry->value.kind != Kind::list)
        return;
    const std::vector<Value>& items = entry->value.items;
    if (items.empty())
        section.complain(*entry, "must have at least one entry");
    if (items.size() > most_levels)
        section.complain(*entry, fmt::format("must have at most {} entries", most_levels));
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Value& item = items[i];
        if (item.kind != Kind::text || item.text.empty())
            continue;  // Reported already.
        std::string what;
        if (!base::is_label_key(item.text))
            what = "isn't a label key";
        if (item.text == host_level && i + 1 != items.size())
            what = "may only be the last level";
        if (!seen.insert(item.text).second)
            what = "is listed twice";
        if (what.empty())
            continue;
        faults.push_back({item.line, fmt::format("{}.levels[{}]", path, i), fmt::format("{} {}", shown(item), what)});
    }
}

void read_topologies(Section& root, Settings& out, Faults& faults) {
    const Value::Entry* list = root.find("topologies");
    if (!root.is(list, Kind::list, "a list"))
        return;
    std::set<std::string> names;
    for (std::size_t i = 0; i < list->value.items.size(); ++i) {
        const std::string path = fmt::format("topologies[{}]", i);
        Section section(list->value.items[i], path, {"name", "levels", "file"}, faults);
        Topology topology;
        const Value::Entry* name = section.require("name");
        section.read_text(name, topology.name);
        if (!topology.name.empty() && !names.insert(topology.name).second) {
            section.complain(*name, fmt::format("{} is another topology already", shown(topology.name)));
        }
        const Value::Entry* file = section.find("file");
        section.read_text(file, topology.file);
        if (file == nullptr) {
            read_levels(section, path, topology.levels, faults);
        } else if (section.find("levels") != nullptr) {
            section.complain(*file, "can't be combined with levels");
        }
        out.topologies.push_back(std::move(topology));
    }
}

void read_topology_store(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "topologyStore", {"namespace", "name"}, faults);
    TopologyStore& store = out.topology_store.emplace();
    read_object_name(section, "namespace", store.store_namespace);
    read_object_name(section, "name", store.store_name);
}

void read_layers(const Value::Entry& entry, std::map<std::string, std::string>& out, Faults& faults) {
    for (const Value::Entry& row : entry.value.entries) {
        const std::string path = path_of("translation.topologyKeyMappings", row.key);
        if (!base::is_label_key(row.key)) {
            faults.push_back({row.value.line, path, fmt::format("{} isn't a label key", shown(row.key))});
        } else if (row.value.kind != Kind::text || row.value.text.empty()) {
            faults.push_back(
                {row.value.line, path, fmt::format("must be the name of a layer, not {}", shown(row.value))});
        } else {
            out.emplace(row.key, row.value.text);
        }
    }
}

void read_translation(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "translation",
                    {"live", "schedulerName", "gangMode", "matchPolicy", "scheduleTimeoutSeconds", "defaultQoSClass",
                     "topologyKeyMappings"},
                    faults);
    Translation& translation = out.translation.emplace();
    section.read_flag("live", translation.live);
    section.read_text(section.find("schedulerName"), translation.scheduler_name);
    section.read_word("gangMode", {"Strict", "NonStrict"}, translation.gang_mode);
    section.read_word("matchPolicy", {"once-satisfied", "waiting-and-running", "only-waiting"},
                      translation.match_policy);
    auto seconds = static_cast<double>(translation.schedule_timeout_seconds);
    section.read_rate("scheduleTimeoutSeconds", seconds, true);
    if (seconds > longest_wait) {
        section.complain(*section.find("scheduleTimeoutSeconds"), fmt::format("must be at most {}", longest_wait));
    } else {
        translation.schedule_timeout_seconds = static_cast<std::int64_t>(seconds);
    }
    section.read_word("defaultQoSClass", {"LSE", "LSR", "LS", "BE"}, translation.default_qos_class);
    const Value::Entry* layers = section.find("topologyKeyMappings");
    if (section.is(layers, Kind::map, "label keys with the names of their layers"))
        read_layers(*layers, translation.topology_key_mappings, faults);
}

void read_simulation(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "simulation", {"scoring"}, faults);
    std::string scoring;
    section.read_word("scoring", {"LeastAllocated", "MostAllocated"}, scoring);
    if (scoring == "MostAllocated")
        out.simulation_scoring = StockScoring::most_allocated;
}

// Checks apiVersion and kind.
void read_identity(Section& root) {
    for (const auto& [key, expected] : {std::pair{"apiVersion", own_api_version}, std::pair{"kind", own_kind}}) {
        const Value::Entry* entry = root.require(key);
        if (entry == nullptr || (entry->value.kind == Kind::text && entry->value.text == expected))
            continue;
        root.complain(*entry, fmt::format("must be {}, not {}", expected, shown(entry->value)));
    }
}

Settings read_settings(const Value& document, Faults& faults) {
    Settings out;
    Section root(document, "", {"apiVersion", "kind",          "clientConnection",
                                "extender",   "bind",          "admin",
                                "tls",        "barrier",       "gang",
                                "queue",      "solver",        "limits",
                                "log",        "webhook",       "leader",
                                "recording",  "translation",   "profiles",
                                "topologies", "topologyStore", "preemption",
                                "health",     "simulation",    "export"},
                 faults);
    if (document.kind != Kind::map)
        return out;
    const auto read = [&](const char* key, auto reader) {
        if (const Value::Entry* entry = root.find(key))
            reader(entry->value);
    };
    read_identity(root);
    read("clientConnection", [&](const Value& value) { read_client_connection(value, out, faults); });
    read("extender", [&](const Value& value) { read_port(value, "extender", out.extender, faults); });
    read("bind", [&](const Value& value) { read_port(value, "bind", out.bind, faults); });
    read("admin", [&](const Value& value) { read_port(value, "admin", out.admin, faults); });
    read("tls", [&](const Value& value) { read_tls(value, out, faults); });
    read("barrier", [&](const Value& value) { read_barrier(value, out, faults); });
    read("gang", [&](const Value& value) { read_gang(value, out, faults); });
    read("queue", [&](const Value& value) { read_queue(value, out, faults); });
    read("solver", [&](const Value& value) { read_solver(value, out, faults); });
    read("limits", [&](const Value& value) { read_limits(value, out.limits, faults); });
    read("log", [&](const Value& value) { read_log(value, out, faults); });
    read("webhook", [&](const Value& value) { read_webhook(value, out, faults); });
    read("leader", [&](const Value& value) { read_leader(value, out, faults); });
    read("health", [&](const Value& value) { read_health(value, out.health, faults); });
    read("preemption", [&](const Value& value) { read_preemption(value, out.preemption, faults); });
    read("recording", [&](const Value& value) { read_recording(value, out, faults); });
    read("translation", [&](const Value& value) { read_translation(value, out, faults); });
    read_profiles(root, out, faults);
    read_topologies(root, out, faults);
    read("export", [&](const Value& value) { read_export(value, out, faults); });
    read("topologyStore", [&](const Value& value) { read_topology_store(value, out, faults); });
    read("simulation", [&](const Value& value) { read_simulation(value, out, faults); });
    check_addresses(root, out, faults);
    return out;
}

}  // namespace

std::expected<Settings, std::vector<Fault>> parse(std::string_view yaml) {
    Faults faults;
    if (yaml.size() > largest_file)
        return std::unexpected(Faults{{1, "", "is larger than 1 MB"}});
    Value document = read_document(yaml, faults);
    document.line = 1;  // Missing top-level keys are reported on this line.
    if (faults.empty() && document.kind == Kind::null)
        faults.push_back({1, "", "is empty"});
    Settings settings;
    // There is no document after a syntax error; there is one after a repeated key or a second document.
    if (document.kind != Kind::null)
        settings = read_settings(document, faults);
    if (faults.empty())
        return settings;
    std::ranges::stable_sort(faults, {}, &Fault::line);
    return std::unexpected(std::move(faults));
}

}  // namespace echelon::config
