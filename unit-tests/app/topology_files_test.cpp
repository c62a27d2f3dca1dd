// Topology files that change, or break, under a running service.

#include "app/topology_files.hpp"

#include "unit-tests/cli/files.hpp"

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

using namespace echelon;

namespace {

const std::string one_leaf = R"({"instances": [{"id": "n0", "network_layers": ["leaf0"]}]})";
const std::string two_leaves =
    R"({"instances": [{"id": "n0", "network_layers": ["leaf0"]}, {"id": "n1", "network_layers": ["leaf1"]}]})";

// What is logged meanwhile.
struct Log {
    Log() {
        auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
        spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
    }
    ~Log() { spdlog::set_default_logger(before); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    [[nodiscard]] bool says(const std::string& part) const { return text.str().find(part) != std::string::npos; }

    std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
    std::ostringstream text;
};

const model::Topology& seen(const std::vector<model::Event>& events) {
    REQUIRE(events.size() == 2);
    return std::get<model::TopologySeen>(events[0]).topology;
}

}  // namespace

TEST_CASE("a topology file is read at the start, and again when it changes") {
    const Log log;
    const cli::testing::Folder folder;
    const auto file = folder.write("graph.json", one_leaf);
    app::TopologyFiles files(
        {{.name = "levels", .levels = {"a"}, .file = {}}, {.name = "fabric", .levels = {}, .file = file}});
    CHECK(seen(files.poll()).places.size() == 1);
    CHECK(files.poll().empty());
    static_cast<void>(folder.write("graph.json", two_leaves));
    const auto changed = files.poll();
    CHECK(seen(changed).name == "fabric");
    CHECK(seen(changed).source == model::TopologySource::configuration);
    CHECK(seen(changed).places.size() == 2);
    CHECK(files.poll().empty());
    CHECK(files.figures().applied == 2);
    CHECK(files.figures().refused == 0);
}

TEST_CASE("an unusable topology file leaves the last good one in place, and is logged once") {
    const Log log;
    const cli::testing::Folder folder;
    const auto file = folder.write("graph.json", two_leaves);
    app::TopologyFiles files({{.name = "fabric", .levels = {}, .file = file}});
    CHECK(files.poll().size() == 2);
    for (const std::string text : {"", "{\"instances\": []}", "{\"instances\": [", "kind: ConfigMap"}) {
        CAPTURE(text);
        static_cast<void>(folder.write("graph.json", text));
        CHECK(files.poll().empty());
        CHECK(files.poll().empty());
    }
    std::filesystem::remove(file);
    CHECK(files.poll().empty());
    CHECK(files.poll().empty());
    CHECK(files.figures().refused == 5);
    CHECK(log.says("topology \"fabric\" stays as it was: " + file + ": lists no node"));
    // As before: in use again.
    static_cast<void>(folder.write("graph.json", two_leaves));
    CHECK(files.poll().size() == 2);
    CHECK(files.figures().applied == 2);
}

TEST_CASE("a topology file that was never good is a topology that can't be used") {
    const Log log;
    const cli::testing::Folder folder;
    const auto file = folder.path("absent.json");
    app::TopologyFiles files({{.name = "fabric", .levels = {}, .file = file}});
    const auto problem = seen(files.poll()).problem;
    CHECK(problem.starts_with(file + ": "));
    CHECK(files.poll().empty());
    static_cast<void>(folder.write("absent.json", one_leaf));
    CHECK(seen(files.poll()).problem.empty());
}

TEST_CASE("what is left out of a topology file is logged with its field") {
    const Log log;
    const cli::testing::Folder folder;
    const auto file = folder.write("graph.json", R"({"instances": [{"id": "a", "network_layers": ["x"]}, 7]})");
    app::TopologyFiles files({{.name = "fabric", .levels = {}, .file = file}});
    CHECK(files.poll().size() == 2);
    CHECK(log.says(file + ": instances[1]: must be an object, not 7"));
}
