#include "report/report.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using echelon::model::Reason;
using echelon::report::gang_tree;
using echelon::report::GangReport;
using echelon::report::PlanReport;
using echelon::report::to_json;
using echelon::report::to_tree;

namespace {

GangReport placed() {
    GangReport gang;
    gang.gang = "default/train";
    gang.seats = {{"default/train-0", "default/workers", "n1", "b0/r1/n1"},
                  {"default/train-1", "default/workers", "n1", "b0/r1/n1"},
                  {"default/train-2", "default/workers", "n2", "b0/r1/n2"},
                  {"default/leader", "default/workers", "n1", "b0/r1/n1"}};
    gang.groups = {{"default/train", 1, 1, "b0/r1"}, {"default/workers", 4, 4, "b0/r1"}};
    gang.depths = {0, 1};
    gang.milliseconds = 0.81249;
    return gang;
}

GangReport refused(Reason reason) {
    GangReport gang;
    gang.gang = "default/other";
    gang.reason = reason;
    gang.message = "group \"default/other\" needs more";
    return gang;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the JSON report has the documented fields in the documented order") {
    const auto text = to_json({{placed(), refused(Reason::no_room)}});
    CHECK(text.back() == '\n');
    const auto report = nlohmann::ordered_json::parse(text);
    CHECK(report["apiVersion"] == "echelon.sh/v1alpha1");
    CHECK(report["kind"] == "PlanReport");
    REQUIRE(report["gangs"].size() == 2);
    const auto& gang = report["gangs"][0];
    std::string keys;
    for (const auto& [key, value] : gang.items()) {
        keys += key + " ";
    }
    CHECK(keys == "gang outcome reason message proved seats groups milliseconds ");
    CHECK(gang["outcome"] == "Placed");
    CHECK(gang["reason"] == "");
    CHECK(gang["proved"] == true);
    CHECK(gang["seats"][0] ==
          nlohmann::ordered_json({{"pod", "default/train-0"}, {"group", "default/workers"}, {"node", "n1"}}));
    CHECK(gang["groups"][1] ==
          nlohmann::ordered_json({{"group", "default/workers"}, {"placed", 4}, {"minimum", 4}, {"domain", "b0/r1"}}));
    CHECK(gang["milliseconds"] == 0.812);
    const auto& other = report["gangs"][1];
    CHECK(other["outcome"] == "Refused");
    CHECK(other["reason"] == "NoRoom");
    CHECK(other["seats"] == nlohmann::ordered_json::array());
}

TEST_CASE("only a search that gave up proves nothing") {
    for (const auto reason : {Reason::invalid, Reason::incomplete, Reason::impossible, Reason::no_room}) {
        CHECK(refused(reason).is_proved());
    }
    CHECK(!refused(Reason::out_of_budget).is_proved());
    CHECK(placed().is_proved());
}

TEST_CASE("a report without gangs is a report, and everything in it is placed") {
    CHECK(nlohmann::json::parse(to_json({}))["gangs"].empty());
    CHECK(PlanReport{}.is_all_placed());
    CHECK(!PlanReport{{placed(), refused(Reason::no_room)}}.is_all_placed());
    CHECK(contains(to_tree({}, false), "0 gangs"));
}

TEST_CASE("names that aren't UTF-8 don't break the report") {
    auto gang = placed();
    gang.message = "\xff";
    CHECK(nlohmann::json::parse(to_json({{gang}}))["gangs"].size() == 1);
}

TEST_CASE("the tree draws the path of the topology, then nodes with their pods, neighbours together") {
    CHECK(to_tree({{placed()}}, false) ==
          "default/train  placed, 4 seats in b0/r1  0.8 ms\n"
          "  default/train       1 of 1  b0/r1\n"
          "  └─ default/workers  4 of 4  b0/r1\n"
          "  └─ b0\n"
          "     └─ r1\n"
          "        ├─ n1: leader train-[0-1]\n"
          "        └─ n2: train-2\n"
          "1 gang: 1 placed, 0 refused\n");
}

TEST_CASE("a refused gang is shown with its sentence, in colour only where it is wanted") {
    const PlanReport report{{refused(Reason::impossible)}};
    const auto plain = to_tree(report, false);
    CHECK(contains(plain, "refused: Impossible"));
    CHECK(contains(plain, "  group \"default/other\" needs more\n"));
    CHECK(!contains(plain, "\033["));
    CHECK(contains(to_tree(report, true), "\033[31mrefused: Impossible\033[0m"));
}

TEST_CASE("groups are drawn as a tree, names and numbers aligned") {
    GangReport gang;
    gang.gang = "default/chat";
    gang.groups = {{"default/chat", 2, 2, "b0"},   {"default/prefill", 10, 10, "b0"}, {"default/p-0", 4, 4, "b0/r0"},
                   {"default/p-1", 4, 4, "b0/r1"}, {"default/decode", 1, 1, "b0/r2"}, {"default/d-0", 0, 0, ""}};
    gang.depths = {0, 1, 2, 2, 1, 2};
    CHECK(gang_tree(gang, false) ==
          "default/chat  placed, 0 seats in b0\n"
          "  default/chat        2 of 2    b0\n"
          "  ├─ default/prefill  10 of 10  b0\n"
          "  │  ├─ default/p-0   4 of 4    b0/r0\n"
          "  │  └─ default/p-1   4 of 4    b0/r1\n"
          "  └─ default/decode   1 of 1    b0/r2\n"
          "     └─ default/d-0   0 of 0\n");
}

TEST_CASE("a refusal with a tree is drawn with it, in place of the groups") {
    auto gang = refused(Reason::no_room);
    gang.groups = {{"default/other", 0, 2, ""}, {"default/part", 0, 2, ""}};
    gang.explanation.emplace();
    CHECK(contains(gang_tree(gang, false), "  default/part"));  // Nothing to tell: the groups.
    auto& row = gang.explanation->groups.emplace_back();
    row.group = "default/other";
    row.status = echelon::model::ExplainedGroup::Status::culprit;
    row.needed = 2;
    CHECK(gang_tree(gang, false) ==
          "default/other  refused: NoRoom\n"
          "  group \"default/other\" needs more\n"
          "  default/other  needs 2 members; none fits\n");
}

TEST_CASE("a long sentence is wrapped to the page") {
    auto gang = refused(Reason::no_room);
    gang.message.clear();
    for (int i = 0; i < 40; ++i) {
        gang.message += "words and ";
    }
    const auto text = gang_tree(gang, false);
    CHECK(std::count(text.begin(), text.end(), '\n') == 6);
}

TEST_CASE("the service's report has the phase in place of \"placed\"") {
    auto gang = placed();
    gang.phase = "Held";
    CHECK(contains(gang_tree(gang, false), "default/train  Held, 4 seats in b0/r1\n"));
}

TEST_CASE("a large gang doesn't fill more than a screen") {
    GangReport gang;
    gang.gang = "default/huge";
    for (int n = 0; n < 300; ++n) {
        const auto node = "n" + std::to_string(n);
        gang.seats.push_back({"default/huge-" + std::to_string(n), "default/huge", node, "b0/r0/" + node});
    }
    const auto text = to_tree({{gang}}, false);
    CHECK(std::count(text.begin(), text.end(), '\n') < 50);
    CHECK(contains(text, "... and 262 more nodes"));
}

TEST_CASE("only plain consecutive numbers are drawn together") {
    GangReport gang;
    gang.gang = "default/odd";
    for (const auto* name : {"a-1", "a-2", "a-04", "a-3", "b", "7", "8", "a-5"}) {
        gang.seats.push_back({std::string("default/") + name, "default/odd", "n0", "n0"});
    }
    CHECK(contains(to_tree({{gang}}, false), "n0: [7-8] a-[1-3] a-04 a-5 b\n"));
}
