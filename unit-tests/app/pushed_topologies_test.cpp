// Documents in a ConfigMap become topologies, and a changed document changes only its topology.

#include "app/pushed_topologies.hpp"

#include "kube/json/packed_text.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::app {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

const std::string one_leaf = R"({"instances": [{"id": "n0", "network_layers": ["leaf0"]}]})";
const std::string other_leaf = R"({"instances": [{"id": "n0", "network_layers": ["leaf1"]}]})";

json config_map(const json& data, const json& packed = json::object()) {
    return {{"metadata", {{"name", "topologies"}}}, {"data", data}, {"binaryData", packed}};
}

struct World {
    Names log;
    PushedTopologies topologies{[this](const std::string& sentence) { log.push_back(sentence); }};

    // "+name", "-name" or "!name" of each event.
    Names see(const json& object, kube::Change change = kube::Change::seen) {
        Names told;
        for (const auto& event : topologies.apply(object, change)) {
            if (const auto* seen = std::get_if<model::TopologySeen>(&event))
                told.push_back((seen->topology.problem.empty() ? "+" : "!") + seen->topology.name);
            if (const auto* gone = std::get_if<model::TopologyGone>(&event))
                told.push_back("-" + gone->name);
        }
        return told;
    }
};

}  // namespace

TEST_CASE("packed texts are themselves again, and anything else is an error") {
    for (const std::string& text : {std::string(), std::string("a"), one_leaf, std::string(100'000, 'x')})
        CHECK(kube::unpack(kube::pack(text), 200'000) == text);
    CHECK(kube::pack(std::string(100'000, 'x')).size() < 400);
    CHECK(kube::unpack(kube::pack(std::string(100'000, 'x')), 99'999).error().sentence == "is longer than 99999 bytes");
    CHECK(kube::unpack("AAAA", 100).error().sentence == "isn't gzip");
    CHECK(kube::unpack("A", 100).error().sentence == "isn't base64");
    CHECK(kube::unpack("", 100).error().sentence == "isn't base64");
    const auto cut = kube::pack(one_leaf);
    CHECK_FALSE(kube::unpack(std::string_view(cut).substr(0, cut.size() / 8 * 4), 1000));
}

TEST_CASE("each document of the ConfigMap is a topology, plain or packed, until it is taken out") {
    World world;
    CHECK(world.see(config_map({{"a.json", one_leaf}}, {{"b", kube::pack(one_leaf)}})) ==
          Names{"+a", "-a/accelerators", "+b", "-b/accelerators"});
    CHECK(world.topologies.text_of("a") == one_leaf);
    CHECK(world.topologies.text_of("b") == one_leaf);
    CHECK_FALSE(world.topologies.text_of("c"));
    // As it was.
    CHECK(world.see(config_map({{"a.json", one_leaf}}, {{"b", kube::pack(one_leaf)}})).empty());
    CHECK(world.see(config_map({{"a.json", other_leaf}}, {{"b", kube::pack(one_leaf)}})) ==
          Names{"+a", "-a/accelerators"});
    CHECK(world.see(config_map({{"a.json", other_leaf}})) == Names{"-b", "-b/accelerators"});
    CHECK_FALSE(world.topologies.text_of("b"));
    CHECK(world.see(config_map({{"a.json", other_leaf}}), kube::Change::gone) == Names{"-a", "-a/accelerators"});
    CHECK(world.log.empty());
    CHECK(world.topologies.figures().applied == 3);
}

TEST_CASE("an unusable document leaves the last good one in place, and is listed as faulty if there was none") {
    World world;
    CHECK(world.see(config_map({{"a", one_leaf}})).size() == 2);
    for (const char* bad : {"", "{}", "{\"instances\": []}", "["})
        CHECK(world.see(config_map({{"a", bad}})).empty());
    CHECK(world.topologies.text_of("a") == one_leaf);
    CHECK(world.topologies.figures().refused == 4);
    CHECK(world.log.at(2) == "topology \"a\" stays as it was: lists no node");
    CHECK(world.see(config_map({{"a", one_leaf}}, {{"b", "AAAA"}})) ==
          Names{"+a", "-a/accelerators", "!b", "-b/accelerators"});
    CHECK(world.log.back() == "topology \"b\" can't be used: isn't gzip");
    CHECK_FALSE(world.topologies.text_of("b"));
    // What isn't text is nothing.
    CHECK(world.see(json{{"data", 7}, {"binaryData", {{"a", 7}}}}) ==
          Names{"-a", "-a/accelerators", "-b", "-b/accelerators"});
}

}  // namespace echelon::app
