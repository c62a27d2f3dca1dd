#include "engine/publish/figures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace echelon::engine {

namespace {

constexpr std::string_view host_level = "kubernetes.io/hostname";

// Distinct domains of each level. A key that several trees list counts each path once; hosts are the nodes.
std::map<std::string, std::uint32_t> domains_by_level(const model::Snapshot& snapshot) {
    std::map<std::string, std::set<std::string_view>> paths;
    for (const auto& tree : snapshot.trees) {
        for (std::size_t depth = 0; depth < tree.keys.size(); ++depth) {
            auto& of_key = paths[tree.keys[depth]];
            if (tree.keys[depth] == host_level)
                continue;
            of_key.insert(tree.paths[depth].begin(), tree.paths[depth].end());
        }
    }
    std::map<std::string, std::uint32_t> counts;
    for (const auto& [key, of_key] : paths)
        counts[key] = static_cast<std::uint32_t>(key == host_level ? snapshot.node_count() : of_key.size());
    return counts;
}

std::uint32_t unmapped_nodes(const model::Snapshot& snapshot) {
    const auto& tree = snapshot.trees.front();
    std::uint32_t unmapped = 0;
    for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
        const auto lacks = [node](const auto& domain_of) { return domain_of[node] == model::nowhere; };
        unmapped += std::ranges::any_of(tree.domain_of, lacks) ? 1U : 0U;
    }
    return unmapped;
}

}  // namespace

void Figures::solved(SolveResult result, std::chrono::nanoseconds took) {
    stats_.solves[static_cast<std::size_t>(result)].add(took);
}

void Figures::waited(WaitResult result, std::chrono::milliseconds time) {
    stats_.waits[static_cast<std::size_t>(result)].add(time);
}

void Figures::cleared(ClearingResult result, std::chrono::milliseconds time) {
    ++stats_.clearings[static_cast<std::size_t>(result)];
    stats_.clearing_times.add(time);
}

void Figures::violated(Invariant invariant, const model::GroupKey& gang, std::string sentence) {
    ++stats_.violations[static_cast<std::size_t>(invariant)];
    outbox_->note(Note::Level::bug, gang, std::move(sentence));
}

void Figures::replace(GaugeShare& share, GaugeShare now) {
    if (share == now)
        return;
    remove(share);
    share = std::move(now);
    add(share);
}

void Figures::add(const GaugeShare& share) {
    if (!share.is_counted)
        return;
    ++stats_.gangs_by_phase[static_cast<std::size_t>(share.phase)];
    if (share.reason) {
        ++stats_.unplaced_by_reason[static_cast<std::size_t>(*share.reason)];
        ++topology_counts_.unplaced[{*share.reason, share.level}];
        published_counts_.reset();
    }
    stats_.held_seats += share.held_seats;
    stats_.committed_seats += share.committed_seats;
}

void Figures::remove(const GaugeShare& share) {
    if (!share.is_counted)
        return;
    --stats_.gangs_by_phase[static_cast<std::size_t>(share.phase)];
    if (share.reason) {
        --stats_.unplaced_by_reason[static_cast<std::size_t>(*share.reason)];
        const auto row = topology_counts_.unplaced.find({*share.reason, share.level});
        if (--row->second == 0)
            topology_counts_.unplaced.erase(row);
        published_counts_.reset();
    }
    stats_.held_seats -= share.held_seats;
    stats_.committed_seats -= share.committed_seats;
}

void Figures::count_topology(const model::Snapshot& snapshot) {
    topology_counts_.domains = domains_by_level(snapshot);
    topology_counts_.unmapped_nodes = unmapped_nodes(snapshot);
    published_counts_.reset();
}

std::shared_ptr<const TopologyCounts> Figures::topology_counts() {
    if (!published_counts_)
        published_counts_ = std::make_shared<const TopologyCounts>(topology_counts_);
    return published_counts_;
}

}  // namespace echelon::engine
