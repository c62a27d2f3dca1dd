#include "cli/status_command.hpp"

#include "app/complaint.hpp"
#include "cli/cluster_reader.hpp"
#include "cli/terminal.hpp"
#include "report/status_report.hpp"
#include "report/topology_report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <ranges>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

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

std::string report_of(ClusterReader::Facts facts, const StatusArguments& arguments, bool has_colour) {
    if (arguments.at == StatusView::topology) {
        auto report = report::describe_topology(facts.cluster);
        report::add_unreadable(report, facts.unreadable);
        return arguments.is_json ? report::to_json(report) : report::to_tree(report);
    }
    if (arguments.at == StatusView::holds) {
        const auto seats = report::seats_in(facts.plans);
        return arguments.is_json ? report::holds_json(seats) : report::holds_text(seats, has_colour);
    }
    const report::Status status{
        .headline = {}, .plans = std::move(facts.plans), .unreadable = std::move(facts.unreadable)};
    return arguments.is_json ? report::status_json(status) : report::status_text(status, has_colour);
}

// Asks the API server, or without a kubeconfig the service, as often as it is called.
base::Result<std::function<base::Result<std::string>()>> asker(const StatusArguments& arguments, bool has_colour) {
    if (arguments.kubeconfig.empty()) {
        return [arguments, target = fmt::format("{}{}", path_of(arguments.at), has_colour ? "?colour=1" : "")] {
            return query_admin_port(arguments.server, target, arguments.is_json ? "application/json" : "text/plain");
        };
    }
    using Kinds = ClusterReader::Kinds;
    auto opened = ClusterReader::open(arguments.kubeconfig, arguments.config_file,
                                      arguments.at == StatusView::topology ? Kinds::all : Kinds::plans);
    if (!opened)
        return std::unexpected(opened.error());
    return [arguments, has_colour, reader = std::make_shared<ClusterReader>(std::move(*opened))] {
        return reader->read(
            [&](ClusterReader::Facts facts) { return report_of(std::move(facts), arguments, has_colour); });
    };
}

constexpr int no_answer = 1;
constexpr int bad_arguments = 2;

int fail(const StatusArguments& arguments, int status, std::string_view why) {
    app::complain("echelon {}: {}", name_of(arguments.at), why);
    return status;
}

}  // namespace

int show_status(const StatusArguments& arguments) {
    if (!arguments.config_file.empty() && arguments.kubeconfig.empty())
        return fail(arguments, bad_arguments, "--config needs -f or --kubeconfig: the service has read its own file");
    const bool has_colour = !arguments.is_json && wants_colour();
    const auto ask = asker(arguments, has_colour);
    if (!ask)
        return fail(arguments, no_answer, ask.error().sentence);
    for (;;) {
        const auto text = (*ask)();
        if (!text)
            return fail(arguments, no_answer, text.error().sentence);
        const bool is_screen = arguments.is_watched && has_colour;
        if (!write_out((is_screen ? std::string(clear_screen) : std::string()) + *text))
            return fail(arguments, no_answer, "the answer can't be written to standard output");
        if (!arguments.is_watched)
            return 0;
        std::this_thread::sleep_for(between_looks);
    }
}

base::Result<std::string> usual_kubeconfig() {
    std::error_code error;
    std::vector<std::string> named;
    std::vector<std::string> present;
    const char* variable = std::getenv("KUBECONFIG");
    for (const auto part : std::views::split(std::string_view(variable == nullptr ? "" : variable), ':')) {
        std::string file(part.begin(), part.end());
        if (file.empty() || std::ranges::find(named, file) != named.end())
            continue;
        if (std::filesystem::exists(file, error) && std::filesystem::file_size(file, error) != 0)
            present.push_back(file);
        named.push_back(std::move(file));
    }
    if (present.size() > 1)
        return base::failure("KUBECONFIG names several files, which aren't merged: name one by --kubeconfig");
    if (!named.empty())
        return present.empty() ? named.front() : present.front();
    const char* home = std::getenv("HOME");
    if (home == nullptr)
        return {};
    const auto file = std::filesystem::path(home) / ".kube" / "config";
    return std::filesystem::exists(file, error) ? file.string() : std::string();
}

}  // namespace echelon::cli
