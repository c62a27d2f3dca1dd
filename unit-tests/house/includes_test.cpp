// Which layer may include which, and what may the pure layers use at all? (ARCHITECTURE.md)

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
using echelon::house::first_folder;
using echelon::house::folders;
using echelon::house::joined;
using echelon::house::layers;
using echelon::house::read_house;
using echelon::house::Source;
using echelon::house::trimmed;

// Each layer and the layers that it may include, itself aside.
const std::map<std::string, std::set<std::string>> uses_of = {
    {"base", {}},
    {"model", {"base"}},
    {"solver", {"model", "base"}},
    {"engine", {"solver", "model", "base"}},
    {"simulate", {"solver", "model", "base"}},
    {"yaml", {}},
    {"config", {"yaml", "base"}},
    {"kube", {"yaml", "model", "base"}},
    {"translate", {"kube", "model", "base"}},
    {"server", {"engine", "model", "config", "base"}},
    {"replay", {"engine", "kube", "model", "base"}},
    {"report", {"engine", "kube", "model", "base"}},
    {"app", {"report", "replay", "server", "translate", "engine", "solver", "kube", "config", "model", "base"}},
    {"cli",
     {"simulate", "app", "report", "replay", "server", "translate", "engine", "solver", "kube", "config", "model",
      "base"}},
};

// Within a layer: each folder and those beside it that it may include. A layer's own top folder ties them together.
const std::map<std::string, std::set<std::string>> inner_uses = {
    {"model/facts", {}},
    {"model/devices", {"model/facts"}},
    {"model/topology", {"model/facts"}},
    {"model/gang", {"model/topology", "model/facts"}},
    {"model/cluster", {"model/devices", "model/gang", "model/topology", "model/facts"}},
    {"solver/packing", {}},
    {"solver/distribution", {"solver/packing"}},
    {"solver/search", {"solver", "solver/distribution", "solver/packing"}},
    {"solver/scores", {}},
    {"solver/backfill", {"solver"}},
    {"solver/explain", {"solver", "solver/search", "solver/distribution", "solver/packing"}},
    {"engine/publish", {"engine"}},
    {"engine/reserve", {"engine"}},
    {"engine/gang", {"engine", "engine/publish", "engine/reserve"}},
    {"engine/queue", {"engine", "engine/gang", "engine/reserve"}},
    {"engine/seats", {"engine", "engine/gang", "engine/publish", "engine/queue", "engine/reserve"}},
    {"engine/plain", {"engine", "engine/gang", "engine/publish", "engine/queue", "engine/reserve"}},
    {"engine/release", {"engine", "engine/gang", "engine/publish"}},
    {"engine/records", {"engine", "engine/gang", "engine/publish", "engine/reserve", "engine/seats"}},
    {"engine/commit", {"engine", "engine/gang", "engine/publish", "engine/queue", "engine/records", "engine/seats"}},
    {"engine/preempt",
     {"engine", "engine/gang", "engine/publish", "engine/queue", "engine/records", "engine/reserve", "engine/seats"}},
    {"engine/plan",
     {"engine", "engine/commit", "engine/gang", "engine/plain", "engine/preempt", "engine/publish", "engine/queue",
      "engine/records", "engine/release", "engine/reserve", "engine/seats"}},
    {"solver/preemption", {"solver", "solver/search", "solver/distribution", "solver/packing"}},
    {"server/http", {}},
    {"server/extender", {"server/http"}},
    {"kube/json", {}},
    {"kube/protobuf", {"kube/json"}},
    {"kube/client", {"kube/json"}},
    {"kube/core", {"kube", "kube/client", "kube/json"}},
    {"kube/dialects", {"kube", "kube/core", "kube/json"}},
    {"kube/lease", {"kube/client", "kube/json"}},
    {"kube/write", {"kube/lease", "kube/client", "kube/protobuf", "kube/json"}},
    {"kube/topology", {"kube/write", "kube/client", "kube/json"}},
    {"kube/watch", {"kube", "kube/topology", "kube/client", "kube/protobuf", "kube/json"}},
};

const std::set<std::string> pure_rooms = {"base", "model", "solver", "engine", "simulate"};

// Standard headers that bring threads, clocks of the system, randomness or input and output.
const std::set<std::string> impure_headers = {
    "thread",     "mutex",    "shared_mutex", "condition_variable", "future",     "semaphore", "latch", "barrier",
    "random",     "iostream", "fstream",      "syncstream",         "filesystem", "cstdio",    "ctime", "csignal",
    "stop_token",
};

// What reads a clock, the environment or chance, whatever header brought it.
const std::vector<std::string> impure_words = {"_clock::now", "std::rand", "getenv(", "std::time("};

struct Include {
    std::string name;
    bool quoted = false;
};

std::optional<Include> include_of(std::string_view line) {
    auto text = trimmed(line);
    if (!text.starts_with('#')) {
        return std::nullopt;
    }
    text = trimmed(text.substr(1));
    if (!text.starts_with("include")) {
        return std::nullopt;
    }
    text = trimmed(text.substr(std::string_view("include").size()));
    if (text.empty() || (text.front() != '"' && text.front() != '<')) {
        return std::nullopt;
    }
    const bool quoted = text.front() == '"';
    const auto end = text.find(quoted ? '"' : '>', 1);
    return Include{std::string(text.substr(1, end == std::string_view::npos ? end : end - 1)), quoted};
}

// All layers that `layer` may include, directly or through others.
std::set<std::string> reach(const std::string& layer) {
    std::set<std::string> reached = {layer};
    for (const auto& next : uses_of.at(layer)) {
        reached.merge(reach(next));
    }
    return reached;
}

// The folders from which the file at `path` may include. A layer: those in `uses_of`. The tests of a layer: all that
// the layer links. Other files (bench, unit-tests/support): every layer.
std::set<std::string> allowed_for(const std::string& path) {
    const auto folder = first_folder(path);
    if (uses_of.contains(folder)) {
        auto allowed = uses_of.at(folder);
        allowed.insert(folder);
        return allowed;
    }
    if (folder == "unit-tests") {
        const auto layer = first_folder(std::string_view(path).substr(folder.size() + 1));
        auto allowed = uses_of.contains(layer) ? reach(layer) : std::set<std::string>(layers.begin(), layers.end());
        allowed.insert({folder, layer});
        return allowed;
    }
    std::set<std::string> allowed(layers.begin(), layers.end());
    allowed.insert({"bench", "fuzz", "unit-tests"});
    return allowed;
}

// Tests may also name a header beside them; a layer writes every include from the root.
bool is_folder(const std::string& name) {
    return std::ranges::find(folders, name) != folders.end();
}

std::string where(const Source& source, std::size_t line) {
    return source.path + ":" + std::to_string(line + 1) + ": ";
}

std::string folder_of(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

// True for two folders of one layer that may not include each other.
bool is_wrong_within(const std::string& path, const std::string& included) {
    const auto from = inner_uses.find(folder_of(path));
    const auto to = folder_of(included);
    return from != inner_uses.end() && to != from->first && first_folder(to + "/") == first_folder(path) &&
           !from->second.contains(to);
}

std::vector<Breach> wrong_includes(const std::vector<Source>& sources) {
    std::vector<Breach> breaches;
    for (const auto& source : sources) {
        const auto allowed = allowed_for(source.path);
        const bool is_layer = uses_of.contains(first_folder(source.path));
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            const auto include = include_of(source.lines[i]);
            if (!include || !include->quoted) {
                continue;
            }
            const auto layer = first_folder(include->name);
            if (include->name.find("..") != std::string::npos) {
                breaches.push_back(where(source, i) + "includes are written from the root: " + include->name);
            } else if (((is_layer || is_folder(layer)) && !allowed.contains(layer)) ||
                       is_wrong_within(source.path, include->name)) {
                breaches.push_back(where(source, i) + "may not include \"" + include->name + "\"");
            }
        }
    }
    return breaches;
}

bool is_standard(std::string_view header) {
    return std::ranges::all_of(header,
                               [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'); });
}

std::vector<Breach> impurities(const std::vector<Source>& sources) {
    std::vector<Breach> breaches;
    for (const auto& source : sources) {
        if (!pure_rooms.contains(first_folder(source.path))) {
            continue;
        }
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            const auto& line = source.lines[i];
            const auto include = include_of(line);
            if (include && !include->quoted && !include->name.starts_with("fmt/") &&
                (!is_standard(include->name) || impure_headers.contains(include->name))) {
                breaches.push_back(where(source, i) + "a pure layer may not use <" + include->name + ">");
            }
            const auto code = std::string_view(line).substr(0, line.find("//"));
            for (const auto& word : impure_words) {
                if (code.find(word) != std::string_view::npos) {
                    breaches.push_back(where(source, i) + "a pure layer may not use " + word);
                }
            }
        }
    }
    return breaches;
}

// The layers behind USES in `echelon_layer(LAYER USES a b LINKS ...)`, for each layer of a CMakeLists.txt.
std::map<std::string, std::set<std::string>> linked_layers(const std::vector<std::string>& lines) {
    constexpr std::string_view call = "echelon_layer(";
    std::map<std::string, std::set<std::string>> linked;
    for (std::string line : lines) {
        if (!line.starts_with(call)) {
            continue;
        }
        std::ranges::replace(line, ')', ' ');
        std::istringstream words(line.substr(call.size()));
        std::string layer;
        std::string word;
        words >> layer;
        auto& uses = linked[layer];
        words >> word;
        while (word == "USES" && words >> layer && layer != "LINKS") {
            uses.insert(layer);
        }
    }
    return linked;
}

TEST_CASE("CMake links what the layers may include") {
    CHECK(linked_layers(echelon::house::lines_of(std::filesystem::path(ECHELON_SOURCE_DIR) / "CMakeLists.txt")) ==
          uses_of);
    CHECK(linked_layers({"echelon_layer(model)", "echelon_layer(solver USES model LINKS fmt::fmt)"}) ==
          std::map<std::string, std::set<std::string>>{{"model", {}}, {"solver", {"model"}}});
}

TEST_CASE("the image is built from every layer") {
    const auto lines = echelon::house::lines_of(std::filesystem::path(ECHELON_SOURCE_DIR) / ".dockerignore");
    for (const auto& [layer, uses] : uses_of) {
        CAPTURE(layer);
        CHECK(std::ranges::find(lines, "!" + layer) != lines.end());
    }
}

TEST_CASE("every include is one that its layer may have") {
    CHECK(joined(wrong_includes(read_house(ECHELON_SOURCE_DIR))) == "");
}

TEST_CASE("base, model, solver, engine and simulate know no input, output, threads, clocks or chance") {
    CHECK(joined(impurities(read_house(ECHELON_SOURCE_DIR))) == "");
}

TEST_CASE("the walk reaches every layer, so that it can find something there") {
    const auto sources = read_house(ECHELON_SOURCE_DIR);
    for (const auto& layer : layers) {
        CAPTURE(layer);
        CHECK(std::ranges::any_of(sources, [&](const Source& source) { return first_folder(source.path) == layer; }));
    }
    const auto self = std::ranges::find(sources, "unit-tests/house/includes_test.cpp", &Source::path);
    REQUIRE(self != sources.end());
    CHECK(self->lines.size() > 100);
}

TEST_CASE("a wrong include is found, wherever it is") {
    struct Row {
        const char* path;
        const char* line;
        bool wrong;
    };
    const std::vector<Row> rows = {
        {"model/facts/pod.hpp", "#include \"solver/plan.hpp\"", true},
        {"solver/solve.cpp", "#include \"engine/ledger.hpp\"", true},
        {"solver/solve.cpp", "  #  include \"engine/ledger.hpp\"  // on purpose", true},
        {"engine/engine.cpp", "#include \"kube/write/writer.hpp\"", true},
        {"kube/decode.cpp", "#include \"engine/engine.hpp\"", true},
        {"kube/decode.cpp", "#include \"config/settings.hpp\"", true},
        {"config/parse.cpp", "#include \"base/result.hpp\"", false},
        {"config/parse.cpp", "#include \"model/facts/pod.hpp\"", true},
        {"server/extender/extender.cpp", "#include \"solver/solve.hpp\"", true},
        {"server/extender/extender.cpp", "#include \"kube/decode.hpp\"", true},
        {"server/http/socket.cpp", "#include \"server/extender/verbs.hpp\"", true},
        {"server/extender/verbs.cpp", "#include \"server/http/request.hpp\"", false},
        {"model/facts/pod.cpp", "#include \"model/gang/gang.hpp\"", true},
        {"kube/decode.cpp", "#include \"kube/dialects/kai.hpp\"", false},
        {"engine/engine.cpp", "#include \"../kube/writer.hpp\"", true},
        {"model/facts/pod.cpp", "#include \"unit-tests/support/worlds.hpp\"", true},
        {"model/facts/pod.cpp", "#include \"pod.hpp\"", true},
        {"unit-tests/kube/decode_test.cpp", "#include \"engine/engine.hpp\"", true},
        {"unit-tests/server/extender_test.cpp", "#include \"solver/solve.hpp\"", false},
        {"unit-tests/kube/decode_test.cpp", "#include \"unit-tests/support/api.hpp\"", false},
        {"unit-tests/kube/decode_test.cpp", "#include \"support/api.hpp\"", false},
        {"kube/decode.cpp", "#include \"support/api.hpp\"", true},
        {"engine/engine.cpp", "#include \"solver/solve.hpp\"", false},
        {"engine/engine.cpp", "// #include \"kube/write/writer.hpp\"", false},
        {"app/serve.cpp", "#include \"kube/write/writer.hpp\"", false},
        {"bench/solve.cpp", "#include \"solver/solve.hpp\"", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.path);
        CAPTURE(row.line);
        CHECK(wrong_includes({{row.path, {row.line}}}).size() == (row.wrong ? 1U : 0U));
    }
}

TEST_CASE("an impurity is found, and only in the pure layers") {
    struct Row {
        const char* path;
        const char* line;
        bool wrong;
    };
    const std::vector<Row> rows = {
        {"engine/engine.cpp", "#include <thread>", true},
        {"model/facts/pod.cpp", "#include <random>", true},
        {"solver/solve.cpp", "#include <iostream>", true},
        {"solver/solve.cpp", "#include <nlohmann/json.hpp>", true},
        {"solver/solve.cpp", "#include <unistd.h>", true},
        {"engine/engine.cpp", "    const auto now = std::chrono::steady_clock::now();", true},
        {"engine/engine.cpp", "    // never asks steady_clock::now() by itself", false},
        {"engine/engine.cpp", "#include <chrono>", false},
        {"engine/engine.cpp", "#include <fmt/format.h>", false},
        {"app/serve.cpp", "#include <thread>", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.path);
        CAPTURE(row.line);
        CHECK(impurities({{row.path, {row.line}}}).size() == (row.wrong ? 1U : 0U));
    }
}

}  // namespace
