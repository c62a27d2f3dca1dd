// filter leaves out nodes whose room is promised to a gang, for pods of no gang (PR1 to PR4).

#include "engine/publish/node_scores.hpp"
#include "server/extender/name_list.hpp"
#include "server/extender/verbs.hpp"
#include "server/http/request.hpp"
#include "unit-tests/server/edge.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::server {
namespace {

using test::FakeBackend;
using test::filter_args;
using test::names;

engine::Promises promised_on(const std::vector<std::string>& nodes, std::int64_t priority, std::int64_t left) {
    std::array<std::vector<engine::Promises::Entry>, engine::Promises::shard_count> entries;
    for (const auto& node : nodes) {
        auto room = std::make_shared<const engine::PromisedRoom>(
            engine::PromisedRoom{.left = {{priority, {{"gpu", left}}}}, .reserved = {}});
        engine::NodePromises promises{.node = node, .room = std::move(room)};
        const auto hash = engine::name_hash(node);
        entries[engine::Promises::shard_of(hash)].push_back(
            {hash, std::make_shared<const engine::NodePromises>(std::move(promises))});
    }
    engine::Promises promises;
    for (std::size_t at = 0; at < entries.size(); ++at)
        promises.set(at, entries[at]);
    return promises;
}

// Every plain pod asks for 4 of "gpu" with this priority.
struct Scene {
    explicit Scene(const std::vector<std::string>& nodes, engine::Protection protection = engine::Protection::promised,
                   bool is_exempt = false, std::int64_t priority = 0) {
        auto published = test::published_with({});
        published->promises = promised_on(nodes, 10, 3);
        backend.show(published);
        callbacks = backend.as_backend();
        callbacks.protection = [protection](std::string_view scheduler) {
            return scheduler == test::our_scheduler ? protection : engine::Protection::none;
        };
        callbacks.plain_pod = [this, is_exempt, priority](std::string_view) {
            ++pods_read;
            return model::PlainPod{
                .requests = {{"gpu", 4}}, .priority = priority, .active_deadline = 0, .is_exempt = is_exempt};
        };
        callbacks.now = [] { return engine::Time{0}; };
    }
    std::string filter(std::string_view names_json, std::string_view scheduler = test::our_scheduler) {
        auto body = filter_args("plain", names_json, scheduler);
        body.append(body_padding, ' ');
        return Verbs(callbacks).filter(std::string_view(body).substr(0, body.size() - body_padding)).body;
    }

    FakeBackend backend;
    Backend callbacks;
    int pods_read = 0;
};

std::string all_of(std::string_view names_json) {
    return fmt::format(R"({{"NodeNames":{},"Error":""}})", names_json);
}

TEST_CASE("nodes whose room is promised are unresolvable, with one constant sentence (PR1)") {
    Scene scene({"n1", "n3", "elsewhere"});
    CHECK(scene.filter(names(5)) ==
          R"({"NodeNames":["n0","n2","n4"],"FailedAndUnresolvableNodes":{)"
          R"("n1":"echelon: room here is promised to a gang","n3":"echelon: room here is promised to a gang"},)"
          R"("Error":""})");
    CHECK(scene.backend.filtered().back().answer == engine::Filtered::Answer::passed);
}

TEST_CASE("where no other node is left, none is offered (PR1)") {
    Scene scene({"n0", "n1"});
    CHECK(scene.filter(names(2)) ==
          R"({"NodeNames":[],"FailedAndUnresolvableNodes":{"n0":"echelon: room here is promised to a gang",)"
          R"("n1":"echelon: room here is promised to a gang"},"Error":""})");
}

TEST_CASE("exempt and more important pods get the names as they came (PR2)") {
    const std::string list = R"([ "n0" , "n1" ])";
    Scene exempt({"n1"}, engine::Protection::promised, true);
    CHECK(exempt.filter(list) == all_of(list));
    CHECK(exempt.backend.filtered().back().is_exempt);
    CHECK(Scene({"n1"}, engine::Protection::promised, false, 11).filter(list) == all_of(list));
    CHECK(Scene({"n1"}, engine::Protection::promised, false, 10).filter(list) != all_of(list));
}

TEST_CASE("with none, and for pods of other schedulers, the names go back byte for byte (PR3)") {
    const std::string list = R"([ "n0" , "n1" ])";
    CHECK(Scene({"n1"}, engine::Protection::none).filter(list) == all_of(list));
    CHECK(Scene({"n1"}).filter(list, "other") == all_of(list));
    CHECK(Scene({"n1"}, engine::Protection::holds).filter(list) != all_of(list));
}

TEST_CASE("a pod is read only if some node of the list has a promise (PR4)") {
    Scene scene({"n7"});
    CHECK(scene.filter(names(7)) == all_of(names(7)));
    CHECK(scene.pods_read == 0);
    CHECK(scene.filter(names(8)) != all_of(names(8)));
    CHECK(scene.pods_read == 1);
}

TEST_CASE("escaped names and odd blanks are understood") {
    Scene scene({"n1"});
    CHECK(scene.filter("[\"n0\",\"n\\u0031\"]").starts_with(R"({"NodeNames":["n0"],"Failed)"));
    CHECK(scene.filter("[ \"n1\" ,\n \"n0\"\t]").starts_with(R"({"NodeNames":["n0"],"Failed)"));
    CHECK(scene.filter("[\"n1\",\"n1\"]").starts_with(R"({"NodeNames":[],"Failed)"));
    CHECK(scene.filter("[]") == all_of("[]"));
    CHECK(scene.filter("null") == all_of("[]"));
}

TEST_CASE("names of any length and in any order are answered whole (PR1, SC1)") {
    std::vector<std::string> all;
    for (std::size_t length = 1; length < 150; ++length)
        all.emplace_back(length, static_cast<char>('a' + length * 7 % 26));
    std::ranges::reverse(all);
    std::vector<std::string> promised;
    std::vector<std::uint8_t> values;
    std::string list;
    std::string offered;
    std::string left_out;
    std::string scored;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_promised = i % 5 < 2;
        if (is_promised)
            promised.push_back(all[i]);
        values.push_back(static_cast<std::uint8_t>(i % 11));
        list += fmt::format(R"({}"{}")", i == 0 ? "" : ",", all[i]);
        scored += fmt::format(R"({}{{"Host":"{}","Score":{}}})", i == 0 ? "" : ",", all[i], i % 11);
        auto& to = is_promised ? left_out : offered;
        to += fmt::format(R"({}"{}")", to.empty() ? "" : ",", all[i]);
        if (is_promised)
            to += R"(:"echelon: room here is promised to a gang")";
    }
    Scene scene(promised);
    CHECK(scene.filter("[" + list + "]") ==
          fmt::format(R"({{"NodeNames":[{}],"FailedAndUnresolvableNodes":{{{}}},"Error":""}})", offered, left_out));
    auto published = test::published_with({});
    engine::NodeScores::ByRequests by_requests;
    by_requests[{{"gpu", 4}}] = std::make_shared<const std::vector<std::uint8_t>>(values);
    published->scores =
        std::make_shared<const engine::NodeScores>(std::make_shared<const engine::NodePlaces>(all), by_requests);
    scene.backend.show(published);
    scene.callbacks.packs = [](std::string_view) { return true; };
    auto body = filter_args("plain", "[" + list + "]");
    body.append(body_padding, ' ');
    CHECK(Verbs(scene.callbacks).prioritize(std::string_view(body).substr(0, body.size() - body_padding)).body ==
          "[" + scored + "]");
}

TEST_CASE("each name of a list is found with its hash, whatever its length") {
    std::string list = "[";
    std::vector<std::string> expected;
    for (std::size_t length = 0; length < 70; ++length) {
        expected.push_back(std::string(length, static_cast<char>('a' + length % 26)));
        list += fmt::format("{}\"{}\"", length == 0 ? "" : ", ", expected.back());
    }
    list += "]";
    const auto length = list.size();
    list.append(name_list_padding, ' ');
    std::vector<std::string> found;
    for_each_name(std::string_view(list).substr(0, length), [&](engine::NameHash hash, std::string_view name) {
        CHECK(hash == engine::name_hash(name));
        found.emplace_back(name);
    });
    CHECK(found == expected);
}

}  // namespace
}  // namespace echelon::server
