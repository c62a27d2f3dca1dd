#include "cli/simulation_report.hpp"

#include "report/json_text.hpp"
#include "report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::cli {

namespace {

using Json = nlohmann::ordered_json;  // Keys in the order of the contract.
using simulate::DomainFigures;
using simulate::WaitFigures;

Json optional_number(std::optional<double> number) {
    return number ? Json(*number) : Json(nullptr);
}

Json wait_json(const std::optional<WaitFigures>& wait) {
    const auto figure = [&](double WaitFigures::* which) { return wait ? Json((*wait).*which) : Json(nullptr); };
    return {{"mean", figure(&WaitFigures::mean)},
            {"p50", figure(&WaitFigures::p50)},
            {"p90", figure(&WaitFigures::p90)},
            {"p99", figure(&WaitFigures::p99)},
            {"max", figure(&WaitFigures::max)}};
}

Json allocated_json(const simulate::Report& report) {
    Json rows = Json::object();
    for (const auto& [resource, figures] : report.allocated) {
        rows[resource] = {{"mean", figures.mean},
                          {"whileGangsWait", optional_number(figures.while_gangs_wait)},
                          {"last", figures.last}};
    }
    return rows;
}

Json levels_json(const std::vector<std::pair<std::string, DomainFigures>>& levels) {
    Json rows = Json::object();
    for (const auto& [key, figures] : levels)
        rows[key] = {{"mean", figures.mean}, {"last", figures.last}};
    return rows;
}

Json by_pods_json(const simulate::Report& report) {
    Json rows = Json::object();
    for (const auto& [size, wait] : report.by_pods)
        rows[size] = wait_json(wait);
    return rows;
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

// "1 d 02:03:04", "02:03:04" or "4.5 s".
std::string duration(double seconds) {
    if (seconds < 60)
        return fmt::format("{:.4g} s", seconds);
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    const auto clock = fmt::format("{:02}:{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60, whole % 60);
    return whole < 86'400 ? clock : fmt::format("{} d {}", whole / 86'400, clock);
}

// One character for each mean, in eighths of the height.
std::string drawn(std::span<const double> shares) {
    constexpr std::array<std::string_view, 9> bars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string line;
    for (const auto share : shares) {
        const auto height = static_cast<std::size_t>(std::lround(8 * std::clamp(share, 0.0, 1.0)));
        line += bars.at(height == 0 && share > 0 ? 1 : height);
    }
    return line;
}

std::string counts_text(const simulate::Report& report) {
    std::uint64_t refused = 0;
    std::string reasons;
    for (const auto& [reason, count] : report.refused) {
        refused += count;
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
    }
    return fmt::format("jobs: {} arrived, {} placed, {} finished, {} waiting, {} refused{} in {}\n", report.arrived,
                       report.placed, report.finished, report.waiting, refused,
                       reasons.empty() ? "" : " (" + reasons + ")", duration(report.end));
}

std::string allocated_text(const simulate::Report& report) {
    report::Table table({"ALLOCATED", "MEAN", "WHILE GANGS WAIT", "LAST", "OVER TIME"});
    for (const auto& [resource, figures] : report.allocated) {
        const bool is_used = figures.mean > 0 || figures.last > 0;
        if (!is_used || resource == "pods")
            continue;  // Only the JSON has this resource.
        table.add({{resource},
                   {percent(figures.mean)},
                   {figures.while_gangs_wait ? percent(*figures.while_gangs_wait) : "-"},
                   {percent(figures.last)},
                   {"|" + drawn(figures.over_time) + "|"}});
    }
    return table.text(false);
}

std::string waits_text(const simulate::Report& report) {
    report::Table table({"WAIT", "MEAN", "P50", "P90", "P99", "MAX"});
    const auto add = [&](const std::string& name, const std::optional<WaitFigures>& wait) {
        if (!wait)
            return;
        table.add({{name},
                   {duration(wait->mean)},
                   {duration(wait->p50)},
                   {duration(wait->p90)},
                   {duration(wait->p99)},
                   {duration(wait->max)}});
    };
    add("all", report.wait);
    for (const auto& [size, wait] : report.by_pods)
        add(fmt::format("{} pod{}", size, size == "1" ? "" : "s"), wait);
    return table.text(false);
}

std::string levels_text(const simulate::Report& report) {
    report::Table table({"LEVEL", "WHOLE DOMAINS", "LAST", "LARGEST GANG", "LAST"});
    for (std::size_t i = 0; i < report.whole_domains.size(); ++i) {
        const auto& [key, whole] = report.whole_domains[i];
        const auto& largest = report.largest_gang[i].second;
        table.add({{key},
                   {fmt::format("{:.1f}", whole.mean)},
                   {fmt::format("{}", whole.last)},
                   {fmt::format("{:.1f}", largest.mean)},
                   {fmt::format("{}", largest.last)}});
    }
    return table.text(false);
}

}  // namespace

std::string to_json(const simulate::Report& report, double milliseconds) {
    Json refused = Json::object();
    for (const auto& [reason, count] : report.refused)
        refused[reason] = count;
    const Json document = {{"apiVersion", "echelon.sh/v1alpha1"},
                           {"kind", "SimulationReport"},
                           {"arrived", report.arrived},
                           {"placed", report.placed},
                           {"finished", report.finished},
                           {"waiting", report.waiting},
                           {"refused", std::move(refused)},
                           {"end", report.end},
                           {"allocated", allocated_json(report)},
                           {"blocked", report.blocked},
                           {"wait", {{"all", wait_json(report.wait)}, {"byPods", by_pods_json(report)}}},
                           {"wholeDomains", levels_json(report.whole_domains)},
                           {"largestGang", levels_json(report.largest_gang)},
                           {"evicted", report.evicted},
                           {"decisions", report.decisions},
                           {"milliseconds", std::round(milliseconds * 1000.0) / 1000.0}};
    return report::json_text(document);
}

std::string to_text(const simulate::Report& report, double milliseconds) {
    return counts_text(report) + "\n" + allocated_text(report) + "\n" +
           fmt::format("a gang waits although enough seats are free: {} of the time\n\n", percent(report.blocked)) +
           waits_text(report) + "\n" + levels_text(report) + "\n" +
           fmt::format("{} evicted; {} decisions in {:.0f} ms\n", report.evicted, report.decisions, milliseconds);
}

namespace {

std::string_view word(simulate::PodEvent::Kind kind) {
    using Kind = simulate::PodEvent::Kind;
    switch (kind) {
        case Kind::start:
            return "start";
        case Kind::end:
            return "end";
        case Kind::refused:
            return "refused";
    }
    return "";
}

// In quotes where CSV needs them.
std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

}  // namespace

void append_line(std::string& text, const simulate::PodEvent& event) {
    const auto pod = fmt::format("{}-{}", event.job, event.pod);
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", event.time, word(event.kind), csv_field(event.job),
                   csv_field(pod), event.node, fmt::join(event.devices, "|"));
}

}  // namespace echelon::cli
