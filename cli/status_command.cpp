#include "cli/status_command.hpp"

#include "cli/cluster_reader.hpp"
#include "cli/terminal.hpp"
#include "report/status_report.hpp"
#include "report/topology_report.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr auto between_looks = std::chrono::seconds(2);
constexpr std::string_view clear_screen = "\033[H\033[2J";

std::string_view name_of(StatusView at) {
    switch (at) {
        case StatusView::status:
            return "status";
        case StatusView::holds:
            return "holds";
        case StatusView::topology:
            return "topology";
    }
    return "";
}

std::string_view path_of(StatusView at) {
    switch (at) {
        case StatusView::status:
            return "/debug/status";
        case StatusView::holds:
            return "/debug/holds";
        case StatusView::topology:
            return "/debug/topology";
    }
    return "";
}

base::Result<std::string> look_at_cluster(const StatusArguments& arguments, bool has_colour) {
    auto seen = list_cluster(arguments.kubeconfig, arguments.config_file);
    if (!seen)
        return std::unexpected(seen.error());
    if (arguments.at == StatusView::topology) {
        auto report = report::describe_topology(seen->cluster);
        report::add_unreadable(report, seen->unreadable);
        return arguments.is_json ? report::to_json(report) : report::to_tree(report);
    }
    if (arguments.at == StatusView::holds) {
        const auto seats = report::seats_in(seen->plans);
        return arguments.is_json ? report::holds_json(seats) : report::holds_text(seats, has_colour);
    }
    const report::Status status{
        .headline = {}, .plans = std::move(seen->plans), .unreadable = std::move(seen->unreadable)};
    return arguments.is_json ? report::status_json(status) : report::status_text(status, has_colour);
}

}  // namespace

base::Result<std::string> query_status(const StatusArguments& arguments, bool has_colour) {
    if (!arguments.kubeconfig.empty())
        return look_at_cluster(arguments, has_colour);
    const auto target = fmt::format("{}{}", path_of(arguments.at), has_colour ? "?colour=1" : "");
    return query_admin_port(arguments.server, target, arguments.is_json ? "application/json" : "text/plain");
}

int show_status(const StatusArguments& arguments) {
    const bool has_colour = !arguments.is_json && wants_colour();
    for (;;) {
        const auto text = query_status(arguments, has_colour);
        if (!text) {
            fmt::print(stderr, "echelon {}: {}\n", name_of(arguments.at), text.error().sentence);
            return 1;
        }
        const bool is_screen = arguments.is_watched && has_colour;
        if (!write_out((is_screen ? std::string(clear_screen) : std::string()) + *text)) {
            fmt::print(stderr, "echelon {}: the answer can't be written to standard output\n", name_of(arguments.at));
            return 1;
        }
        if (!arguments.is_watched)
            return 0;
        std::this_thread::sleep_for(between_looks);
    }
}

std::string usual_kubeconfig() {
    if (const char* named = std::getenv("KUBECONFIG"); named != nullptr && *named != '\0')
        return named;
    const char* home = std::getenv("HOME");
    if (home == nullptr)
        return {};
    const auto file = std::filesystem::path(home) / ".kube" / "config";
    std::error_code error;
    return std::filesystem::exists(file, error) ? file.string() : std::string();
}

}  // namespace echelon::cli
