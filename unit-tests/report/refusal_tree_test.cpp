// How is the tree of a refusal drawn? Goldens, from explanations written by hand.

#include "report/refusal_tree.hpp"

#include "report/text_tree.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

using namespace echelon;
using model::Blocker;
using model::ExplainedDomain;
using model::ExplainedGroup;
using model::Explanation;
using report::amount_text;
using report::amounts_text;
using report::clipped;
using report::draw_refusal;
using report::Style;
using Status = ExplainedGroup::Status;

namespace {

ExplainedGroup row(const std::string& name, std::uint32_t depth, Status status) {
    ExplainedGroup group;
    group.group = name;
    group.depth = depth;
    group.status = status;
    return group;
}

Blocker blocker(Blocker::Kind kind, const std::string& owner, std::int64_t count, std::int64_t amount,
                std::int64_t room) {
    Blocker made;
    made.kind = kind;
    made.owner = owner;
    made.count = count;
    made.amount = amount;
    made.room = room;
    return made;
}

// A root over a culprit and a sibling that would fit.
Explanation service() {
    Explanation explanation;
    auto root = row("default/chat", 0, Status::waits);
    root.is_leaf = false;
    root.blamed_group = "default/decode";
    auto decode = row("default/decode", 1, Status::culprit);
    decode.level = "example.com/rack";
    decode.minimum = decode.existing = decode.needed = 4;
    decode.at_once = 3;
    decode.sizes.push_back({{{"cpu", 500}, {"nvidia.com/gpu", 8}, {"pods", 1}}, 4, 3});
    auto& best = decode.domains.emplace_back();
    best.path = "b0/r1";
    best.room = 3;
    best.slots_when_empty = 4;
    best.missing = "nvidia.com/gpu";
    best.blockers = {blocker(Blocker::Kind::held, "default/other", 1, 8, 1),
                     blocker(Blocker::Kind::cordoned, {}, 2, 0, 1)};
    best.blockers[0].priority = 7;
    best.blockers[1].names = {{"h1", 0}};
    decode.domains_left_out = 1;
    decode.nodes_without_level = 5;
    decode.nodes_named = {"x0", "x1", "x2"};
    auto prefill = row("default/prefill", 1, Status::fits);
    prefill.domain = "b0/r0";
    explanation.groups = {root, decode, prefill};
    return explanation;
}

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto points =
            std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
        widest = std::max(widest, static_cast<std::size_t>(points));
    }
    return widest;
}

}  // namespace

TEST_CASE("the tree shows the culprit with its domains and blockers, and relatives point at it") {
    CHECK(draw_refusal(service(), Style{}) ==
          "  default/chat  waits for default/decode\n"
          "  ├─ default/decode  needs 4 members in one example.com/rack; only 3 fit\n"
          "  │  ├─ each 8 nvidia.com/gpu, 500m cpu\n"
          "  │  ├─ b0/r1  room for 3 of 4, 4 when empty; short of nvidia.com/gpu\n"
          "  │  │  ├─ held for default/other  1 pod with 8 nvidia.com/gpu, room for 1; priority 7\n"
          "  │  │  └─ 2 nodes cordoned  h1 and 1 more, room for 1\n"
          "  │  ├─ and 1 domain with no more room\n"
          "  │  └─ 5 nodes without example.com/rack  x0, x1, x2 and 2 more\n"
          "  └─ default/prefill  would fit, in b0/r0\n");
}

TEST_CASE("running pods are named with what they take, running gangs by their name alone") {
    auto explanation = service();
    auto pods = blocker(Blocker::Kind::running_pods, {}, 4, 16, 2);
    pods.names = {{"default/a", 8}, {"default/b", 4}, {"default/c", 2}};
    pods.priority = 1000;
    explanation.groups[1].domains[0].blockers = {blocker(Blocker::Kind::running_gang, "default/x", 2, 16, 2), pods,
                                                 blocker(Blocker::Kind::sibling, "default/prefill", 1, 8, 1)};
    explanation.groups[1].domains[0].blockers_left_out = 3;
    const auto text = draw_refusal(explanation, Style{});
    CHECK(text.find("├─ running default/x  2 pods with 16 nvidia.com/gpu, room for 2; priority 0\n") !=
          std::string::npos);
    CHECK(text.find("├─ running  4 pods with 16 nvidia.com/gpu, room for 2; priority 1000: default/a (8),\n") !=
          std::string::npos);
    CHECK(text.find("default/b (4), default/c (2) and 1 more\n") != std::string::npos);
    CHECK(text.find("├─ sibling default/prefill  1 pod with 8 nvidia.com/gpu, room for 1\n") != std::string::npos);
    CHECK(text.find("└─ and 3 more\n") != std::string::npos);
}

TEST_CASE("reserved room names its gang, and has an amount if one resource is short") {
    auto explanation = service();
    auto kept = blocker(Blocker::Kind::claimed, "default/large", 4, 32, 2);
    kept.priority = 3;
    auto other = blocker(Blocker::Kind::claimed, "default/wide", 1, 0, 1);
    explanation.groups[1].domains[0].blockers = {kept, other};
    const auto text = draw_refusal(explanation, Style{});
    CAPTURE(text);
    CHECK(text.find("├─ reserved for default/large  4 nodes with 32 nvidia.com/gpu free, room for 2; it has\n") !=
          std::string::npos);
    CHECK(text.find("└─ reserved for default/wide  1 node, room for 1; it has waited too long\n") != std::string::npos);
}

TEST_CASE("every status has its words") {
    Explanation explanation;
    auto crowded = row("g", 0, Status::is_crowded_out);
    crowded.needed = 1;
    auto split = row("g", 0, Status::culprit);
    split.level = "rack";
    split.split = "b0/r0 and b0/r1";
    auto nowhere = row("g", 0, Status::culprit);
    nowhere.needed = 2;
    nowhere.counting = 1;
    nowhere.level = "rack";
    auto groups = row("g", 0, Status::culprit);
    groups.is_leaf = false;
    groups.minimum = 3;
    groups.at_once = 2;
    auto few = row("g", 0, Status::incomplete);
    few.existing = 2;
    few.minimum = 3;
    auto stands = row("g", 0, Status::satisfied);
    stands.counting = stands.minimum = 2;
    auto orphaned = row("g", 0, Status::satisfied);
    orphaned.counting = 16;
    auto alike = row("g", 0, Status::fits);
    alike.alike = 4;
    explanation.groups = {crowded,
                          split,
                          nowhere,
                          groups,
                          few,
                          stands,
                          orphaned,
                          row("g", 0, Status::unproved),
                          row("g", 0, Status::not_tried),
                          alike};
    explanation.groups_left_out = 2;
    CHECK(draw_refusal(explanation, Style{}) ==
          "  g  needs 1 member; would fit alone, not beside its siblings\n"
          "  g  must stay in one rack, but runs in b0/r0 and b0/r1\n"
          "  g  needs 2 more members in one rack; no node that it may use is in any\n"
          "  g  needs 3 groups; only 2 at once\n"
          "  g  2 of 3 members\n"
          "  g  placed, 2 of 2\n"
          "  g  placed, 16\n"
          "  g  not known: the search ended at its budget\n"
          "  g  not tried\n"
          "  g (and 4 alike)  would fit\n"
          "  and 2 groups not shown\n");
    explanation.reason = model::Reason::incomplete;
    CHECK(draw_refusal(explanation, Style{}).find("  g  0 of 0 members\n") != std::string::npos);
}

TEST_CASE("Impossible says that it is so even in the empty cluster") {
    auto explanation = service();
    explanation.reason = model::Reason::impossible;
    const auto text = draw_refusal(explanation, Style{});
    CHECK(text.find("only 3 fit even when empty\n") != std::string::npos);
    CHECK(text.find("b0/r1  room for 3 of 4; short of nvidia.com/gpu\n") != std::string::npos);
}

TEST_CASE("a domain where pod affinity takes the room is short of no resource (D14)") {
    auto explanation = service();
    auto& domain = explanation.groups[1].domains[0];
    domain.missing = "kept apart by pod anti-affinity";
    domain.slots_when_empty = 3;
    domain.blockers.clear();
    CHECK(draw_refusal(explanation, Style{})
              .find("b0/r1  room for 3 of 4, no more when empty; kept apart by pod anti-affinity\n") !=
          std::string::npos);
    domain.room = 4;
    CHECK(draw_refusal(explanation, Style{}).find("b0/r1  room for all 4, but kept apart by pod anti-affinity\n") !=
          std::string::npos);
}

TEST_CASE("a domain shows whether pods, nodes or nothing blocks it") {
    auto explanation = service();
    auto& domain = explanation.groups[1].domains[0];
    const auto line_is = [&](const std::string& line) {
        const auto text = draw_refusal(explanation, Style{});
        CAPTURE(text);
        CHECK(text.find("b0/r1  " + line + "\n") != std::string::npos);
    };
    domain.slots_when_empty = 3;
    line_is("room for 3 of 4, no more when empty");
    domain.blockers.clear();
    line_is("room for 3 of 4, no more when empty; short of nvidia.com/gpu");
    domain.missing.clear();
    line_is("room for 3 of 4, no more when empty; no node there takes them");
    domain.room = 4;
    line_is("room for all 4, but not on nodes that fit them");
    explanation.groups[1].is_leaf = false;
    line_is("room for all 4, but not for whole groups");
}

TEST_CASE("mixed sizes have one line each") {
    auto explanation = service();
    explanation.groups[1].sizes.push_back({{{"memory", 3LL << 29}}, 2, 2});
    const auto text = draw_refusal(explanation, Style{});
    CHECK(text.find("├─ 4 of 8 nvidia.com/gpu, 500m cpu  room for 3 in the best\n") != std::string::npos);
    CHECK(text.find("├─ 2 of 1.5Gi memory  room for 2 in the best\n") != std::string::npos);
}

TEST_CASE("no line is wider than the page, however long names are, and none carries what a terminal would obey") {
    auto explanation = service();
    const std::string endless(250, 'n');
    for (auto& group : explanation.groups) {
        group.group = "default/" + endless;
        group.blamed_group = endless;
        group.level = endless + "/rack";
    }
    auto& domain = explanation.groups[1].domains[0];
    domain.path = endless + "\033[2J";
    domain.blockers[1].names = {{endless, 0}, {endless, 0}, {endless, 0}};
    domain.blockers[0].owner = endless;
    const auto text = draw_refusal(explanation, Style{});
    CHECK(widest_line(text) <= report::page_width);
    CHECK(text.find('\033') == std::string::npos);
}

TEST_CASE("colour marks the culprit, only where it is wanted") {
    CHECK(draw_refusal(service(), Style{}).find("\033[") == std::string::npos);
    CHECK(draw_refusal(service(), Style{true}).find("\033[31mdefault/decode\033[0m") != std::string::npos);
    CHECK(draw_refusal(service(), Style{true}).find("\033[32mdefault/prefill\033[0m") != std::string::npos);
}

TEST_CASE("amounts read as people write them in manifests") {
    CHECK(amount_text("cpu", 16'000) == "16 cpu");
    CHECK(amount_text("cpu", 1500) == "1500m cpu");
    CHECK(amount_text("memory", 64LL << 30) == "64Gi memory");
    CHECK(amount_text("memory", 1000) == "1000 memory");
    CHECK(amount_text("nvidia.com/gpu", 8) == "8 nvidia.com/gpu");
    CHECK(amounts_text({{"cpu", 1000}, {"memory", 1 << 20}, {"nvidia.com/gpu", 1}, {"pods", 1}}) ==
          "1 nvidia.com/gpu, 1 cpu, 1Mi memory");
    CHECK(clipped(std::string(100, 'a'), 11) == "aaaa...aaaa");
    CHECK(clipped("short") == "short");
}
