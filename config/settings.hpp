#pragma once

// The configuration of the service, typed, with its defaults: `config.echelon.sh/v1alpha1 EchelonConfiguration`.
//
// Plain values. Unknown and duplicate keys, wrong types and bad durations are faults that name line and key path.

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
    std::chrono::seconds lease_duration{15};  // Of our own (mode own).
    bool operator==(const Leader&) const = default;
};

// Of a life of the service, for `echelon replay`.
struct Recording {
    std::string directory;
    std::uint64_t most_megabytes = 256;  // Of all files there.
    bool operator==(const Recording&) const = default;
};

// How nodes are scored for pods of no gang. `echelon simulate` alone knows it yet, for the first profile.
enum class Scores { none, pack };

// Which room that is promised to gangs is kept from pods of no gang: all, all but reserved domains, or none.
enum class Protect { promised, holds, none };

struct Profile {
    std::string scheduler_name;
    bool gang = true;
    bool topology = true;
    bool nominate = true;
    Protect protect = Protect::promised;
    Scores scores = Scores::none;
    bool preempt = false;     // Its gangs may have pods of lower priority evicted.
    bool conditions = false;  // What becomes of its gangs is written on the objects of Kubernetes' own groups.
    bool operator==(const Profile&) const = default;
};

struct Topology {
    std::string name;
    std::vector<std::string> levels;  // Node label keys, widest first.
    std::string file;                 // Of Topograph, instead of levels; empty: none.
    bool operator==(const Topology&) const = default;
};

// As whose objects, and under which name, a topology is kept for other schedulers.
struct TopologyExport {
    std::string kind;  // "HyperNode", "KueueTopology", "ClusterNetworkTopology" or "KaiTopology".
    std::string name;
    std::string from;  // Which topology; empty: the only one there is.
    bool operator==(const TopologyExport&) const = default;
};

// The ConfigMap in which topologies are kept that are pushed while the service runs.
struct TopologyStore {
    std::string store_namespace;
    std::string store_name;
    bool operator==(const TopologyStore&) const = default;
};

// How pods are evicted for gangs of profiles with `preempt`.
struct Preemption {
    std::int64_t most_victims = 512;
    std::chrono::milliseconds timeout{300'000};
    bool foreign = false;  // Pods of other schedulers, too.
    bool operator==(const Preemption&) const = default;
};

// Whose calls are AdmissionReviews of the API server.
struct Webhook {
    Address address;
    std::string cert_file;
    std::string key_file;
    std::string client_ca_file;  // Callers must show a certificate of it; empty: they needn't.
    bool operator==(const Webhook&) const = default;
};

// How gangs of Grove are written for Koordinator: by `echelon translate`, by the webhook, and in live mode.
struct Translation {
    bool live = false;                               // Keeps PodGroups in step with PodGangs.
    std::string scheduler_name = "koord-scheduler";  // Whose pods and sets are meant.
    std::string gang_mode = "Strict";
    std::string match_policy = "once-satisfied";
    std::int64_t schedule_timeout_seconds = 30;
    std::string default_qos_class;                             // Empty: none.
    std::map<std::string, std::string> topology_key_mappings;  // Label key -> layer.
    bool operator==(const Translation&) const = default;
};

// How much one object or gang may make of itself; over a bound it is Invalid, alone (docs/limits.md).
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

// Under which further conditions a node takes no pods.
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
    std::uint64_t solver_steps = 200'000;  // Of the search for one plan: counted, never timed.
    Limits limits;
    Preemption preemption;
    Health health;
    Leader leader;
    std::optional<Recording> recording;      // Absent: off.
    std::optional<Translation> translation;  // Absent: the command's defaults, and nobody else translates.
    std::vector<Profile> profiles;
    std::vector<Topology> topologies;
    std::optional<TopologyStore> topology_store;    // Absent: nothing can be pushed.
    std::optional<TopologyExport> topology_export;  // Absent: no objects are kept. Beside it profiles may be empty.
    StockScoring simulation_scoring = StockScoring::least_allocated;
    bool operator==(const Settings&) const = default;
};

// True if it calls itself no scheduler's: it keeps objects of a topology, and nobody calls it.
[[nodiscard]] bool exports_alone(const Settings& settings);
// True if some profile has pods evicted for its gangs.
[[nodiscard]] bool preempts(const Settings& settings);

// One thing that is wrong with a configuration file.
struct Fault {
    int line = 1;      // 1-based.
    std::string path;  // "profiles[0].schedulerName"; empty: the document.
    std::string what;  // No trailing period.

    bool operator==(const Fault&) const = default;
};

// Parses and validates a whole file (at most 1 MB); all faults at once, in line order.
[[nodiscard]] std::expected<Settings, std::vector<Fault>> parse(std::string_view yaml);
// The same from a file; an unreadable file is a fault without a path.
[[nodiscard]] std::expected<Settings, std::vector<Fault>> load(const std::string& file);
// The text of a file, or as much of it as `parse` needs to refuse it.
[[nodiscard]] std::expected<std::string, Fault> read_file(const std::string& file);
// The file that the defaults are: its parsed form is `Settings{}` beside the one profile that it must name.
[[nodiscard]] std::string_view default_file();
// "FILE:LINE: PATH: what is wrong".
[[nodiscard]] std::string to_line(const std::string& file, const Fault& fault);

}  // namespace echelon::config
