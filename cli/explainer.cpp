#include "cli/explainer.hpp"

#include "cli/report.hpp"
#include "solver/explain_tree.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr std::size_t most_waiting = 8;
constexpr auto patience = std::chrono::seconds(5);  // With the engine's thread.

// What the engine's thread leaves for the explainer; outlives whichever of them is done first.
struct Letter {
    std::mutex mutex;
    std::condition_variable_any arrived;
    bool has_come = false;                     // Guarded by mutex.
    std::optional<engine::Evidence> evidence;  // Guarded by mutex. Absent when it has come: no such gang.
};

// Every member that has a node, by group.
std::vector<SeatRow> seats_in(const engine::Evidence& evidence) {
    const auto& snapshot = evidence.snapshot;
    const auto hosts = static_cast<std::uint32_t>(snapshot.trees.front().keys.size() - 1);
    std::vector<SeatRow> rows;
    for (const auto& group : evidence.gang.groups) {
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
            const auto& member = evidence.gang.members[m];
            if (member.state == model::Member::State::bound && member.node != model::nowhere) {
                rows.push_back({member.pod, group.key.name, snapshot.node_names[member.node],
                                snapshot.path(0, hosts, member.node)});
            }
        }
    }
    return rows;
}

}  // namespace

server::Explained explained(const engine::Evidence& evidence, bool has_colour) {
    GangReport report;
    report.gang = evidence.record.root.name;
    report.phase = model::to_string(evidence.record.phase);
    report.reason = evidence.refused;
    report.message = evidence.record.message;
    report.seats = seats_in(evidence);
    report.groups = evidence.record.groups;
    if (evidence.gang.groups.size() == report.groups.size())
        report.depths = depths_of(evidence.gang);
    if (evidence.refused) {
        report.explanation =
            solver::explain_tree(evidence.snapshot, evidence.gang, *evidence.refused, evidence.surroundings);
    }
    server::Explained answer;
    answer.text = gang_tree(report, has_colour);
    if (report.explanation)
        answer.tree = std::move(*report.explanation);
    return answer;
}

Explainer::Explainer(EngineLoop& loop) : loop_(loop) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Explainer::~Explainer() {
    thread_.request_stop();
    thread_.join();
}

model::Result<void> Explainer::ask(const model::GroupKey& root, bool has_colour, server::Doors::ExplainReply reply) {
    {
        const std::lock_guard lock(mutex_);
        if (asked_.size() >= most_waiting)
            return model::failure("too many explanations are being made already, ask again");
        asked_.push_back({root, has_colour, std::move(reply)});
    }
    has_asked_.notify_one();
    return {};
}

void Explainer::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        Asked asked;
        {
            std::unique_lock lock(mutex_);
            if (!has_asked_.wait(lock, stop, [this] { return !asked_.empty(); }))
                return;
            asked = std::move(asked_.front());
            asked_.pop_front();
        }
        auto explained = answer(asked, stop);
        if (!stop.stop_requested())
            asked.reply(std::move(explained));
    }
}

model::Result<server::Explained> Explainer::answer(const Asked& asked, const std::stop_token& stop) {
    auto letter = std::make_shared<Letter>();
    loop_.ask([letter, root = asked.root](const engine::Engine& engine) {
        auto evidence = engine.evidence(root);
        {
            const std::lock_guard lock(letter->mutex);
            letter->evidence = std::move(evidence);
            letter->has_come = true;
        }
        letter->arrived.notify_one();
    });
    std::optional<engine::Evidence> evidence;
    {
        std::unique_lock lock(letter->mutex);
        if (!letter->arrived.wait_for(lock, stop, patience, [&] { return letter->has_come; }))
            return model::failure("the engine's thread doesn't answer, ask again");
        evidence = std::move(letter->evidence);
    }
    if (!evidence)
        return model::failure(fmt::format("gang \"{}\" has just gone", asked.root.name));
    return explained(*evidence, asked.has_colour);
}

}  // namespace echelon::cli
