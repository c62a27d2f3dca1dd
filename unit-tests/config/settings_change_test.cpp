#include "config/settings_change.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::config {
namespace {

struct Row {
    const char* key;
    bool needs_restart;
    std::function<void(Settings&)> change;
};

// Every key of the file. A new key needs a row.
const std::vector<Row> rows = {
    {"clientConnection", true, [](Settings& s) { s.client_connection.qps = 1; }},
    {"extender", true, [](Settings& s) { s.extender.port = 1; }},
    {"bind", true, [](Settings& s) { s.bind.port = 1; }},
    {"admin", true, [](Settings& s) { s.admin.port = 1; }},
    {"tls", true,
     [](Settings& s) { s.tls = Tls{.cert_file = "/c", .key_file = {}, .client_ca_file = {}, .allowed_names = {}}; }},
    {"limits", true, [](Settings& s) { s.limits.members = 7; }},
    {"health", true, [](Settings& s) { s.health.conditions = {"GpuBroken"}; }},
    {"webhook", true, [](Settings& s) { s.webhook.emplace().cert_file = "/c"; }},
    {"barrier.connections", true, [](Settings& s) { s.barrier_connections = 17; }},
    {"leader", true, [](Settings& s) { s.leader.mode = LeaderMode::own; }},
    {"recording", true, [](Settings& s) { s.recording.emplace().directory = "/r"; }},
    {"translation", true, [](Settings& s) { s.translation.emplace(); }},
    {"topologies", true, [](Settings& s) { s.topologies.push_back({"a", {"rack"}, {}}); }},
    {"topologyStore", true, [](Settings& s) { s.topology_store.emplace(); }},
    {"export", true, [](Settings& s) { s.topology_export = {.kind = "HyperNode", .name = "a", .from = ""}; }},
    {"profiles (from none, or to none)", true, [](Settings& s) { s.profiles.clear(); }},
    {"profiles.preempt", true, [](Settings& s) { s.profiles.front().preempt = true; }},
    {"preemption", false, [](Settings& s) { s.preemption.most_victims = 7; }},
    {"barrier.timeout", false, [](Settings& s) { s.barrier_timeout = std::chrono::seconds(7); }},
    {"gang.settle", false, [](Settings& s) { s.gang_settle = std::chrono::seconds(7); }},
    {"queue.claimAfter", false, [](Settings& s) { s.queue_claim_after = std::chrono::seconds(7); }},
    {"queue.claimLifetime", false, [](Settings& s) { s.queue_claim_lifetime = std::chrono::seconds(7); }},
    {"solver", false, [](Settings& s) { s.solver_steps = 7; }},
    {"log", false, [](Settings& s) { s.log_level = LogLevel::error; }},
    {"profiles", false, [](Settings& s) { s.profiles.push_back({.scheduler_name = "b"}); }},
};

Settings one_profile() {
    Settings settings;
    settings.profiles.push_back({.scheduler_name = "a"});
    return settings;
}

TEST_CASE("preempt changes while running where budgets are watched since the start (P6)") {
    Settings running = one_profile();
    running.profiles.front().preempt = true;
    Settings changed = running;
    changed.profiles.push_back({.scheduler_name = "b", .preempt = true});
    CHECK(restart_needed(running, changed).empty());
    CHECK(apply_change(running, changed) == changed);
    CHECK(apply_change(running, one_profile()) == one_profile());
}

TEST_CASE("each key is either taken up while running or said to need a restart") {
    const Settings running = one_profile();
    CHECK(restart_needed(running, running).empty());
    CHECK(apply_change(running, running) == running);
    for (const auto& row : rows) {
        CAPTURE(row.key);
        Settings changed = one_profile();
        row.change(changed);
        REQUIRE_FALSE(changed == running);
        if (row.needs_restart) {
            CHECK(restart_needed(running, changed) == std::vector<std::string_view>{row.key});
            CHECK(apply_change(running, changed) == running);
        } else {
            CHECK(restart_needed(running, changed).empty());
            CHECK(apply_change(running, changed) == changed);
        }
    }
}

TEST_CASE("of a file with both kinds of changes the one is taken up and the other is named") {
    Settings changed;
    changed.admin.port = 1;
    changed.gang_settle = std::chrono::seconds(1);
    const auto after = apply_change(Settings{}, changed);
    CHECK(after.gang_settle == std::chrono::seconds(1));
    CHECK(after.admin == Settings{}.admin);
    CHECK(restart_needed(Settings{}, changed) == std::vector<std::string_view>{"admin"});
}

}  // namespace
}  // namespace echelon::config
