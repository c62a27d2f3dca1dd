// The plan as people read it: where in the topology each gang goes, or why it is refused.

#include "base/natural_order.hpp"
#include "base/split.hpp"
#include "report/name_ranges.hpp"
#include "report/refusal_tree.hpp"
#include "report/report.hpp"
#include "report/style.hpp"
#include "report/text_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::report {

namespace {

constexpr std::size_t most_lines = 40;  // Of one gang's nodes, and of the groups: a report is for one screen.

// One place of the topology with what is in it.
struct Branch {
    std::map<std::string, Branch, base::NaturalLess> below;
    std::vector<std::string> pods;
};

Branch grow(const GangReport& gang) {
    Branch root;
    for (const auto& seat : gang.seats) {
        auto* branch = &root;
        std::string_view rest = seat.path;
        while (!rest.empty()) {
            const auto slash = rest.find('/');
            branch = &branch->below[std::string(rest.substr(0, slash))];
            rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
        }
        branch->pods.emplace_back(base::split_at_slash(seat.pod).behind);
    }
    return root;
}

// The lines of the tree in front of a group, and how many columns they take.
std::pair<std::string, std::size_t> lead_of(const GangReport& gang, std::size_t row) {
    const auto depth_of = [&](std::size_t at) { return at < gang.depths.size() ? gang.depths[at] : 0U; };
    const auto depth = depth_of(row);
    std::string lead;
    for (std::uint32_t level = 1; level <= depth; ++level) {
        // Does a later sibling of the ancestor at this level follow?
        auto next = row + 1;
        while (next < gang.groups.size() && depth_of(next) > level)
            ++next;
        const bool goes_on = next < gang.groups.size() && depth_of(next) == level;
        if (level < depth) {
            lead += goes_on ? "│  " : "   ";
        } else {
            lead += goes_on ? "├─ " : "└─ ";
        }
    }
    return {lead, 3U * depth};
}

class Drawing {
public:
    explicit Drawing(Style style) : style_(style) {}

    void draw(const GangReport& gang, bool has_time) {
        head(gang, has_time);
        if (!gang.message.empty())
            out_ += wrapped(gang.message, "  ");
        if (gang.explanation && !gang.explanation->groups.empty()) {
            out_ += draw_refusal(*gang.explanation, style_);
        } else if (gang.groups.size() > 1) {
            groups(gang);
        }
        room_ = most_lines;
        hidden_ = 0;
        const auto root = grow(gang);
        branches(root, "  ");
        victims(gang);
        if (hidden_ > 0)
            out_ += style_.faint(fmt::format("  ... and {} more nodes\n", hidden_));
    }

    void foot(const PlanReport& report) {
        const auto placed = std::ranges::count_if(report.gangs, &GangReport::is_placed);
        const auto all = static_cast<std::ptrdiff_t>(report.gangs.size());
        const auto clearing = std::ranges::count_if(report.gangs, &GangReport::is_clearing);
        out_ += fmt::format("{} {}: {} placed, ", all, all == 1 ? "gang" : "gangs", placed);
        out_ += clearing > 0 ? fmt::format("{} clearing, ", clearing) : std::string();
        out_ += fmt::format("{} refused\n", all - placed - clearing);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void head(const GangReport& gang, bool has_time) {
        const auto name = style_.strong(clipped(gang.gang));
        const auto time = has_time ? style_.faint(fmt::format("  {:.1f} ms", gang.milliseconds)) : std::string();
        if (gang.is_clearing()) {
            out_ += fmt::format("{}  {}, {} {} once {} {} evicted{}\n", name, style_.bad("clearing"), gang.seats.size(),
                                gang.seats.size() == 1 ? "seat" : "seats", gang.victims.size(),
                                gang.victims.size() == 1 ? "pod is" : "pods are", time);
            return;
        }
        if (!gang.is_placed()) {
            const auto reason = style_.bad(fmt::format("refused: {}", model::to_string(*gang.reason)));
            out_ += fmt::format("{}  {}{}\n", name, reason, time);
            return;
        }
        const auto domain = gang.groups.empty() || gang.groups.front().domain.empty()
                                ? std::string()
                                : fmt::format(" in {}", clipped(gang.groups.front().domain));
        out_ += fmt::format("{}  {}, {} {}{}{}\n", name, style_.good(gang.phase.empty() ? "placed" : gang.phase),
                            gang.seats.size(), gang.seats.size() == 1 ? "seat" : "seats", domain, time);
    }

    // A line per group, with the lines of the tree in front, names and numbers aligned.
    void groups(const GangReport& gang) {
        const auto shown = std::min(gang.groups.size(), most_lines);
        std::vector<std::pair<std::string, std::size_t>> leads(shown);  // Each with its width.
        std::size_t widest = 0;
        std::size_t widest_count = 0;
        const auto count_of = [&](std::size_t row) {
            return fmt::format("{} of {}", gang.groups[row].placed, gang.groups[row].minimum);
        };
        for (std::size_t row = 0; row < shown; ++row) {
            leads[row] = lead_of(gang, row);
            widest = std::max(widest, leads[row].second + clipped(gang.groups[row].group).size());
            widest_count = std::max(widest_count, count_of(row).size());
        }
        for (std::size_t row = 0; row < shown; ++row) {
            const auto& group = gang.groups[row];
            const auto name = clipped(group.group);
            const auto pad = widest - leads[row].second - name.size();
            auto line = fmt::format("  {}{}{:{}}  {:{}}  {}", leads[row].first, name, "", pad, count_of(row),
                                    widest_count, clipped(group.domain));
            line.erase(line.find_last_not_of(' ') + 1);
            out_ += style_.faint(line) + "\n";
        }
        if (gang.groups.size() > shown)
            out_ += style_.faint(fmt::format("  ... and {} more groups", gang.groups.size() - shown)) + "\n";
    }

    void branches(const Branch& parent, const std::string& indent) {
        std::size_t left = parent.below.size();
        for (const auto& [name, branch] : parent.below) {
            const bool is_last = --left == 0;
            if (room_ == 0) {
                hidden_ += hosts_in(branch);
                continue;
            }
            --room_;
            out_ += fmt::format("{}{} {}", indent, is_last ? "└─" : "├─", name);
            if (!branch.pods.empty())
                out_ += fmt::format(": {}", style_.good(name_ranges(branch.pods)));
            out_.push_back('\n');
            branches(branch, indent + (is_last ? "   " : "│  "));
        }
    }

    // A line for each gang that loses pods, and one for the pods of none.
    void victims(const GangReport& gang) {
        std::map<std::string, std::vector<std::string>> by_gang;
        for (const auto& victim : gang.victims)
            by_gang[victim.gang].emplace_back(base::split_at_slash(victim.pod).behind);
        for (const auto& [name, pods] : by_gang) {
            out_ += fmt::format("  evicts {}{}\n", name.empty() ? "" : fmt::format("of {}: ", clipped(name)),
                                style_.bad(name_ranges(pods)));
        }
    }

    static std::size_t hosts_in(const Branch& branch) {
        std::size_t hosts = branch.pods.empty() ? 0 : 1;
        for (const auto& [name, below] : branch.below) {
            hosts += hosts_in(below);
        }
        return hosts;
    }

    Style style_;
    std::string out_;
    std::size_t room_ = 0;
    std::size_t hidden_ = 0;
};

}  // namespace

std::vector<std::uint32_t> depths_of(const model::Gang& gang) {
    std::vector<std::uint32_t> depths;
    depths.reserve(gang.groups.size());
    for (const auto& group : gang.groups) {
        depths.push_back(group.parent == model::nowhere ? 0 : depths[group.parent] + 1);
    }
    return depths;
}

std::string gang_tree(const GangReport& gang, bool has_colour) {
    Drawing drawing(Style{has_colour});
    drawing.draw(gang, false);
    return drawing.take();
}

std::string to_tree(const PlanReport& report, bool has_colour) {
    Drawing drawing(Style{has_colour});
    for (const auto& gang : report.gangs) {
        drawing.draw(gang, true);
    }
    drawing.foot(report);
    return drawing.take();
}

}  // namespace echelon::report
