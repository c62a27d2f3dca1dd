// Does any input of one tenant affect other tenants? (BD1 to BD4)

#include "kube/decode.hpp"
#include "unit-tests/tenants/allocated.hpp"
#include "unit-tests/tenants/child.hpp"
#include "unit-tests/tenants/cluster.hpp"
#include "unit-tests/tenants/hostile.hpp"
#include "unit-tests/tenants/neighbours.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

using namespace echelon;
using namespace std::chrono_literals;
using nlohmann::json;
using tenants::Cluster;
using tenants::Hostile;
using tenants::Line;
using tenants::Lines;

constexpr std::int64_t mebibyte = 1 << 20;

// How much a tenant's input may cost in addition. All are counts: no clock is read.
constexpr std::int64_t kept_at_least = 16 * mebibyte;  // Live memory: fixed, and per byte of input.
constexpr std::int64_t kept_per_byte = 40;
constexpr std::int64_t passing_at_least = 64 * mebibyte;  // The largest that memory was meanwhile.
constexpr std::int64_t passing_per_byte = 120;
constexpr std::int64_t work_factor = 4;            // Allocations for what others do then.
constexpr std::int64_t work_at_least = 200'000;    // Gangs that the tenant has waiting are looked at again meanwhile.
constexpr std::int64_t heaviest_step = 2'000'000;  // Allocations of one step.
constexpr std::int64_t longest_text = 4'096;       // `model::Limits::message_bytes`.
// A process that needs more is ended.
constexpr tenants::Bounds bounds{.memory_bytes = 1'500UL << 20U, .cpu_seconds = 10};

// Every answer that a neighbour gets from filter, by UID; all of those that are pinned are bound.
json schedule(Cluster& cluster, const std::vector<json>& objects) {
    json answers = json::object();
    for (const json& object : objects) {
        if (tenants::is_pod(object)) {
            const std::string uid = object["metadata"]["uid"];
            answers[uid] = cluster.filter(uid);
        }
    }
    for (const json& object : objects) {
        if (!tenants::is_pod(object))
            continue;
        const std::string answer = answers[object["metadata"]["uid"]];
        if (answer.starts_with("pinned "))
            cluster.bind(tenants::reference(object), answer.substr(7));
    }
    return answers;
}

// What others do while the tenant is there, and how many allocations that takes.
std::int64_t late_work(Cluster& cluster, json& answers) {
    const auto before = tenants::allocated().count;
    for (const json& object : tenants::late_objects())
        cluster.see(object);
    cluster.run(1s);
    answers.update(schedule(cluster, tenants::late_objects()));
    const json plain = tenants::plain_pod("late");
    cluster.see(plain);
    cluster.run(1s);
    answers["late plain"] = cluster.filter(plain["metadata"]["uid"]);
    cluster.bind(tenants::reference(plain), "p-0");
    cluster.run(1s);
    return tenants::allocated().count - before;
}

json live_beside(const Lines& lines) {
    const auto before = tenants::allocated();
    tenants::forget_most();
    json out;
    {
        Cluster cluster;
        for (const json& object : tenants::fabric())
            cluster.see(object);
        for (const Line& line : lines)
            cluster.see(line.text, line.is_gone ? kube::Change::gone : kube::Change::seen);
        for (const json& object : tenants::sound_objects())
            cluster.see(object);
        const json plain = tenants::plain_pod("early");
        cluster.see(plain);
        cluster.listed();
        cluster.run(5s);
        out["heaviest"] = cluster.heaviest_step();
        json answers = schedule(cluster, tenants::sound_objects());
        answers["plain"] = cluster.filter(plain["metadata"]["uid"]);
        cluster.bind(tenants::reference(plain), "p-0");
        cluster.run(5s);
        out["late"] = late_work(cluster, answers);
        out["answers"] = answers;
        out["told"] = cluster.answers();
        out["longest"] = cluster.longest_text();
        out["kept"] = tenants::allocated().live - before.live;
        out["record"] = cluster.record_of("tenant/big").substr(0, 300);
        json bound = json::object();
        for (const auto& [pod, node] : cluster.bound()) {
            if (pod.starts_with("sound/") || pod.starts_with("plain/"))
                bound[pod] = node;
        }
        out["bound"] = bound;
    }
    out["most"] = tenants::allocated().most - before.live;
    return out;
}

tenants::Ending lived(const Hostile* hostile) {
    return tenants::run_apart(bounds, [hostile] {
        const Lines lines = hostile == nullptr ? Lines{} : hostile->make();
        std::int64_t bytes = 0;
        for (const Line& line : lines)
            bytes += static_cast<std::int64_t>(line.text.size());
        json out = live_beside(lines);
        out["bytes"] = bytes;
        return out.dump(-1, ' ', false, json::error_handler_t::replace);
    });
}

void compare(const char* what, const json& found, const json& expected, std::string& complaints) {
    for (const auto& [key, value] : expected.items()) {
        if (found.value(key, json()) != value)
            complaints += fmt::format("{} of {}: {}, not {}\n", what, key,
                                      found.value(key, json("nothing")).dump().substr(0, 300), value.dump());
    }
}

void limit(const char* what, const json& found, std::int64_t most, std::string& complaints) {
    if (found > most)
        complaints += fmt::format("{}: {}, at most {}\n", what, found.dump(), most);
}

// What differs from a run without the tenant; empty: nothing.
std::string complaints_about(const json& with, const json& without) {
    std::string out;
    compare("filter's answer", with["answers"], without["answers"], out);
    compare("bind's answer", with["told"], without["told"], out);
    compare("node", with["bound"], without["bound"], out);
    const std::int64_t bytes = with["bytes"];
    const auto more = [&](const char* key) { return with[key].get<std::int64_t>() - without[key].get<std::int64_t>(); };
    limit("bytes kept", more("kept"), kept_at_least + kept_per_byte * bytes, out);
    limit("most bytes", more("most"), passing_at_least + passing_per_byte * bytes, out);
    limit("allocations of what others do", with["late"],
          work_factor * without["late"].get<std::int64_t>() + work_at_least, out);
    limit("allocations of one step", with["heaviest"], heaviest_step, out);
    limit("bytes of one text", with["longest"], longest_text, out);
    return out;
}

json alone() {
    static const tenants::Ending ending = lived(nullptr);
    REQUIRE(ending.trouble == "");
    return json::parse(ending.answer);
}

TEST_CASE("the neighbours are planned and bound when they are alone") {
    const json without = alone();
    for (const auto& [uid, answer] : without["answers"].items()) {
        CAPTURE(uid);
        const bool is_plain = uid.contains("plain");
        CHECK(answer.get<std::string>().starts_with(is_plain ? "passed" : "pinned s-"));
    }
    for (const auto& [pod, told] : without["told"].items()) {
        CAPTURE(pod);
        CHECK(told == "");
    }
    CHECK(without["bound"].size() == 22);
}

TEST_CASE("no input of one tenant harms another") {
    const json without = alone();
    for (const Hostile& hostile : tenants::hostile_inputs()) {
        SUBCASE(hostile.name.c_str()) {
            const tenants::Ending ending = lived(&hostile);
            CAPTURE(hostile.name);
            CHECK(ending.trouble == "");
            if (ending.trouble.empty()) {
                const json with = json::parse(ending.answer);
                CAPTURE(with["record"].dump());
                INFO(fmt::format("{}: {} bytes, {} kept, {} most, {} late, {} heaviest, {} longest", hostile.name,
                                 with["bytes"].dump(), with["kept"].dump(), with["most"].dump(), with["late"].dump(),
                                 with["heaviest"].dump(), with["longest"].dump()));
                CHECK(complaints_about(with, without) == "");
            }
        }
    }
}

}  // namespace
