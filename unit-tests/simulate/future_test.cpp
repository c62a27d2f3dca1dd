// Equal arguments give equal results, and the future has no influence.

#include "solver/violations.hpp"
#include "unit-tests/simulate/small_worlds.hpp"

#include <random>
#include <set>

using namespace echelon;
using namespace echelon::simulate;
using namespace echelon::simulate::testing;

namespace {

constexpr double moment = 60;

struct Row {
    double submit = 0;
    double duration = 0;
    std::string rest;
};

const std::string header = "submit,duration,name,pods,gpu,gpu-share,cpu,required,preferred,gang,priority\n";

std::vector<Row> random_rows(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto upto = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
    std::vector<Row> rows;
    for (int i = 0; i < 60; ++i) {
        const bool is_gang = upto(2) > 0;
        const bool is_share = upto(3) == 0;
        const auto pods = is_gang ? 1 + upto(5) : 1 + upto(1);
        rows.push_back(
            {.submit = static_cast<double>(upto(100)),
             .duration = static_cast<double>(1 + upto(40)),
             .rest = fmt::format("j{},{},{},{},{},{},{},{},{}", i, pods, is_share ? "" : "4", is_share ? "300" : "",
                                 1000 * upto(8), is_gang && upto(1) ? "rack" : "",
                                 is_gang && upto(2) == 0 ? "rack" : "", is_gang ? "true" : "false", upto(1))});
    }
    return rows;
}

std::string csv_of(const std::vector<Row>& rows) {
    std::string csv = header;
    for (const auto& row : rows)
        csv += fmt::format("{},{},{}\n", row.submit, row.duration, row.rest);
    return csv;
}

std::vector<std::string> until_moment(const Outcome& outcome) {
    std::vector<std::string> texts;
    for (const auto& line : outcome.lines) {
        if (line.time <= moment)
            texts.push_back(line.text());
    }
    return texts;
}

const std::vector<int> sizes = {3, 2, 4, 1};

}  // namespace

TEST_CASE("equal arguments give equal lines and figures (I14)") {
    const auto csv = csv_of(random_rows(1));
    const auto once = simulated(racks_of(sizes), csv);
    const auto twice = simulated(racks_of(sizes), csv);
    CHECK(once.texts() == twice.texts());
    CHECK(once.report.blocked == twice.report.blocked);
    CHECK(once.report.decisions == twice.report.decisions);
}

TEST_CASE("the future has no influence: a cut of the trace, or later ends, change nothing before") {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        auto rows = random_rows(seed);
        const auto whole = simulated(racks_of(sizes), csv_of(rows));
        auto longer = rows;
        std::erase_if(rows, [](const Row& row) { return row.submit > moment; });
        CHECK(until_moment(simulated(racks_of(sizes), csv_of(rows))) == until_moment(whole));
        CHECK(until_moment(simulated(racks_of(sizes), csv_of(longer), {.until = moment})) == until_moment(whole));
        // Whatever still runs after the moment may end at any later time.
        std::map<std::string, double> starts;
        for (const auto& line : whole.lines) {
            if (line.kind == PodEvent::Kind::start)
                starts.emplace(line.pod.substr(0, line.pod.rfind('-')), line.time);
        }
        for (auto& row : longer) {
            const auto start = starts.find(row.rest.substr(0, row.rest.find(',')));
            if (start == starts.end() || start->second + row.duration > moment)
                row.duration += 17;
        }
        CHECK(until_moment(simulated(racks_of(sizes), csv_of(longer))) == until_moment(whole));
    }
}

TEST_CASE("no device is given twice, no rack is left by a gang that requires it, and every pod ends once") {
    for (std::uint32_t seed = 30; seed <= 50; ++seed) {
        CAPTURE(seed);
        const auto rows = random_rows(seed);
        const auto outcome = simulated(racks_of(sizes), csv_of(rows));
        std::map<std::string, int> milli;  // "node/device" -> what is taken of it.
        std::map<std::string, std::set<std::string>> racks;
        for (const auto& line : outcome.lines) {
            const auto job = line.pod.substr(0, line.pod.rfind('-'));
            const auto row =
                std::ranges::find_if(rows, [&](const Row& its) { return its.rest.starts_with(job + ","); });
            REQUIRE(row != rows.end());
            const int each = row->rest.find(",,300,") != std::string::npos ? 300 : 1000;
            std::string device;
            for (const char c : line.devices + "|") {
                if (c != '|') {
                    device += c;
                    continue;
                }
                auto& taken = milli[line.node + "/" + std::exchange(device, "")];
                taken += line.kind == PodEvent::Kind::start ? each : -each;
                CHECK(taken <= 1000);
                CHECK(taken >= 0);
            }
            if (line.kind == PodEvent::Kind::start && row->rest.find(",rack,") != std::string::npos &&
                row->rest.find(",,rack,") == std::string::npos)
                racks[job].insert(line.node.substr(0, 2));
        }
        for (const auto& [device, taken] : milli)
            CHECK(taken == 0);
        for (const auto& [job, its] : racks)
            CHECK(its.size() == 1);
        CHECK(outcome.report.placed + outcome.report.waiting +
                  (outcome.report.refused.contains("Impossible") ? outcome.report.refused.at("Impossible") : 0) ==
              60);
    }
}
