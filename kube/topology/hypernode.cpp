#include "kube/topology/hypernode.hpp"

#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

namespace echelon::kube {

namespace {

using model::DomainMember;
using model::Requirement;

constexpr std::int64_t highest_tier = INT32_MAX;
// A pattern matches at least 4,096 names per millisecond if the states of RE2's DFA fit into its memory. Measured with
// 4,096 names of 45 bytes and patterns that need many states. With 256 KiB, programs of up to 333 instructions matched
// at least 5,800 names per millisecond; one of 807 matched 95, one of 845 matched 12. With 128 KiB one of 327 matched
// 170.
constexpr std::int64_t pattern_memory = 256 << 10;
constexpr int most_instructions = 384;
constexpr Bound pattern_bound{4096, "bytes that a pattern may have"};

// A pattern compiled once; RE2 matches in linear time, whatever the pattern, and may be used from any thread.
std::shared_ptr<const RE2> compiled(const std::string& pattern) {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(pattern_memory);
    return std::make_shared<const RE2>(pattern, options);
}

std::function<bool(std::string_view)> matching(std::shared_ptr<const RE2> pattern) {
    return [pattern = std::move(pattern)](std::string_view name) {
        return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *pattern);
    };
}

void read_pattern(const Field& selector, DomainMember& member) {
    const Field match = selector.at("regexMatch");
    member.pattern.text = match.text("pattern", pattern_bound);
    if (member.pattern.text.empty()) {
        member.problem = fmt::format("{}.pattern is missing", match.path());
        return;
    }
    const std::shared_ptr<const RE2> pattern = compiled(member.pattern.text);
    if (!pattern->ok()) {
        member.problem = fmt::format("{}.pattern {} isn't an RE2 pattern: {}", match.path(), shown(member.pattern.text),
                                     shown(pattern->error()));
        return;
    }
    if (pattern->ProgramSize() > most_instructions) {
        match.excessive("pattern",
                        fmt::format("compiles to {} instructions, more than the {} with which 4096 names are "
                                    "matched in a millisecond",
                                    pattern->ProgramSize(), most_instructions));
        return;
    }
    member.pattern.matches = matching(pattern);
}

std::string read_requirement(const Field& expression, Requirement& requirement) {
    using Operator = Requirement::Operator;
    static constexpr std::array operators = {std::pair{"In", Operator::in}, std::pair{"NotIn", Operator::not_in},
                                             std::pair{"Exists", Operator::exists},
                                             std::pair{"DoesNotExist", Operator::does_not_exist}};
    requirement.key = expression.required_text("key");
    const std::string op = expression.required_text("operator");
    for (const Field& value : expression.at("values").items())
        requirement.values.push_back(value.text());
    std::ranges::sort(requirement.values);
    const auto known = std::ranges::find_if(operators, [&](const auto& each) { return op == each.first; });
    if (known == operators.end())
        return fmt::format("{}.operator {} isn't In, NotIn, Exists or DoesNotExist", expression.path(), shown(op));
    requirement.op = known->second;
    const bool wants_values = requirement.op == Operator::in || requirement.op == Operator::not_in;
    if (wants_values == requirement.values.empty()) {
        return fmt::format("{}.values {} with operator {}", expression.path(),
                           wants_values ? "may not be empty" : "must be empty", op);
    }
    return {};
}

void read_labels(const Field& selector, DomainMember& member) {
    const Field match = selector.at("labelMatch");
    for (const auto& [key, value] : match.at("matchLabels").texts())
        member.labels.labels.push_back({.key = key, .op = Requirement::Operator::in, .values = {value}});
    for (const Field& expression : match.at("matchExpressions").items()) {
        Requirement& requirement = member.labels.labels.emplace_back();
        if (std::string problem = read_requirement(expression, requirement); member.problem.empty())
            member.problem = std::move(problem);
    }
    if (member.labels.labels.empty())
        member.problem = fmt::format("{} is empty and matches nothing", match.path());
}

DomainMember read_member(const Field& entry) {
    DomainMember member;
    const std::string type = entry.required_text("type");
    if (type == hypernode_kind) {
        member.kind = DomainMember::Kind::domain;
    } else if (!type.empty() && type != "Node") {
        entry.wrong("type", fmt::format("must be Node or HyperNode, not {}", shown(type)));
    }
    const Field selector = entry.at("selector");
    const auto is_given = [&](std::string_view key) { return selector.has(key); };
    const std::array<std::string_view, 3> ways = {"exactMatch", "regexMatch", "labelMatch"};
    if (const auto given = std::ranges::count_if(ways, is_given); given != 1) {
        member.problem = fmt::format("{} must have exactly one of exactMatch, regexMatch and labelMatch, not {}",
                                     selector.path(), given);
        return member;
    }
    if (is_given("exactMatch")) {
        member.name = selector.at("exactMatch").text("name");
        if (member.name.empty())
            member.problem = fmt::format("{}.exactMatch.name is missing", selector.path());
    } else if (member.kind == DomainMember::Kind::domain) {
        member.problem = fmt::format("{}: a HyperNode is chosen by exactMatch alone", selector.path());
    } else if (is_given("regexMatch")) {
        read_pattern(selector, member);
    } else {
        read_labels(selector, member);
    }
    return member;
}

}  // namespace

model::NamePattern name_pattern(const std::string& text) {
    model::NamePattern pattern{text, {}};
    if (auto known = compiled(text); !text.empty() && known->ok())
        pattern.matches = matching(std::move(known));
    return pattern;
}

model::DeclaredDomain read_hypernode(const Field& object, const Metadata& metadata) {
    model::DeclaredDomain domain;
    domain.name = metadata.name;
    domain.api_kind = fmt::format("{}.{}", hypernode_kind, hypernode_group);
    const Field spec = object.at("spec");
    if (const auto tier = spec.integer("tier", 0, highest_tier)) {
        domain.tier = *tier;
    } else {
        spec.fault().note_missing("spec.tier");
    }
    domain.tier_name = spec.text("tierName");
    const std::int64_t most_patterns = static_cast<std::int64_t>(object.limits().pattern_bytes) / pattern_memory;
    std::int64_t patterns = 0;
    for (const Field& member : spec.at("members").items(node_bound(object.limits()))) {
        if (member.at("selector").has("regexMatch") && ++patterns > most_patterns) {
            member.excessive(
                fmt::format("with its pattern those of this object may take more than the {} bytes that "
                            "they may take together (limits.patternBytes)",
                            object.limits().pattern_bytes));
            break;
        }
        domain.members.push_back(read_member(member));
    }
    return domain;
}

}  // namespace echelon::kube
