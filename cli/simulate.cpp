#include "cli/simulate.hpp"

#include "app/complaint.hpp"
#include "cli/offline.hpp"
#include "cli/terminal.hpp"
#include "kube/json/input_text.hpp"
#include "simulate/simulation.hpp"
#include "simulate/trace.hpp"
#include "simulate/world.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr int simulated = 0;
constexpr int cannot_write = 1;
constexpr int bad_input = 2;

int complain(const std::string& sentence) {
    app::complain("echelon simulate: {}", sentence);
    return bad_input;
}

int complain(const std::string& file, const simulate::TraceFault& fault) {
    app::complain("{}:{}: {}", file, fault.line, fault.what);
    return bad_input;
}

// The file of placements, written in large pieces.
class Placements {
public:
    explicit Placements(const std::string& file) : stream_(file, std::ios::binary), text_(placements_header) {}

    void add(const simulate::PodEvent& event) {
        append_line(text_, event);
        if (text_.size() > piece)
            flush();
    }
    // False: some of it couldn't be written.
    [[nodiscard]] bool finish() {
        flush();
        stream_.close();
        return !stream_.fail();
    }
    [[nodiscard]] bool is_open() const { return stream_.is_open(); }

private:
    static constexpr std::size_t piece = 1U << 20U;

    void flush() {
        stream_ << text_;
        text_.clear();
    }

    std::ofstream stream_;
    std::string text_;
};

simulate::Options options_of(const SimulateArguments& arguments, const config::Settings& settings) {
    simulate::Options options;
    options.scoring = settings.simulation_scoring == config::StockScoring::most_allocated
                          ? simulate::StockScoring::most_allocated
                          : simulate::StockScoring::least_allocated;
    options.packs = !settings.profiles.empty() && settings.profiles.front().scores == config::Scores::pack;
    options.until = arguments.until;
    options.budget.steps = settings.solver_steps;
    options.claim_after = std::chrono::duration<double>(settings.queue_claim_after).count();
    return options;
}

int run(const SimulateArguments& arguments, const config::Settings& settings, const simulate::World& world,
        const simulate::Trace& trace) {
    std::optional<Placements> placements;
    simulate::OnPodEvent on_event;
    if (!arguments.placements_file.empty()) {
        placements.emplace(arguments.placements_file);
        if (!placements->is_open())
            return complain(fmt::format("{} can't be written", arguments.placements_file));
        on_event = [&](const simulate::PodEvent& event) { placements->add(event); };
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto report = simulate::simulate(world, trace, options_of(arguments, settings), on_event);
    const auto took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (placements && !placements->finish()) {
        app::complain("echelon simulate: {} can't be written", arguments.placements_file);
        return cannot_write;
    }
    if (!write_out(arguments.is_json ? to_json(report, took) : to_text(report, took))) {
        app::complain("echelon simulate: the report can't be written to standard output");
        return cannot_write;
    }
    return simulated;
}

}  // namespace

int simulate(const SimulateArguments& arguments) {
    if (arguments.until && !(*arguments.until >= 0))
        return complain("--until must be 0 or more");
    const auto input = read_offline("simulate", arguments.files, arguments.config_file, kube::FaultyNodes::refused);
    if (!input)
        return bad_input;
    const auto text = kube::InputText::read(arguments.trace_file, arguments.trace_file);
    if (!text)
        return complain(text.error().sentence);
    const auto trace = simulate::read_trace(text->text());
    if (!trace)
        return complain(arguments.trace_file, trace.error());
    const auto world = simulate::world_of(cluster_of(input->manifests.events, input->settings), *trace);
    if (!world)
        return complain(arguments.trace_file, world.error());
    for (const auto& kind : input->manifests.skipped_kinds)
        app::complain("echelon simulate: skipped {}, a kind it doesn't know", kind);
    return run(arguments, input->settings, *world, *trace);
}

}  // namespace echelon::cli
