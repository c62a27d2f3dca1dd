// Every file of unit-tests/scenarios is a test: Kubernetes manifests, with the expected result in leading comments.
//
//     #= gang NS/NAME: Placed, N seats            or   #= gang NS/NAME: Refused, REASON
//     #= group NS/NAME: PLACED of MINIMUM in DOMAIN    "*" at the end of the domain matches anything
//     #= seat NS/POD: NODE
//     #= message NS/NAME: a part of the sentence
//     #= order: NS/NAME NS/NAME ...                    of decision
//     #= total: N seats

#include "cli/offline.hpp"
#include "cli/plan.hpp"
#include "kube/manifests.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;

namespace {

struct Expectation {
    std::string what;     // "gang", "group" ...
    std::string subject;  // Empty for "order" and "total".
    std::string value;
};

std::vector<std::filesystem::path> scenario_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(ECHELON_SOURCE_DIR "/unit-tests/scenarios")) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

std::vector<Expectation> expectations_in(const std::string& text) {
    std::vector<Expectation> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("#= "))
            continue;
        const auto colon = line.find(": ");
        REQUIRE_MESSAGE(colon != std::string::npos, line);
        const auto head = line.substr(3, colon - 3);
        const auto space = head.find(' ');
        found.push_back(
            {head.substr(0, space), space == std::string::npos ? "" : head.substr(space + 1), line.substr(colon + 2)});
    }
    return found;
}

const report::GangReport* gang_named(const report::PlanReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.gangs, name, &report::GangReport::gang);
    return found == report.gangs.end() ? nullptr : &*found;
}

std::string outcome_of(const report::PlanReport& report, const std::string& name) {
    const auto* gang = gang_named(report, name);
    if (gang == nullptr)
        return "not reported";
    return gang->is_placed() ? fmt::format("Placed, {} seats", gang->seats.size())
                             : fmt::format("Refused, {}", model::to_string(*gang->reason));
}

std::string group_line(const report::PlanReport& report, const std::string& name) {
    for (const auto& gang : report.gangs) {
        for (const auto& group : gang.groups) {
            if (group.group == name)
                return fmt::format("{} of {} in {}", group.placed, group.minimum, group.domain);
        }
    }
    return "not reported";
}

std::string node_of(const report::PlanReport& report, const std::string& pod) {
    for (const auto& gang : report.gangs) {
        for (const auto& seat : gang.seats) {
            if (seat.pod == pod)
                return seat.node;
        }
    }
    return "no seat";
}

std::string order_of(const report::PlanReport& report) {
    std::string order;
    for (const auto& gang : report.gangs) {
        order += (order.empty() ? "" : " ") + gang.gang;
    }
    return order;
}

std::size_t total_of(const report::PlanReport& report) {
    std::size_t total = 0;
    for (const auto& gang : report.gangs) {
        total += gang.seats.size();
    }
    return total;
}

void check(const Expectation& expected, const report::PlanReport& report) {
    CAPTURE(expected.what);
    CAPTURE(expected.subject);
    if (expected.what == "gang") {
        CHECK(outcome_of(report, expected.subject) == expected.value);
    } else if (expected.what == "group") {
        const auto line = group_line(report, expected.subject);
        if (expected.value.ends_with('*')) {
            CAPTURE(line);
            CHECK(line.starts_with(expected.value.substr(0, expected.value.size() - 1)));
        } else {
            CHECK(line == expected.value);
        }
    } else if (expected.what == "seat") {
        CHECK(node_of(report, expected.subject) == expected.value);
    } else if (expected.what == "message") {
        const auto* gang = gang_named(report, expected.subject);
        REQUIRE(gang != nullptr);
        CAPTURE(gang->message);
        CHECK(gang->message.find(expected.value) != std::string::npos);
    } else if (expected.what == "order") {
        CHECK(order_of(report) == expected.value);
    } else {
        REQUIRE(expected.what == "total");
        CHECK(fmt::format("{} seats", total_of(report)) == expected.value);
    }
}

// The report without its only part that isn't a function of the input.
std::string bytes_of(report::PlanReport report) {
    for (auto& gang : report.gangs) {
        gang.milliseconds = 0;
    }
    return report::to_json(report);
}

std::vector<std::string> gangs_expected(const std::vector<Expectation>& expectations) {
    std::vector<std::string> names;
    for (const auto& expected : expectations) {
        if (expected.what == "gang")
            names.push_back(expected.subject);
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

TEST_CASE("scenarios") {
    for (const auto& file : scenario_files()) {
        SUBCASE(file.stem().c_str()) {
            const auto text = text_of(file);
            const auto expectations = expectations_in(text);
            auto manifests = kube::read_manifest_text(text, file.filename().string());
            REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
            CHECK(manifests->skipped_kinds.empty());
            const auto report = cli::decide(manifests->events);
            REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));

            std::vector<std::string> reported;
            for (const auto& gang : report->gangs) {
                reported.push_back(gang.gang);
            }
            std::ranges::sort(reported);
            CHECK(reported == gangs_expected(expectations));
            for (const auto& expected : expectations) {
                check(expected, *report);
            }
            // Z40: a cluster that takes the facts of another one decides alike.
            const auto copied = cli::decide(cli::cluster_of(manifests->events, {}).events());
            REQUIRE(copied);
            CHECK(bytes_of(*copied) == bytes_of(*report));
            // T2.4: the same objects in any order give the same bytes.
            std::mt19937 dice(1);
            for (int round = 0; round < 5; ++round) {
                std::ranges::shuffle(manifests->events, dice);
                const auto again = cli::decide(manifests->events);
                REQUIRE(again);
                CHECK(bytes_of(*again) == bytes_of(*report));
            }
        }
    }
}
