// The plan as people read it: where in the topology each gang goes, and why the others don't.

#include "cli/abridged.hpp"
#include "cli/report.hpp"
#include "model/natural_order.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr std::size_t most_lines = 40;  // Of one gang's nodes, and of its groups: a report is for one screen.

struct Ink {
    bool has_colour = false;

    [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const {
        return has_colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
    }
    [[nodiscard]] std::string good(std::string_view text) const { return paint("32", text); }
    [[nodiscard]] std::string bad(std::string_view text) const { return paint("31", text); }
    [[nodiscard]] std::string strong(std::string_view text) const { return paint("1", text); }
    [[nodiscard]] std::string faint(std::string_view text) const { return paint("2", text); }
};

// One place of the topology with what is in it.
struct Branch {
    std::map<std::string, Branch, model::NaturalLess> below;
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
        branch->pods.push_back(seat.pod.substr(seat.pod.find('/') + 1));
    }
    return root;
}

class Drawing {
public:
    explicit Drawing(Ink ink) : ink_(ink) {}

    void draw(const GangReport& gang) {
        head(gang);
        if (!gang.message.empty())
            out_ += fmt::format("  {}\n", gang.message);
        if (gang.groups.size() > 1)
            groups(gang);
        room_ = most_lines;
        hidden_ = 0;
        const auto root = grow(gang);
        branches(root, "  ");
        if (hidden_ > 0)
            out_ += ink_.faint(fmt::format("  ... and {} more nodes\n", hidden_));
    }

    void foot(const PlanReport& report) {
        const auto placed = std::ranges::count_if(report.gangs, &GangReport::is_placed);
        const auto all = static_cast<std::ptrdiff_t>(report.gangs.size());
        out_ += fmt::format("{} {}: {} placed, {} refused\n", all, all == 1 ? "gang" : "gangs", placed, all - placed);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void head(const GangReport& gang) {
        const auto name = ink_.strong(gang.gang);
        const auto time = ink_.faint(fmt::format("{:.1f} ms", gang.milliseconds));
        if (!gang.is_placed()) {
            const auto reason = ink_.bad(fmt::format("refused: {}", model::to_string(*gang.reason)));
            out_ += fmt::format("{}  {}  {}\n", name, reason, time);
            return;
        }
        const auto domain = gang.groups.empty() || gang.groups.front().domain.empty()
                                ? std::string()
                                : fmt::format(" in {}", gang.groups.front().domain);
        out_ += fmt::format("{}  {}, {} {}{}  {}\n", name, ink_.good("placed"), gang.seats.size(),
                            gang.seats.size() == 1 ? "seat" : "seats", domain, time);
    }

    void groups(const GangReport& gang) {
        std::size_t lines = 0;
        for (const auto& group : gang.groups) {
            if (++lines > most_lines)
                break;
            const auto domain = group.domain.empty() ? std::string() : fmt::format(" in {}", group.domain);
            out_ += ink_.faint(fmt::format("  {}: {} of {}{}\n", group.group, group.placed, group.minimum, domain));
        }
        if (gang.groups.size() > most_lines)
            out_ += ink_.faint(fmt::format("  ... and {} more groups\n", gang.groups.size() - most_lines));
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
                out_ += fmt::format(": {}", ink_.good(abridged(branch.pods)));
            out_.push_back('\n');
            branches(branch, indent + (is_last ? "   " : "│  "));
        }
    }

    static std::size_t hosts_in(const Branch& branch) {
        std::size_t hosts = branch.pods.empty() ? 0 : 1;
        for (const auto& [name, below] : branch.below) {
            hosts += hosts_in(below);
        }
        return hosts;
    }

    Ink ink_;
    std::string out_;
    std::size_t room_ = 0;
    std::size_t hidden_ = 0;
};

}  // namespace

std::string to_tree(const PlanReport& report, bool has_colour) {
    Drawing drawing(Ink{has_colour});
    for (const auto& gang : report.gangs) {
        drawing.draw(gang);
    }
    drawing.foot(report);
    return drawing.take();
}

}  // namespace echelon::cli
