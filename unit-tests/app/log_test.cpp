#include "app/log.hpp"

#include <memory>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

using namespace echelon;

TEST_CASE("a line of JSON has the keys that it has something to say for, and no other") {
    const auto plain = nlohmann::json::parse(app::json_line(12.3456, "info", "all is \"well\"", {}));
    CHECK(plain == nlohmann::json::parse(R"({"ts": 12.346, "v": "info", "msg": "all is \"well\""})"));
    const auto full = nlohmann::json::parse(app::json_line(
        1, "error", "m", {.caller = "engine", .gang = "team/train", .pod = "team/train-0", .err = "bad byte \xff"}));
    CHECK(full["caller"] == "engine");
    CHECK(full["gang"] == "team/train");
    CHECK(full["pod"] == nlohmann::json::parse(R"({"namespace": "team", "name": "train-0"})"));
    CHECK(full["err"] == "bad byte \xef\xbf\xbd");
    CHECK(app::json_line(1, "info", "a\nb", {}).find('\n') == app::json_line(1, "info", "a\nb", {}).size() - 1);
}

TEST_CASE("a flood of warnings about one tenant hides no warning about another one, and none of another part") {
    std::ostringstream text;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    for (int i = 0; i < 100; ++i)
        app::log_note({engine::Note::Level::warning, "flood/g" + std::to_string(i), "is odd"});
    app::log_note({engine::Note::Level::warning, "quiet/g", "is odd"});
    app::log_line(config::LogLevel::warning, {.caller = "lease"}, "the Lease can't be read");
    spdlog::set_default_logger(before);
    CHECK(text.str().find("gang flood/g19: is odd") != std::string::npos);
    CHECK(text.str().find("gang flood/g20: is odd") == std::string::npos);
    CHECK(text.str().find("gang quiet/g: is odd") != std::string::npos);
    CHECK(text.str().find("the Lease can't be read") != std::string::npos);
}

TEST_CASE("a warning that repeats is written once, and what people do is always written") {
    std::ostringstream text;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    for (int i = 0; i < 5; ++i) {
        app::log_note({engine::Note::Level::warning, "team/a", "its \x1b[31mname\x1b[0m is odd"});
        app::log_note({engine::Note::Level::info, "team/a", "holds 3 seats"});
    }
    spdlog::set_default_logger(before);
    const auto count = [&](const std::string& part) {
        std::size_t found = 0;
        for (auto at = text.str().find(part); at != std::string::npos; at = text.str().find(part, at + 1))
            ++found;
        return found;
    };
    CHECK(count("gang team/a: its \\x1b[31mname\\x1b[0m is odd") == 1);
    CHECK(count("gang team/a: holds 3 seats") == 5);
    CHECK(count("\x1b[31m") == 0);
}

// The last one here: it uses up the limits of all tenants for a minute.
TEST_CASE("warnings about more tenants than there are limits hide no warning of a part of the service") {
    std::ostringstream text;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    for (int i = 0; i < 200; ++i)
        app::log_note({engine::Note::Level::warning, "tenant-" + std::to_string(i) + "/g", "is odd"});
    app::log_line(config::LogLevel::warning, {.caller = "writer"}, "writes keep failing");
    spdlog::set_default_logger(before);
    CHECK(text.str().find("writes keep failing") != std::string::npos);
}
