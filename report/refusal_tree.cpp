#include "report/refusal_tree.hpp"

#include "base/counted.hpp"
#include "report/text_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::report {

namespace {

using base::counted;
using model::Blocker;
using model::ExplainedDomain;
using model::ExplainedGroup;
using model::Explanation;
using Status = ExplainedGroup::Status;

bool is_bytes(std::string_view resource) {
    return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

std::string bytes_text(std::int64_t bytes) {
    static constexpr std::array<std::pair<std::string_view, int>, 5> units{
        {{"Pi", 50}, {"Ti", 40}, {"Gi", 30}, {"Mi", 20}, {"Ki", 10}}};
    for (const auto& [unit, shift] : units) {
        const auto size = std::int64_t{1} << shift;
        if (bytes < size)
            continue;
        const bool is_whole = bytes % size == 0;
        const auto tenths = std::round(10.0 * static_cast<double>(bytes) / static_cast<double>(size)) / 10.0;
        return is_whole ? fmt::format("{}{}", bytes / size, unit) : fmt::format("{:.1f}{}", tenths, unit);
    }
    return fmt::format("{}", bytes);
}

std::string level_text(const ExplainedGroup& group) {
    return group.level.empty() ? std::string() : fmt::format(" in one {}", clipped(group.level));
}

std::string wanted_text(const ExplainedGroup& group) {
    if (!group.is_leaf)
        return fmt::format("needs {}{}", counted(group.minimum, "group"), level_text(group));
    const auto more = group.counting > 0 ? " more" : "";
    return fmt::format("needs {}{} member{}{}", group.needed, more, group.needed == 1 ? "" : "s", level_text(group));
}

std::string culprit_text(const ExplainedGroup& group, model::Reason reason) {
    if (!group.split.empty()) {
        return fmt::format("must stay in one {}, but runs in {}", clipped(group.level),
                           clipped(group.split, 2 * longest_name));
    }
    const std::string when = reason == model::Reason::impossible ? " even when empty" : "";
    if (group.domains.empty() && !group.level.empty())
        return wanted_text(group) + "; no node that it may use is in any";
    const auto fit = group.is_leaf ? std::max<std::int64_t>(0, group.at_once - group.counting) : group.at_once;
    if (group.is_at_least) {
        return fmt::format("{}; {}{}, the search for more ended at its budget", wanted_text(group),
                           fit == 0 ? "none was found to fit" : fmt::format("at least {} at once", fit), when);
    }
    const auto how_many =
        group.is_leaf ? fmt::format("only {} {}", fit, fit == 1 ? "fits" : "fit") : fmt::format("only {} at once", fit);
    return fmt::format("{}; {}{}", wanted_text(group), fit == 0 ? "none fits" : how_many, when);
}

std::string status_text(const ExplainedGroup& group, model::Reason reason) {
    switch (group.status) {
        case Status::culprit:
            return culprit_text(group, reason);
        case Status::is_crowded_out:
            return wanted_text(group) + "; would fit alone, not beside its siblings";
        case Status::waits:
            return fmt::format("waits for {}", clipped(group.blamed_group));
        case Status::fits:
            return group.domain.empty() ? "would fit" : fmt::format("would fit, in {}", clipped(group.domain));
        case Status::satisfied:
            if (group.is_leaf && group.minimum == 0)  // Its group is gone, or states none.
                return fmt::format("placed, {}", group.counting);
            return group.is_leaf ? fmt::format("placed, {} of {}", group.counting, group.minimum) : "placed";
        case Status::incomplete:
        case Status::not_tried:
            break;
        case Status::unproved:
            return "not known: the search ended at its budget";
    }
    if (group.status == Status::not_tried && reason != model::Reason::incomplete)
        return "not tried";
    return fmt::format("{} of {}", group.existing, counted(group.minimum, group.is_leaf ? "member" : "group"));
}

TreeLine::Tone tone_of(Status status) {
    switch (status) {
        case Status::culprit:
        case Status::incomplete:
            return TreeLine::Tone::bad;
        case Status::is_crowded_out:
        case Status::unproved:
            return TreeLine::Tone::warm;
        case Status::fits:
        case Status::satisfied:
            return TreeLine::Tone::good;
        case Status::waits:
        case Status::not_tried:
            return TreeLine::Tone::plain;
    }
    return TreeLine::Tone::plain;
}

// "room for 3", when it frees any.
std::string room_text(const Blocker& blocker) {
    return blocker.room > 0 ? fmt::format(", room for {}", blocker.room) : std::string();
}

std::string taken_text(const Blocker& blocker, const std::string& resource) {
    const auto pods = counted(blocker.count, "pod");
    return blocker.amount > 0 ? fmt::format("{} with {}", pods, amount_text(resource, blocker.amount)) : pods;
}

std::string names_text(const Blocker& blocker, const std::string& resource = {}) {
    std::string text;
    for (const auto& [name, amount] : blocker.names) {
        text += (text.empty() ? "" : ", ") + clipped(name);
        if (amount > 0 && blocker.count > 1 && !blocker.is_about_nodes()) {
            const auto shown = amount_text(resource, amount);
            text += fmt::format(" ({})", shown.substr(0, shown.find(' ')));
        }
    }
    const auto more = blocker.count - std::ssize(blocker.names);
    return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

std::string node_cause(Blocker::Kind kind) {
    switch (kind) {
        case Blocker::Kind::cordoned:
            return "cordoned";
        case Blocker::Kind::not_ready:
            return "not ready";
        case Blocker::Kind::leaving:
            return "being deleted";
        case Blocker::Kind::tainted:
            return "with taints that its pods don't tolerate";
        case Blocker::Kind::outside_selector:
            return "not matched by selector or affinity";
        case Blocker::Kind::barred:
            return "excluded by pod affinity or an anchor";
        case Blocker::Kind::rejected:
            return "refused by kube-scheduler's own filters";
        case Blocker::Kind::held:
        case Blocker::Kind::running_gang:
        case Blocker::Kind::running_pods:
        case Blocker::Kind::sibling:
        case Blocker::Kind::claimed:
            break;
    }
    return {};
}

TreeLine line_of(const Blocker& blocker, const std::string& resource) {
    if (blocker.is_about_nodes()) {
        return {.head = fmt::format("{} {}", counted(blocker.count, "node"), node_cause(blocker.kind)),
                .text = fmt::format("{}{}", names_text(blocker), room_text(blocker)),
                .tone = TreeLine::Tone::plain,
                .below = {}};
    }
    const auto taken = taken_text(blocker, resource) + room_text(blocker);
    const auto priority = fmt::format("; priority {}", blocker.priority);
    TreeLine line;
    switch (blocker.kind) {
        case Blocker::Kind::sibling:
            return {.head = fmt::format("sibling {}", clipped(blocker.owner)), .text = taken, .tone = {}, .below = {}};
        case Blocker::Kind::claimed:
            line.head = fmt::format("reserved for {}", clipped(blocker.owner));
            line.text =
                fmt::format("{}{}{}; it has waited too long", counted(blocker.count, "node"),
                            blocker.amount > 0 ? fmt::format(" with {} free", amount_text(resource, blocker.amount))
                                               : std::string(),
                            room_text(blocker));
            return line;
        case Blocker::Kind::held:
            line.head = blocker.owner.empty() ? "being bound" : fmt::format("held for {}", clipped(blocker.owner));
            break;
        case Blocker::Kind::running_gang:
            line.head = fmt::format("running {}", clipped(blocker.owner));
            break;
        case Blocker::Kind::running_pods:
        case Blocker::Kind::cordoned:
        case Blocker::Kind::not_ready:
        case Blocker::Kind::leaving:
        case Blocker::Kind::tainted:
        case Blocker::Kind::outside_selector:
        case Blocker::Kind::barred:
        case Blocker::Kind::rejected:
            line.head = "running";
            break;
    }
    line.text = taken + priority;
    if (blocker.kind == Blocker::Kind::running_pods || blocker.owner.empty())
        line.text += fmt::format(": {}", names_text(blocker, resource));
    return line;
}

// The words for what pod affinity takes begin with "kept", as in "kept apart by pod anti-affinity". No resource does.
bool is_about_affinity(const std::string& missing) {
    return missing.starts_with("kept ");
}

// Why a domain with room by count takes too few.
std::string misfit_text(const ExplainedDomain& domain, const ExplainedGroup& group) {
    if (is_about_affinity(domain.missing))
        return clipped(domain.missing);
    return group.is_leaf ? "not on nodes that fit them" : "not for whole groups";
}

TreeLine line_of(const ExplainedDomain& domain, const ExplainedGroup& group, model::Reason reason) {
    TreeLine line;
    line.head = domain.path.empty() ? "the cluster" : clipped(domain.path);
    line.text = fmt::format("room for {} of {}", domain.room, group.needed);
    const bool is_crowded = domain.slots_when_empty > domain.room;
    if (reason != model::Reason::impossible)
        line.text += is_crowded ? fmt::format(", {} when empty", domain.slots_when_empty) : ", no more when empty";
    if (domain.room >= group.needed) {
        line.text = fmt::format("room for all {}, but {}", group.needed, misfit_text(domain, group));
    } else if (domain.missing.empty()) {
        line.text += "; no node there takes them";
    } else if (is_crowded || domain.blockers.empty()) {
        line.text += is_about_affinity(domain.missing) ? "; " : "; short of ";
        line.text += clipped(domain.missing);
    }
    for (const auto& blocker : domain.blockers)
        line.below.push_back(line_of(blocker, domain.missing));
    if (domain.blockers_left_out > 0) {
        TreeLine rest;
        rest.head = fmt::format("and {} more", domain.blockers_left_out);
        rest.tone = TreeLine::Tone::faint;
        line.below.push_back(std::move(rest));
    }
    return line;
}

void add_sizes(const ExplainedGroup& group, std::vector<TreeLine>& below) {
    for (const auto& size : group.sizes) {
        const auto requests = amounts_text(size.requests);
        TreeLine line;
        line.tone = TreeLine::Tone::faint;
        if (group.sizes.size() == 1) {
            line.head = fmt::format("each {}", requests.empty() ? "asks for nothing" : requests);
        } else {
            line.head = fmt::format("{} of {}", size.needed, requests.empty() ? "no size" : requests);
            line.text = fmt::format("room for {} in the best", size.room);
        }
        below.push_back(std::move(line));
    }
}

void add_leftovers(const ExplainedGroup& group, std::vector<TreeLine>& below) {
    if (group.domains_left_out > 0) {
        TreeLine line;
        line.head = fmt::format("and {} with no more room", counted(group.domains_left_out, "domain"));
        line.tone = TreeLine::Tone::faint;
        below.push_back(std::move(line));
    }
    if (group.nodes_without_level > 0) {
        TreeLine line;
        line.head = fmt::format("{} without {}", counted(group.nodes_without_level, "node"), clipped(group.level));
        for (const auto& name : group.nodes_named)
            line.text += (line.text.empty() ? "" : ", ") + clipped(name);
        const auto more = group.nodes_without_level - group.nodes_named.size();
        line.text += more > 0 ? fmt::format(" and {} more", more) : "";
        below.push_back(std::move(line));
    }
}

TreeLine line_of(const ExplainedGroup& group, model::Reason reason) {
    TreeLine line;
    line.head = clipped(group.group);
    if (group.alike > 0)
        line.head += fmt::format(" (and {} alike)", group.alike);
    line.text = status_text(group, reason);
    line.tone = tone_of(group.status);
    add_sizes(group, line.below);
    for (const auto& domain : group.domains)
        line.below.push_back(line_of(domain, group, reason));
    add_leftovers(group, line.below);
    return line;
}

// The row at `at` with every deeper row behind it; `at` moves past them.
TreeLine grow(const Explanation& explanation, std::size_t& at) {
    const auto& group = explanation.groups[at++];
    TreeLine line = line_of(group, explanation.reason);
    while (at < explanation.groups.size() && explanation.groups[at].depth > group.depth)
        line.below.push_back(grow(explanation, at));
    return line;
}

constexpr std::size_t most_listed = 6;

std::string shortened_list(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i)
        text += (i == 0 ? "" : ", ") + clipped(names[i], 2 * longest_name);
    return names.size() > most_listed ? fmt::format("{} and {} more", text, names.size() - most_listed) : text;
}

// Extended resources come first: gangs mostly lack those.
int order_of(std::string_view resource) {
    if (resource.find('/') != std::string_view::npos)
        return 0;
    return resource == "cpu" ? 1 : 2;
}

}  // namespace

std::string amount_text(std::string_view resource, std::int64_t amount) {
    if (resource == "cpu")
        return amount % 1000 == 0 ? fmt::format("{} cpu", amount / 1000) : fmt::format("{}m cpu", amount);
    return fmt::format("{} {}", is_bytes(resource) ? bytes_text(amount) : fmt::format("{}", amount), clipped(resource));
}

std::string amounts_text(const model::Amounts& amounts) {
    auto entries = amounts.entries();
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return order_of(entry.first); });
    std::string text;
    for (const auto& [name, amount] : entries) {
        if (name != "pods" && amount > 0)
            text += (text.empty() ? "" : ", ") + amount_text(name, amount);
    }
    return text;
}

std::string draw_refusal(const Explanation& explanation, Style style) {
    std::string out;
    for (std::size_t at = 0; at < explanation.groups.size();)
        out += draw(grow(explanation, at), style, "  ");
    if (!explanation.without.empty())
        out += fmt::format("  would fit without: {}\n", shortened_list(explanation.without));
    if (explanation.groups_left_out > 0)
        out += style.faint(fmt::format("  and {} not shown", counted(explanation.groups_left_out, "group"))) + "\n";
    return out;
}

}  // namespace echelon::report
