// A configuration file that changes under a running service.

#include "app/running_settings.hpp"

#include "app/log.hpp"
#include "unit-tests/cli/files.hpp"

#include <filesystem>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

using namespace echelon;

namespace {

const std::string head = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";
const std::string first = "profiles: [{schedulerName: a}]\n";

// The configuration file of a service, and what is logged meanwhile.
struct Running {
    explicit Running(const std::string& text = head + first)
        : file(folder.write("echelon.yaml", text)), settings(*config::parse(text), app::SettingsWatch(file, text)) {
        auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log);
        spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
    }
    ~Running() { spdlog::set_default_logger(before); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    auto rewritten(const std::string& text) {
        static_cast<void>(folder.write("echelon.yaml", text));
        return settings.poll();
    }

    std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
    std::ostringstream log;
    cli::testing::Folder folder;
    std::string file;
    app::RunningSettings settings;
};

}  // namespace

TEST_CASE("a changed file is applied once, and the engine gets every setting that may change") {
    Running running;
    CHECK_FALSE(running.settings.poll());
    const auto changed = running.rewritten(head + "barrier: {timeout: 7s}\ngang: {settle: 1s}\n" +
                                           "queue: {claimAfter: 2s, claimLifetime: 3s}\nsolver: {steps: 99}\n" +
                                           "profiles: [{schedulerName: b, nominate: false}]\n");
    REQUIRE(changed);
    CHECK(changed->barrier_timeout == std::chrono::seconds(7));
    CHECK(changed->settle == std::chrono::seconds(1));
    CHECK(changed->claim_after == std::chrono::seconds(2));
    CHECK(changed->claim_lifetime == std::chrono::seconds(3));
    CHECK(changed->budget.steps == 99);
    REQUIRE(changed->profiles.size() == 1);
    CHECK(changed->profiles.at("b") == engine::ProfileOptions{true, true, false});
    CHECK_FALSE(running.settings.is_ours("a"));
    CHECK(running.settings.is_ours("b"));
    CHECK_FALSE(running.settings.poll());
    CHECK(running.settings.figures().applied == 1);
    CHECK(running.settings.figures().refused == 0);
}

TEST_CASE("a bad file changes nothing, is counted and logged once, and a later good file is applied") {
    Running running;
    const auto at_start = running.settings.figures().last_success;
    CHECK_FALSE(running.rewritten(head + "barier: {}\nprofiles: [{schedulerName: b}]\n"));
    CHECK_FALSE(running.settings.poll());
    CHECK(running.settings.is_ours("a"));
    CHECK(running.settings.figures().refused == 1);
    CHECK(running.settings.figures().last_success == at_start);
    CHECK(running.log.str().find(running.file + ":3: barier: isn't a known key") != std::string::npos);
    std::filesystem::remove(running.file);
    CHECK_FALSE(running.settings.poll());
    CHECK_FALSE(running.settings.poll());
    CHECK(running.settings.figures().refused == 2);
    CHECK(running.rewritten(head + "profiles: [{schedulerName: b}]\n"));
    CHECK(running.settings.is_ours("b"));
    CHECK(running.settings.figures().applied == 1);
}

TEST_CASE("a change that needs a restart is logged, and the rest of the file is applied") {
    Running running;
    const auto changed = running.rewritten(head + "admin: {address: \"127.0.0.1:1\"}\ngang: {settle: 1s}\n" + first);
    REQUIRE(changed);
    CHECK(changed->settle == std::chrono::seconds(1));
    CHECK(running.settings.now()->admin == config::Settings{}.admin);
    CHECK(running.log.str().find("restart needed: changes of admin aren't in use") != std::string::npos);
    CHECK_FALSE(running.rewritten(head + "admin: {address: \"127.0.0.1:2\"}\ngang: {settle: 1s}\n" + first));
}

TEST_CASE("the level of the log follows the file") {
    Running running;
    REQUIRE(running.rewritten(head + "log: {level: error}\n" + first));
    CHECK(app::current_log_level() == config::LogLevel::error);
    REQUIRE(running.rewritten(head + first));
    CHECK(app::current_log_level() == config::LogLevel::info);
}

TEST_CASE("the verbosity of the command line goes before the level of the file, also of a changed one") {
    Running running;
    app::start_log(false, 1, config::LogLevel::info);
    REQUIRE(running.rewritten(head + "log: {level: error}\n" + first));
    CHECK(app::current_log_level() == config::LogLevel::debug);
    spdlog::drop("echelon");
    app::start_log(false, 0, config::LogLevel::info);
    spdlog::drop("echelon");
}

TEST_CASE("a profile without gangs and levels isn't ours, one with levels alone is (Z34)") {
    const Running running(head +
                          "profiles: [{schedulerName: a, gang: false, topology: false},\n"
                          "           {schedulerName: b, gang: false, topology: true}]\n");
    CHECK_FALSE(running.settings.is_ours("a"));
    CHECK(running.settings.is_ours("b"));
}
