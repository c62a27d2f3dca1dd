#pragma once

// Which settings does the service have, and what are the defaults? `config.echelon.sh/v1alpha1 EchelonConfiguration`.
//
// Plain values. Unknown and duplicate keys, wrong types and bad durations are faults with line and key path.

#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::config {

struct Address {
    std::string host;
    int port = 0;

    [[nodiscard]] bool is_loopback() const;
    [[nodiscard]] std::string text() const;  // "127.0.0.1:9300", "[::]:9300".
    bool operator==(const Address&) const = default;
};

struct ClientConnection {
    std::string kubeconfig;  // Empty: in-cluster credentials.
    double qps = 500;        // Writes other than bindings.
    double burst = 1000;
    bool operator==(const ClientConnection&) const = default;
};

struct Tls {
    std::string cert_file;
    std::string key_file;
    std::string client_ca_file;
    std::vector<std::string> allowed_names;  // CN or SAN; empty: any certificate of the CA.
    bool operator==(const Tls&) const = default;
};

enum class LeaderMode { none, follow, own };

struct Leader {
    LeaderMode mode = LeaderMode::none;
    std::string lease_namespace;
    std::string lease_name;
    std::chrono::seconds lease_duration{15};  // Of echelon's own Lease (mode own).
    bool operator==(const Leader&) const = default;
};

// A recording of the service for `echelon replay`.
struct Recording {
    std::string directory;
    std::uint64_t most_megabytes = 256;  // Of all files in the directory together.
    bool operator==(const Recording&) const = default;
};

// How nodes are scored for plain pods. `echelon simulate` uses that of the first profile.
enum class Scores { none, pack };

// Which promised room plain pods must not take: all of it, held seats only (not reserved domains), or none.
enum class Protect { promised, holds, none };

struct Profile {
    std::string scheduler_name;
    bool gang = true;
    bool topology = true;
    bool nominate = true;
    Protect protect = Protect::promised;
    Scores scores = Scores::none;
    bool preempt = false;     // Its gangs may have pods of lower priority evicted.
    bool conditions = false;  // Writes conditions on the objects of Kubernetes' own groups.
    bool operator==(const Profile&) const = default;
};

struct Topology {
    std::string name;
    std::vector<std::string> levels;  // Node label keys, widest first.
    std::string file;                 // A Topograph document instead of levels; empty: none.
    bool operator==(const Topology&) const = default;
};

// A topology that is written as the objects of another scheduler.
struct TopologyExport {
    std::string kind;  // "HyperNode", "KueueTopology", "ClusterNetworkTopology" or "KaiTopology".
    std::string name;
    std::string from;  // Name of the topology; empty: the only one.
    bool operator==(const TopologyExport&) const = default;
};

// The ConfigMap that stores pushed topologies.
struct TopologyStore {
    std::string store_namespace;
    std::string store_name;
    bool operator==(const TopologyStore&) const = default;
};

// How pods are evicted for gangs of profiles with `preempt`.
struct Preemption {
    std::int64_t most_victims = 512;
    std::chrono::milliseconds timeout{300'000};
    bool foreign = false;  // Also evicts pods of other schedulers.
    bool operator==(const Preemption&) const = default;
};

// The port for AdmissionReviews of the API server.
struct Webhook {
    Address address;
    std::string cert_file;
    std::string key_file;
    std::string client_ca_file;  // Callers need a certificate of this CA; empty: none.
    bool operator==(const Webhook&) const = default;
};

// How gangs of Grove are written for Koordinator: by `echelon translate`, the webhook, and in live mode.
struct Translation {
    bool live = false;                               // Keeps PodGroups in sync with PodGangs.
    std::string scheduler_name = "koord-scheduler";  // Of the pods and sets to translate.
    std::string gang_mode = "Strict";
    std::string match_policy = "once-satisfied";
    std::int64_t schedule_timeout_seconds = 30;
    std::string default_qos_class;                             // Empty: none.
    std::map<std::string, std::string> topology_key_mappings;  // Label key -> layer.
    bool operator==(const Translation&) const = default;
};

// Bounds of one object or gang; beyond a bound only that one is Invalid (docs/limits.md).
struct Limits {
    std::int64_t members = 20'000;
    std::int64_t groups = 4'096;
    std::int64_t depth = 64;
    std::int64_t declared_groups = 64;
    std::int64_t annotation_bytes = 65'536;
    std::int64_t annotation_depth = 16;
    std::int64_t topology_nodes = 200'000;
    std::int64_t pattern_bytes = 8'388'608;
    std::int64_t resources = 64;
    std::int64_t message_bytes = 4'096;
    std::chrono::milliseconds longest_hold{3'600'000};
    bool free_priority = false;
    bool operator==(const Limits&) const = default;
};

// Further conditions and taints that make a node unusable.
struct Health {
    std::vector<std::string> conditions;  // "TYPE" (status True) or "TYPE=STATUS".
    std::vector<std::string> taints;      // "KEY", "KEY=VALUE", "KEY:EFFECT" or "KEY=VALUE:EFFECT", tolerated or not.
    bool operator==(const Health&) const = default;
};

// How the stand-in for kube-scheduler scores nodes in `echelon simulate`.
enum class StockScoring { least_allocated, most_allocated };

enum class LogLevel { debug, info, warning, error };
[[nodiscard]] std::string_view to_string(LogLevel level);  // "debug" ...
[[nodiscard]] std::optional<LogLevel> log_level(std::string_view word);

struct Settings {
    ClientConnection client_connection;
    Address extender{"127.0.0.1", 9300};
    Address bind{"127.0.0.1", 9301};
    Address admin{"127.0.0.1", 9302};
    std::optional<Tls> tls;
    std::optional<Webhook> webhook;
    LogLevel log_level = LogLevel::info;
    std::chrono::milliseconds barrier_timeout{50'000};
    std::uint64_t barrier_connections = 16'384;  // Bind calls of members that may wait at once.
    std::chrono::milliseconds gang_settle{50};
    std::chrono::milliseconds queue_claim_after{600'000};  // 0: never.
    std::chrono::milliseconds queue_claim_lifetime{1'800'000};
    std::uint64_t solver_steps = 200'000;  // Search budget of one plan; steps are counted, time is not measured.
    Limits limits;
    Preemption preemption;
    Health health;
    Leader leader;
    std::optional<Recording> recording;      // Absent: off.
    std::optional<Translation> translation;  // Absent: only `echelon translate` translates, with its defaults.
    std::vector<Profile> profiles;
    std::vector<Topology> topologies;
    std::optional<TopologyStore> topology_store;    // Absent: topologies can't be pushed.
    std::optional<TopologyExport> topology_export;  // Absent: no objects are written. If set, profiles may be empty.
    StockScoring simulation_scoring = StockScoring::least_allocated;
    bool operator==(const Settings&) const = default;
};

// True if the service only exports a topology: there are no profiles, and no kube-scheduler calls it.
[[nodiscard]] bool exports_alone(const Settings& settings);
// True if some profile may evict pods for its gangs.
[[nodiscard]] bool preempts(const Settings& settings);

// One thing that is wrong with a configuration file.
struct Fault {
    int line = 1;      // 1-based.
    std::string path;  // "profiles[0].schedulerName"; empty: the document.
    std::string what;  // No trailing period.

    bool operator==(const Fault&) const = default;
};

// Parses and validates a whole file (at most 1 MB). The error has all faults in line order.
[[nodiscard]] std::expected<Settings, std::vector<Fault>> parse(std::string_view yaml);
// The same from a file; an unreadable file is a fault without a path.
[[nodiscard]] std::expected<Settings, std::vector<Fault>> load(const std::string& file);
// The text of a file. Of a file that is too large, just enough for `parse` to refuse it.
[[nodiscard]] std::expected<std::string, Fault> read_file(const std::string& file);
// A configuration file with all defaults. It parses to `Settings{}` with one profile, which is required.
[[nodiscard]] std::string_view default_file();
// "FILE:LINE: PATH: what is wrong".
[[nodiscard]] std::string to_line(const std::string& file, const Fault& fault);

}  // namespace echelon::config
