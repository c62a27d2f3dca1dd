#include "config/settings.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

namespace echelon::config {
namespace {

const std::string heading = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";  // Lines 1 and 2.
const std::string profiles = "profiles:\n- schedulerName: default-scheduler\n";

// The faults of a file as the lines that a user sees.
std::vector<std::string> faults_of(const std::string& yaml) {
    std::vector<std::string> out;
    const auto settings = parse(yaml);
    if (settings)
        return out;
    for (const Fault& fault : settings.error())
        out.push_back(to_line("f", fault));
    return out;
}

using Lines = std::vector<std::string>;

TEST_CASE("the file with the defaults says what the code says") {
    const auto settings = load(ECHELON_SOURCE_DIR "/config/echelon.yaml");
    REQUIRE(settings);
    Settings expected;
    expected.profiles = {{.scheduler_name = "default-scheduler"}};
    CHECK(*settings == expected);
}

TEST_CASE("what the program prints as its defaults is that file") {
    std::ostringstream text;
    text << std::ifstream(ECHELON_SOURCE_DIR "/config/echelon.yaml").rdbuf();
    CHECK(text.str() == default_file());
    const auto settings = parse(default_file());
    REQUIRE(settings);
    Settings expected;
    expected.profiles = {{.scheduler_name = "default-scheduler"}};
    CHECK(*settings == expected);
}

TEST_CASE("the budget of the solver is a default that the solver has, too") {
    CHECK(Settings{}.solver_steps == 200'000);
    CHECK_FALSE(parse(heading + profiles + "solver: {steps: 0}\n"));
    CHECK_FALSE(parse(heading + profiles + "solver: {steps: 1.5}\n"));
    CHECK_FALSE(parse(heading + profiles + "solver: {steps: 2000000000}\n"));
}

TEST_CASE("levels of the log are words, and others are refused") {
    for (const std::string word : {"debug", "info", "warning", "error"}) {
        const auto settings = parse(heading + profiles + "log: {level: " + word + "}\n");
        REQUIRE(settings);
        CHECK(to_string(settings->log_level) == word);
    }
    const auto refused = parse(heading + profiles + "log: {level: loud}\n");
    REQUIRE_FALSE(refused);
    CHECK(to_line("f", refused.error().front()) ==
          "f:5: log.level: must be debug, info, warning or error, not \"loud\"");
}

TEST_CASE("a webhook needs an address and a certificate, but no CA for callers") {
    CHECK(parse(heading + profiles + "webhook: {address: \"0.0.0.0:1\", certFile: /c, keyFile: /k}\n"));
    const auto refused = parse(heading + profiles + "webhook: {address: nowhere}\n");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().size() == 3);
}

TEST_CASE("the settings for Koordinator are read, or refused with the allowed values") {
    const auto with = [](const std::string& section) { return parse(heading + profiles + "translation: " + section); };
    const auto all = with(
        "{live: true, schedulerName: koord, gangMode: NonStrict, matchPolicy: only-waiting, scheduleTimeoutSeconds: 1, "
        "defaultQoSClass: LSR, topologyKeyMappings: {a.b/rack: rackLayer, zone: NodeTopologyLayer}}\n");
    REQUIRE(all);
    CHECK(*all->translation ==
          Translation{.live = true,
                      .scheduler_name = "koord",
                      .gang_mode = "NonStrict",
                      .match_policy = "only-waiting",
                      .schedule_timeout_seconds = 1,
                      .default_qos_class = "LSR",
                      .topology_key_mappings = {{"a.b/rack", "rackLayer"}, {"zone", "NodeTopologyLayer"}}});
    const auto none = with("{}\n");
    REQUIRE(none);
    CHECK(*none->translation == Translation{});
    struct Row {
        std::string section;
        std::string fault;
    };
    for (const auto& row : std::vector<Row>{
             {"{gangMode: strict}", "gangMode: must be one of Strict, NonStrict, not \"strict\""},
             {"{matchPolicy: never}",
              "matchPolicy: must be one of once-satisfied, waiting-and-running, only-waiting, not \"never\""},
             {"{scheduleTimeoutSeconds: 0}", "scheduleTimeoutSeconds: must be a number above 0, not 0"},
             {"{scheduleTimeoutSeconds: 1.5}", "scheduleTimeoutSeconds: must be a whole number, not 1.5"},
             {"{scheduleTimeoutSeconds: 3e9}", "scheduleTimeoutSeconds: must be at most 2147483647"},
             {"{defaultQoSClass: SYSTEM}", "defaultQoSClass: must be one of LSE, LSR, LS, BE, not \"SYSTEM\""},
             {"{topologyKeyMappings: {a/b/c: rackLayer}}", "topologyKeyMappings.a/b/c: \"a/b/c\" isn't a label key"},
             {"{topologyKeyMappings: {a: 7}}", "topologyKeyMappings.a: must be the name of a layer, not 7"},
             {"{topologyKeyMappings: [a]}",
              "topologyKeyMappings: must be label keys with the names of their layers, not a "
              "list"},
             {"{schedulerName: ''}", "schedulerName: must not be empty"},
             {"{mode: Strict}", "mode: isn't a known key"}}) {
        CAPTURE(row.section);
        CHECK(faults_of(heading + profiles + "translation: " + row.section + "\n") ==
              Lines{"f:5: translation." + row.fault});
    }
}

TEST_CASE("a file with profiles alone has the defaults") {
    const auto settings = parse(heading + profiles);
    REQUIRE(settings);
    Settings expected;
    expected.profiles = {{.scheduler_name = "default-scheduler"}};
    CHECK(*settings == expected);
}

TEST_CASE("every key is read") {
    const auto settings = parse(heading + R"(
clientConnection: {kubeconfig: /k, qps: 12.5, burst: 30}
extender: {address: "0.0.0.0:1"}
bind: {address: "[::]:2"}
admin: {address: "localhost:65535"}
tls: {certFile: /c, keyFile: /k, clientCAFile: /a, allowedNames: [x, y]}
barrier: {timeout: 1m30s, connections: 600}
gang: {settle: 0s}
queue: {claimAfter: 0s, claimLifetime: 5m}
solver: {steps: 5000}
log: {level: warning}
webhook: {address: "0.0.0.0:3", certFile: /wc, keyFile: /wk, clientCAFile: /wa}
leader: {mode: follow, lease: {namespace: kube-system, name: kube-scheduler}}
recording: {directory: /var/lib/echelon, maxMegabytes: 100}
profiles:
- {schedulerName: a, gang: false, topology: false, nominate: false}
- {schedulerName: "b", protect: holds, preempt: true}
- {schedulerName: "c", protect: none}
preemption: {maxVictims: 32, timeout: 90s, foreign: true}
topologies:
- name: fabric
  levels: [example.com/block, rack, kubernetes.io/hostname]
- {name: machines, file: /graph.json}
topologyStore: {namespace: kube-system, name: kept}
)");
    REQUIRE(settings);
    Settings expected;
    expected.client_connection = {.kubeconfig = "/k", .qps = 12.5, .burst = 30};
    expected.extender = {"0.0.0.0", 1};
    expected.bind = {"::", 2};
    expected.admin = {"localhost", 65535};
    expected.tls = Tls{.cert_file = "/c", .key_file = "/k", .client_ca_file = "/a", .allowed_names = {"x", "y"}};
    expected.barrier_timeout = std::chrono::milliseconds(90'000);
    expected.barrier_connections = 600;
    expected.gang_settle = std::chrono::milliseconds(0);
    expected.queue_claim_after = std::chrono::milliseconds(0);
    expected.queue_claim_lifetime = std::chrono::minutes(5);
    expected.solver_steps = 5000;
    expected.log_level = LogLevel::warning;
    expected.webhook = Webhook{{"0.0.0.0", 3}, "/wc", "/wk", "/wa"};
    expected.leader = {.mode = LeaderMode::follow, .lease_namespace = "kube-system", .lease_name = "kube-scheduler"};
    expected.recording = Recording{.directory = "/var/lib/echelon", .most_megabytes = 100};
    expected.profiles = {{.scheduler_name = "a", .gang = false, .topology = false, .nominate = false},
                         {.scheduler_name = "b", .protect = Protect::holds, .preempt = true},
                         {.scheduler_name = "c", .protect = Protect::none}};
    expected.preemption = {.most_victims = 32, .timeout = std::chrono::seconds(90), .foreign = true};
    expected.topologies = {
        {.name = "fabric", .levels = {"example.com/block", "rack", "kubernetes.io/hostname"}, .file = {}},
        {.name = "machines", .levels = {}, .file = "/graph.json"}};
    expected.topology_store = TopologyStore{.store_namespace = "kube-system", .store_name = "kept"};
    CHECK(*settings == expected);
}

TEST_CASE("one wrong line gives one fault with its line and path") {
    struct Row {
        std::string name;
        std::string yaml;  // Behind the heading; its first line is line 3.
        std::string fault;
    };
    const Row rows[] = {
        {"unknown key", profiles + "colour: blue\n", "f:5: colour: isn't a known key"},
        {"unknown nested key", profiles + "gang:\n  settle: 1s\n  sttle: 1s\n", "f:7: gang.sttle: isn't a known key"},
        {"unknown key of a profile", profiles + "  colour: 1\n", "f:5: profiles[0].colour: isn't a known key"},
        {"repeated key", profiles + "gang: {settle: 1s}\ngang: {settle: 2s}\n",
         "f:6: gang: is given twice, first on line 5"},
        {"repeated nested key", profiles + "  gang: true\n  gang: true\n",
         "f:6: profiles[0].gang: is given twice, first on line 5"},
        {"text for a map", profiles + "gang: soon\n", "f:5: gang: must be a map, not \"soon\""},
        {"nothing for a map", profiles + "tls:\n", "f:5: tls: must be a map, not nothing"},
        {"nothing for a text", profiles + "clientConnection: {kubeconfig: }\n",
         "f:5: clientConnection.kubeconfig: must be a string, not nothing"},
        {"number for a text", "profiles:\n- schedulerName: 12\n",
         "f:4: profiles[0].schedulerName: must be a string, not 12"},
        {"boolean for a text", "profiles:\n- schedulerName: true\n",
         "f:4: profiles[0].schedulerName: must be a string, not true"},
        {"empty text", "profiles:\n- schedulerName: ''\n", "f:4: profiles[0].schedulerName: must not be empty"},
        {"quoted boolean", profiles + "  gang: \"true\"\n",
         "f:5: profiles[0].gang: must be true or false, not \"true\""},
        {"yes for a boolean", profiles + "  gang: yes\n", "f:5: profiles[0].gang: must be true or false, not \"yes\""},
        {"True for a boolean", profiles + "  gang: True\n", "f:5: profiles[0].gang: must be true or false, not True"},
        {"number for a boolean", profiles + "  gang: 1\n", "f:5: profiles[0].gang: must be true or false, not 1"},
        {"quoted number", profiles + "clientConnection: {qps: '5'}\n",
         "f:5: clientConnection.qps: must be a number, not \"5\""},
        {"qps of 0", profiles + "clientConnection: {qps: 0}\n",
         "f:5: clientConnection.qps: must be a number above 0, not 0"},
        {"endless qps", profiles + "clientConnection: {qps: .inf}\n",
         "f:5: clientConnection.qps: must be a number above 0, not .inf"},
        {"broken burst", profiles + "clientConnection: {burst: 1.5}\n",
         "f:5: clientConnection.burst: must be a whole number, not 1.5"},
        {"bad duration", profiles + "gang: {settle: soon}\n",
         "f:5: gang.settle: \"soon\" isn't a duration like \"1m30s\" or \"50ms\""},
        {"duration without a unit", profiles + "gang: {settle: \"50\"}\n",
         "f:5: gang.settle: \"50\" isn't a duration like \"1m30s\" or \"50ms\""},
        {"number for a duration", profiles + "gang: {settle: 50}\n",
         "f:5: gang.settle: must be a duration like \"1m30s\" or \"50ms\", not 50"},
        {"negative duration", profiles + "gang:\n  settle: -1s\n", "f:6: gang.settle: \"-1s\" is negative"},
        {"barrier of 0", profiles + "barrier: {timeout: 0s}\n", "f:5: barrier.timeout: must be longer than 0"},
        {"barrier for too few", profiles + "barrier: {connections: 15}\n",
         "f:5: barrier.connections: must be from 16 to 1000000"},
        {"barrier for too many", profiles + "barrier: {connections: 1000001}\n",
         "f:5: barrier.connections: must be from 16 to 1000000"},
        {"half a connection", profiles + "barrier: {connections: 16.5}\n",
         "f:5: barrier.connections: must be a whole number, not 16.5"},
        {"bad address", profiles + "admin: {address: nowhere}\n",
         "f:5: admin.address: \"nowhere\" isn't an address like \"127.0.0.1:9300\" or \"[::1]:9300\""},
        {"missing address", profiles + "admin: {}\n", "f:5: admin.address: is missing"},
        {"an address of two ports", profiles + "extender: {address: 127.0.0.1:9302}\n",
         "f:5: extender.address: is the address of admin, too"},
        {"two addresses that are one", profiles + "admin: {address: \"[::1]:7\"}\nbind: {address: \"[::1]:7\"}\n",
         "f:5: admin.address: is the address of bind, too"},
        {"a webhook on another port", profiles + "webhook: {address: 127.0.0.1:9301, certFile: /c, keyFile: /k}\n",
         "f:5: webhook.address: is the address of bind, too"},
        {"same profile twice", profiles + "- schedulerName: b\n- schedulerName: default-scheduler\n",
         "f:6: profiles[2].schedulerName: \"default-scheduler\" has a profile already"},
        {"profile without a name", profiles + "- gang: true\n  topology: true\n",
         "f:5: profiles[1].schedulerName: is missing"},
        {"no profiles", "", "f:1: profiles: is missing"},
        {"empty profiles", "\nprofiles: []\n", "f:4: profiles: must have at least one entry, or export be there"},
        {"profiles are a map", "profiles: {}\n", "f:3: profiles: must be a list, not a map"},
        {"profile is a text", "profiles: [a]\n", "f:3: profiles[0]: must be a map, not \"a\""},
        {"extender off loopback without tls", profiles + "extender:\n  address: 10.0.0.1:9300\n",
         "f:6: extender.address: must be on loopback, or tls be configured"},
        {"bind off loopback without tls", profiles + "bind: {address: \"[::]:9300\"}\n",
         "f:5: bind.address: must be on loopback, or tls be configured"},
        {"tls off loopback without a CA",
         profiles + "bind: {address: 0.0.0.0:9301}\ntls:\n  certFile: /c\n  keyFile: /k\n",
         "f:6: tls.clientCAFile: is missing: bind isn't on loopback, callers must show a certificate"},
        {"tls without a key", profiles + "tls: {certFile: /c}\n", "f:5: tls.keyFile: is missing"},
        {"no names", profiles + "tls: {certFile: /c, keyFile: /k, clientCAFile: /a, allowedNames: []}\n",
         "f:5: tls.allowedNames: must have at least one entry: without the key any certificate of the CA is taken"},
        {"names without a CA", profiles + "tls: {certFile: /c, keyFile: /k, allowedNames: [a]}\n",
         "f:5: tls.allowedNames: needs clientCAFile: nobody shows a certificate without it"},
        {"allowed name of another type",
         profiles + "tls: {certFile: /c, keyFile: /k, clientCAFile: /a, allowedNames: [a, 7]}\n",
         "f:5: tls.allowedNames[1]: must be a string, not 7"},
        {"unknown leader mode", profiles + "leader: {mode: lead}\n",
         "f:5: leader.mode: must be none, follow or own, not \"lead\""},
        {"follow without a lease", profiles + "\nleader:\n  mode: follow\n",
         "f:6: leader.lease: is missing: follow needs the lease of the scheduler"},
        {"own without a lease", profiles + "\nleader:\n  mode: own\n",
         "f:6: leader.lease: is missing: own needs a lease to take"},
        {"a lease too short", profiles + "leader:\n  mode: own\n  lease: {namespace: n, name: l, duration: 2s}\n",
         "f:7: leader.lease.duration: must be whole seconds from 3s to 1h"},
        {"a broken second", profiles + "leader:\n  mode: own\n  lease: {namespace: n, name: l, duration: 3500ms}\n",
         "f:7: leader.lease.duration: must be whole seconds from 3s to 1h"},
        {"a duration of the scheduler's lease",
         profiles + "leader:\n  mode: follow\n  lease: {namespace: n, name: l, duration: 9s}\n",
         "f:7: leader.lease.duration: belongs to mode own: a lease that is followed says so itself"},
        {"a recording without a place", profiles + "recording: {maxMegabytes: 10}\n",
         "f:5: recording.directory: is missing"},
        {"a recording of no size", profiles + "recording: {directory: /r, maxMegabytes: 1}\n",
         "f:5: recording.maxMegabytes: must be from 2 to 1048576"},
        {"a claim without end", profiles + "queue: {claimLifetime: 0s}\n",
         "f:5: queue.claimLifetime: must be longer than 0"},
        {"lease without a name", profiles + "leader:\n  mode: follow\n  lease: {namespace: n}\n",
         "f:7: leader.lease.name: is missing"},
        {"lease of no possible name", profiles + "leader:\n  mode: follow\n  lease: {namespace: n, name: Own_Lease}\n",
         "f:7: leader.lease.name: \"Own_Lease\" can't be the name of an object"},
        {"a store in no possible namespace", profiles + "topologyStore: {namespace: a/b, name: n}\n",
         "f:5: topologyStore.namespace: \"a/b\" can't be the name of an object"},
        {"topology without a name", profiles + "topologies:\n- levels: [a]\n", "f:6: topologies[0].name: is missing"},
        {"topology without levels", profiles + "topologies:\n- name: a\n", "f:6: topologies[0].levels: is missing"},
        {"topology of levels and a file", profiles + "topologies:\n- name: a\n  levels: [x]\n  file: /t\n",
         "f:8: topologies[0].file: can't be combined with levels"},
        {"topology of no file", profiles + "topologies:\n- name: a\n  file: ''\n",
         "f:7: topologies[0].file: must not be empty"},
        {"a store without a name", profiles + "topologyStore: {namespace: n}\n", "f:5: topologyStore.name: is missing"},
        {"empty levels", profiles + "topologies:\n- name: a\n  levels: []\n",
         "f:7: topologies[0].levels: must have at least one entry"},
        {"level twice", profiles + "topologies:\n- name: a\n  levels:\n  - x\n  - y\n  - x\n",
         "f:10: topologies[0].levels[2]: \"x\" is listed twice"},
        {"host above a level", profiles + "topologies:\n- name: a\n  levels: [kubernetes.io/hostname, x]\n",
         "f:7: topologies[0].levels[0]: \"kubernetes.io/hostname\" may only be the last level"},
        {"level that is no key", profiles + "topologies:\n- name: a\n  levels: [\"a b\"]\n",
         "f:7: topologies[0].levels[0]: \"a b\" isn't a label key"},
        {"topology twice", profiles + "topologies:\n- {name: a, levels: [x]}\n- {name: a, levels: [y]}\n",
         "f:7: topologies[1].name: \"a\" is another topology already"},
        {"alias", profiles + "gang: &g {settle: 1s}\nbarrier: *g\n", "f:6: barrier: aliases aren't supported"},
        {"key that isn't plain", profiles + "? {a: b}\n: c\n", "f:5: a key must be a plain value"},
        {"second document", profiles + "---\n" + heading + profiles, "f:5: a second document; one is expected"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const Lines lines = faults_of(heading + row.yaml);
        REQUIRE(lines.size() == 1);
        CHECK(lines[0] == row.fault);
    }
}

TEST_CASE("a file must state apiVersion and kind") {
    CHECK(faults_of(profiles) == Lines{"f:1: apiVersion: is missing", "f:1: kind: is missing"});
    CHECK(faults_of(profiles + "\napiVersion: v1\nkind: 7\n") ==
          Lines{"f:4: apiVersion: must be config.echelon.sh/v1alpha1, not \"v1\"",
                "f:5: kind: must be EchelonConfiguration, not 7"});
}

TEST_CASE("a file without a map is one fault") {
    CHECK(faults_of("") == Lines{"f:1: is empty"});
    CHECK(faults_of("# Nothing here.\n\n") == Lines{"f:1: is empty"});
    CHECK(faults_of("---\n...\n") == Lines{"f:1: is empty"});
    CHECK(faults_of("- a\n") == Lines{"f:1: must be a map, not a list"});
    CHECK(faults_of("text\n") == Lines{"f:1: must be a map, not \"text\""});
}

TEST_CASE("all faults come at once, by line") {
    CHECK(faults_of(
              "kind: Other\nbarrier: {timeout: 0s, limit: 3}\nbind: {address: x}\nprofiles:\n- gang: 1\n  gang: 2\n") ==
          Lines{"f:1: apiVersion: is missing", "f:1: kind: must be EchelonConfiguration, not \"Other\"",
                "f:2: barrier.limit: isn't a known key", "f:2: barrier.timeout: must be longer than 0",
                "f:3: bind.address: \"x\" isn't an address like \"127.0.0.1:9300\" or \"[::1]:9300\"",
                "f:5: profiles[0].schedulerName: is missing", "f:5: profiles[0].gang: must be true or false, not 1",
                "f:6: profiles[0].gang: is given twice, first on line 5"});
}

TEST_CASE("broken syntax is one fault with its line") {
    const Lines lines = faults_of(heading + profiles + "gang: {settle: 1s\nbarrier: ]\n");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("f:6: isn't valid YAML: "));
    CHECK(faults_of(heading + profiles + "gang: {settle: \"1s\n").size() == 1);
    CHECK(faults_of(heading + profiles + "clientConnection:\n  kubeconfig: \"/x\n").size() == 1);
    CHECK(faults_of(heading + "\tprofiles: []\n").size() == 1);
    CHECK(faults_of(std::string(100'000, '[')).size() == 1);
    CHECK(faults_of(std::string("a: \0b\n", 6)).size() >= 1);
}

TEST_CASE("a file of more than a megabyte isn't parsed") {
    CHECK(faults_of(heading + profiles + std::string(1U << 20U, '#')) == Lines{"f:1: is larger than 1 MB"});
    // The largest allowed file, with unknown keys only.
    std::string keys = heading + profiles;
    for (int i = 0; keys.size() < (1U << 20U) - 20; ++i)
        keys += "k" + std::to_string(i) + ":\n";
    CHECK(faults_of(keys).size() > 50'000);
}

TEST_CASE("a key with strange characters is quoted in its path") {
    CHECK(faults_of(heading + profiles + "\"a.b\\n\": 1\n") == Lines{"f:5: [\"a.b\\x0a\"]: isn't a known key"});
}

TEST_CASE("a file that can't be read is a fault without a path") {
    const auto settings = load("/nonexistent/echelon.yaml");
    REQUIRE_FALSE(settings);
    REQUIRE(settings.error().size() == 1);
    CHECK(to_line("f", settings.error()[0]) == "f:1: can't be read: No such file or directory");
    CHECK_FALSE(load("/"));
}

TEST_CASE("the configuration of kube-scheduler points at the addresses of the defaults") {
    const YAML::Node scheduler = YAML::LoadFile(ECHELON_SOURCE_DIR "/config/kube-scheduler/sidecar.yaml");
    CHECK(scheduler["kind"].as<std::string>() == "KubeSchedulerConfiguration");
    const YAML::Node extenders = scheduler["extenders"];
    REQUIRE(extenders.size() == 2);
    const Settings defaults;
    const auto url = [](const Address& address) {
        return "http://" + address.host + ":" + std::to_string(address.port) + "/v1";
    };
    CHECK(extenders[0]["urlPrefix"].as<std::string>() == url(defaults.extender));
    CHECK(extenders[1]["urlPrefix"].as<std::string>() == url(defaults.bind));
    // One entry binds, and it waits longer than the barrier.
    CHECK_FALSE(extenders[0]["bindVerb"]);
    CHECK(extenders[1]["bindVerb"].as<std::string>() == "bind");
    CHECK_FALSE(extenders[1]["filterVerb"]);
    CHECK(extenders[1]["httpTimeout"].as<std::string>() == "60s");
    CHECK(defaults.barrier_timeout <= std::chrono::seconds(55));
    for (const YAML::Node& extender : extenders) {
        CHECK(extender["nodeCacheCapable"].as<bool>());
        CHECK_FALSE(extender["ignorable"].as<bool>());
        CHECK_FALSE(extender["managedResources"]);
    }
    CHECK_FALSE(scheduler["profiles"][0]["percentageOfNodesToScore"]);
}

}  // namespace
}  // namespace echelon::config
