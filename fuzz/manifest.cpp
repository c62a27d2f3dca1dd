#include "fuzz/sentence.hpp"
#include "fuzz/targets.hpp"
#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "solver/solve.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace echelon::fuzz {
namespace {

constexpr std::size_t largest_input = 64UL << 10U;  // Larger inputs only take longer.
constexpr solver::SolveOptions budget{.steps = 2'000};

struct Decisions {
    std::string text;    // One line per gang, and one per seat.
    std::string broken;  // What the referee says.
};

// All gangs one after another, as `echelon plan` decides them.
Decisions decide(const std::vector<model::Event>& events) {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const model::Event& event : events)
        static_cast<void>(cluster.apply(event));
    model::Snapshot snapshot = cluster.snapshot();
    Decisions decisions;
    for (const model::GroupKey& root : cluster.roots()) {
        const model::Gang gang = cluster.gang(root, snapshot);
        const solver::Answer answer = solver::solve(snapshot, gang, budget);
        decisions.text += gang.name();
        if (const auto* refusal = std::get_if<solver::Refusal>(&answer)) {
            decisions.text += fmt::format(": {}: {}\n", model::to_string(refusal->reason), refusal->sentence);
            continue;
        }
        const auto& plan = std::get<solver::Plan>(answer);
        decisions.text += fmt::format(": {}\n", plan.message);
        if (const auto faults = solver::violations(snapshot, gang, plan); !faults.empty()) {
            decisions.broken = fmt::format("gang {}: {}", gang.name(), faults.front().sentence);
            return decisions;
        }
        for (const solver::Seat& seat : plan.seats) {
            decisions.text += fmt::format("{} {}\n", gang.members[seat.member].pod, snapshot.node_names[seat.node]);
            snapshot.take(seat.node, gang.members[seat.member].pod_class);
        }
    }
    return decisions;
}

}  // namespace

std::string manifest(std::string_view bytes) {
    if (bytes.size() > largest_input)
        return {};
    auto read = kube::read_manifest_text(bytes, "input");
    if (!read)
        return sentence_fault(read.error().sentence);
    const Decisions forth = decide(read->events);
    if (!forth.broken.empty())
        return forth.broken;
    std::ranges::reverse(read->events);
    const Decisions back = decide(read->events);
    if (back.text != forth.text)
        return fmt::format("the order of the objects matters:\n{}----\n{}", forth.text, back.text);
    return {};
}

}  // namespace echelon::fuzz
