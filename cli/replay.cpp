#include "cli/replay.hpp"

#include "app/complaint.hpp"
#include "app/version.hpp"
#include "replay/recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

std::string since(engine::Time began, engine::Time at) {
    return fmt::format("{:.3f} s", static_cast<double>((at - began).count()) / 1000.0);
}

// One line at a time, from the head to the first difference.
class Player {
public:
    // False: nothing more has to be read.
    [[nodiscard]] base::Result<bool> play(replay::RecordingLine line) {
        if (auto* head = std::get_if<replay::RecordingHead>(&line)) {
            if (engine_)
                return base::failure("a second head");
            began_ = head->at;
            report_.made_by = std::move(head->made_by);
            report_.began = std::move(head->began);
            engine_.emplace(std::move(head->options));
            return true;
        }
        if (!engine_)
            return base::failure("isn't the head of a recording");
        if (auto* end = std::get_if<replay::RecordingEnd>(&line)) {
            report_.ending = std::move(end->why);
            return false;
        }
        auto& batch = std::get<replay::RecordedBatch>(line);
        if (!restored_.restore(batch))
            return base::failure("again: names what wasn't seen before");
        return step(batch);
    }
    [[nodiscard]] bool has_begun() const { return engine_.has_value(); }
    [[nodiscard]] ReplayReport& report() { return report_; }

private:
    bool step(const replay::RecordedBatch& batch) {
        ++report_.batches;
        report_.inputs += batch.inputs.size();
        const auto actions = engine_->step(batch.inputs, batch.at);
        static_cast<void>(engine_->published());
        for (std::size_t i = 0; i < std::max(actions.size(), batch.actions.size()); ++i) {
            auto now = i < actions.size() ? replay::compact(actions[i]) : std::string();
            auto then = i < batch.actions.size() ? batch.actions[i] : std::string();
            if (now != then) {
                report_.difference = {report_.batches, since(began_, batch.at), std::move(then), std::move(now)};
                return false;
            }
            ++report_.decisions;
        }
        return true;
    }

    std::optional<engine::Engine> engine_;
    replay::RecordingExpander restored_;
    engine::Time began_{0};
    ReplayReport report_;
};

void print(const ReplayReport& report) {
    fmt::print("recorded from {} by {}\n", report.began, report.made_by);
    if (report.made_by != app::version_line())
        fmt::print("replayed by {}, which may decide otherwise on purpose\n", app::version_line());
    fmt::print("{} batches with {} inputs, {} decisions compared\n", report.batches, report.inputs, report.decisions);
    if (!report.ending.empty())
        fmt::print("the recording ended before the service: {}\n", report.ending);
    if (report.is_cut_off)
        fmt::print("its last line is cut off: the service was killed\n");
    if (!report.difference) {
        fmt::print("the same decisions\n");
        return;
    }
    const auto& other = *report.difference;
    const auto shown = [](const std::string& action) { return action.empty() ? "nothing" : action.c_str(); };
    fmt::print("another decision in batch {}, {} after the beginning\n  recorded: {}\n  replayed: {}\n", other.batch,
               other.time, shown(other.recorded), shown(other.replayed));
}

}  // namespace

base::Result<ReplayReport> replay(std::istream& recording) {
    Player player;
    std::string text;
    for (std::uint64_t number = 1; std::getline(recording, text); ++number) {
        const bool is_whole = !recording.eof();  // With its line feed.
        auto line = replay::read_line(text);
        if (!line && !is_whole && player.has_begun()) {
            player.report().is_cut_off = true;
            break;
        }
        if (!line)
            return base::failure(fmt::format("line {}: {}", number, line.error().sentence));
        const auto goes_on = player.play(std::move(*line));
        if (!goes_on)
            return base::failure(fmt::format("line {}: {}", number, goes_on.error().sentence));
        if (!*goes_on)
            break;
    }
    if (recording.bad())
        return base::failure("can't be read to its end");
    if (!player.has_begun())
        return base::failure("line 1: is missing");
    return std::move(player.report());
}

int replay_file(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        app::complain("echelon: {}: {}", file, std::strerror(errno));
        return 2;
    }
    const auto report = replay(stream);
    if (!report) {
        app::complain("echelon: {}: {}", file, report.error().sentence);
        return 2;
    }
    print(*report);
    return report->difference ? 1 : 0;
}

}  // namespace echelon::cli
