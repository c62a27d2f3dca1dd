// Replay repeats the decisions of a recording, and reports a difference.

#include "cli/replay.hpp"

#include "app/engine_loop.hpp"
#include "app/recorder.hpp"
#include "app/version.hpp"
#include "unit-tests/cli/files.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::cli {
namespace {

engine::Options options() {
    engine::Options options;
    options.profiles["default-scheduler"] = {};
    options.settle = engine::Time{0};
    return options;
}

model::Node node(const std::string& name) {
    model::Node node;
    node.name = name;
    node.allocatable = {{"cpu", 4000}, {"pods", 10}};
    return node;
}

// A gang of two in the middle of things: planned, nominated, ungated.
std::vector<engine::Input> life() {
    std::vector<engine::Input> inputs = {engine::Observed{model::NodeSeen{node("n1")}},
                                         engine::Observed{model::NodeSeen{node("n2")}}};
    model::Group group;
    group.key = {"podgroup", "default/train"};
    group.minimum = 2;
    group.uid = "g";
    inputs.emplace_back(engine::Observed{model::GroupSeen{group}});
    for (const std::string name : {"a", "b"}) {
        model::Pod pod;
        pod.uid = "uid-" + name;
        pod.ns = "default";
        pod.name = name;
        pod.scheduler_name = "default-scheduler";
        pod.pod_class.requests = {{"cpu", 3000}, {"pods", 1}};
        pod.gates = {model::gang_gate};
        pod.membership = model::Membership{group.key, {}, -1, ""};
        inputs.emplace_back(engine::Observed{model::PodSeen{pod}});
    }
    return inputs;
}

std::string text_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Records what a loop decides on these inputs, one by one; its file.
std::string record(const std::string& folder, std::size_t least_actions = 1) {
    std::string file;
    auto recorder =
        app::Recorder::start({.directory = folder, .most_bytes = 1'000'000}, options(), app::EngineLoop::now(), {});
    REQUIRE(recorder.has_value());
    file = (*recorder)->file();
    std::atomic<std::size_t> actions = 0;
    {
        app::EngineLoop loop(options(), [&](const engine::Action&) { ++actions; });
        loop.record_to([&](engine::Time at, std::vector<engine::Input> inputs, std::vector<engine::Action> done) {
            (*recorder)->add(at, std::move(inputs), std::move(done));
        });
        loop.start();
        for (const auto& input : life())
            loop.push(input);
        CHECK(support::becomes_true([&] { return actions >= least_actions; }));
    }
    return file;
}

ReplayReport replayed(const std::string& text) {
    std::istringstream stream(text);
    auto report = replay(stream);
    REQUIRE_MESSAGE(report.has_value(), report.error().sentence);
    return *report;
}

TEST_CASE("replay of a recording gives the same decisions") {
    const testing::Folder folder;
    const auto file = record(folder.path("lives"), 3);
    const auto report = replayed(text_of(file));
    CHECK(!report.difference);
    CHECK(report.inputs >= 5);
    CHECK(report.decisions >= 3);
    CHECK(report.made_by == app::version_line());
    CHECK(replay_file(file) == 0);
}

TEST_CASE("unchanged nodes cost a recording little, and are replayed") {
    const testing::Folder folder;
    std::string file;
    {
        auto recorder =
            app::Recorder::start({.directory = folder.path("lives"), .most_bytes = 1'000'000}, options(), {}, {});
        REQUIRE(recorder.has_value());
        file = (*recorder)->file();
        engine::Engine engine(options());
        auto large = node("n1");
        large.labels["text"] = std::string(10'000, 'x');
        for (int i = 0; i < 100; ++i) {
            const engine::Input input = engine::Observed{model::NodeSeen{large}};
            const engine::Time at{i * 1000};
            (*recorder)->add(at, {input}, engine.step(input, at));
        }
    }
    CHECK(std::filesystem::file_size(file) < 20'000);
    const auto report = replayed(text_of(file));
    CHECK(report.inputs == 100);
    CHECK(!report.difference);
}

TEST_CASE("a changed input leads to another decision, and the report has batch, time and action") {
    const testing::Folder folder;
    auto text = text_of(record(folder.path("lives"), 3));
    const std::string room = R"("cpu":4000)";
    for (auto at = text.find(room); at != std::string::npos; at = text.find(room))
        text.replace(at, room.size(), R"("cpu":2000)");
    const auto report = replayed(text);
    REQUIRE(report.difference);
    CHECK(report.difference->batch > 0);
    CHECK(report.difference->time.ends_with(" s"));
    CHECK(report.difference->recorded.find("holds 2 seats") != std::string::npos);
    CHECK(report.difference->replayed.find("Impossible") != std::string::npos);
    CHECK(replay_file(folder.write("changed.jsonl", text)) == 1);
}

TEST_CASE("a decision that isn't made any more is a difference") {
    const testing::Folder folder;
    auto text = text_of(record(folder.path("lives"), 3));
    const auto at = text.find(R"("actions":[")");
    REQUIRE(at != std::string::npos);
    text.insert(at + 11, R"("another",)");
    const auto report = replayed(text);
    REQUIRE(report.difference);
    CHECK(report.difference->recorded == "another");
}

TEST_CASE("a recording of a killed service ends with its last whole line") {
    const testing::Folder folder;
    auto text = text_of(record(folder.path("lives"), 3));
    text.resize(text.size() - 5);
    const auto report = replayed(text);
    CHECK(report.is_cut_off);
    CHECK(!report.difference);
}

TEST_CASE("a file that is no recording is refused with its line") {
    const testing::Folder folder;
    const auto text = text_of(record(folder.path("lives")));
    const auto head = text.substr(0, text.find('\n') + 1);
    const auto problem = [](const std::string& what) {
        std::istringstream stream(what);
        const auto report = replay(stream);
        REQUIRE(!report.has_value());
        return report.error().sentence;
    };
    CHECK(problem("") == "line 1: is missing");
    CHECK(problem("{}\n") == "line 1: isn't the head of a recording");
    CHECK(problem(head + "nonsense\n") == "line 2: isn't a JSON object");
    CHECK(problem(head + head) == "line 2: a second head");
    CHECK(replay_file(folder.write("bad.jsonl", "nonsense\n")) == 2);
    CHECK(replay_file(folder.path("absent.jsonl")) == 2);
}

// ---- The recorder.

engine::Input large_input() {
    static int number = 0;
    auto large = node(fmt::format("n{}", ++number));
    large.labels["text"] = std::string(10'000, 'x');
    return engine::Observed{model::NodeSeen{large}};
}

TEST_CASE("a recording that reaches its bound ends with a sentence, and stays whole") {
    const testing::Folder folder;
    std::string told;
    std::string file;
    {
        auto recorder = app::Recorder::start({.directory = folder.path("lives"), .most_bytes = 100'000}, options(), {},
                                             [&](const std::string& sentence) { told = sentence; });
        REQUIRE(recorder.has_value());
        file = (*recorder)->file();
        for (int i = 0; i < 20; ++i)
            (*recorder)->add(engine::Time{i}, {large_input()}, {});
    }
    CHECK(told.find("the file has reached its size limit") != std::string::npos);
    CHECK(std::filesystem::file_size(file) < 51'000);
    const auto report = replayed(text_of(file));
    CHECK(report.ending == "the file has reached its size limit");
    CHECK(report.batches == 4);
}

TEST_CASE("a writer that can't keep up ends the recording, never the service") {
    const testing::Folder folder;
    std::string told;
    auto recorder =
        app::Recorder::start({.directory = folder.path("lives"), .most_bytes = 1'000'000, .most_waiting = 3}, options(),
                             {}, [&](const std::string& sentence) { told = sentence; });
    REQUIRE(recorder.has_value());
    (*recorder)->add(engine::Time{1}, {large_input(), large_input(), large_input(), large_input()}, {});
    CHECK(support::becomes_true([&] { return !(*recorder)->is_recording(); }));
    CHECK(app::recording_metrics(recorder->get()).front().metric.front().gauge.value == 0);
    (*recorder)->add(engine::Time{2}, {large_input()}, {});  // Ignored.
    const auto file = (*recorder)->file();
    recorder->reset();
    CHECK(told.find("the writer can't keep up") != std::string::npos);
    CHECK(replayed(text_of(file)).batches == 0);
}

TEST_CASE("the oldest lives make room for a new one, and nothing else does") {
    const testing::Folder folder;
    const std::string lives = folder.path("lives");
    std::filesystem::create_directory(lives);
    const auto put = [&](const std::string& name) {
        std::ofstream(lives + "/" + name, std::ios::binary) << std::string(40'000, 'x');
    };
    put("echelon-20260101T000000.000Z.jsonl");
    put("echelon-20260102T000000.000Z.jsonl");
    put("echelon-20260103T000000.000Z.jsonl");
    put("notes.txt");
    const auto recorder = app::Recorder::start({.directory = lives, .most_bytes = 100'000}, options(), {}, {});
    REQUIRE(recorder.has_value());
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(lives)) {
        if (entry.path() != (*recorder)->file())
            left.push_back(entry.path().filename().native());
    }
    std::ranges::sort(left);
    CHECK(left == std::vector<std::string>{"echelon-20260103T000000.000Z.jsonl", "notes.txt"});
}

TEST_CASE("an unwritable folder is an error at the start") {
    const testing::Folder folder;
    const auto file = folder.write("file", "");
    const auto recorder =
        app::Recorder::start({.directory = file + "/lives", .most_bytes = 100'000}, options(), {}, {});
    REQUIRE(!recorder.has_value());
    CHECK(recorder.error().sentence.find("/lives\": ") != std::string::npos);
}

}  // namespace
}  // namespace echelon::cli
