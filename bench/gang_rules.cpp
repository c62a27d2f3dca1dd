#include "bench/gang_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace echelon::bench {

namespace {

using model::NodeId;
using simulate::JobClass;
using simulate::Machines;
using simulate::SeatCounts;
using simulate::World;

struct Choice {
    std::int64_t seats = 0;
    std::int64_t nodes = 0;

    // The number of nodes in use.
    [[nodiscard]] std::int64_t used() const { return nodes - seats; }
};
using Better = std::function<bool(const Choice& a, const Choice& b)>;

class Chooser {
public:
    Chooser(const World& world, Better better) : world_(&world), better_(std::move(better)) {}

    std::optional<std::vector<NodeId>> place(const JobClass& gang, const SeatCounts& seats) const {
        const auto& required = world_->levels[gang.levels].required;
        const auto& tree = world_->snapshot.trees.front();
        auto nodes = tree.order;
        std::size_t depth = 0;
        if (!required.empty()) {
            depth = required.front().depth + 1;
            nodes = nodes_of_best(required.front().depth, gang.pods, seats);
        }
        std::vector<NodeId> chosen;
        take(nodes, depth, gang.pods, seats, chosen);
        return chosen.size() == gang.pods ? std::optional(std::move(chosen)) : std::nullopt;
    }

private:
    [[nodiscard]] static Choice choice_of(const std::vector<NodeId>& nodes, const SeatCounts& seats) {
        Choice choice{.seats = 0, .nodes = std::ssize(nodes)};
        for (const auto node : nodes)
            choice.seats += seats.on(node);
        return choice;
    }

    [[nodiscard]] std::vector<NodeId> nodes_of_best(std::size_t depth, std::uint32_t pods,
                                                    const SeatCounts& seats) const {
        const auto& tree = world_->snapshot.trees.front();
        std::vector<NodeId> best;
        Choice best_choice;
        for (const auto& domain : tree.domains[depth]) {
            const std::vector<NodeId> nodes(tree.order.begin() + domain.first, tree.order.begin() + domain.last);
            const auto choice = choice_of(nodes, seats);
            if (choice.seats < pods || (!best.empty() && !better_(choice, best_choice)))
                continue;
            best = nodes;
            best_choice = choice;
        }
        return best;
    }

    // Fills the domains of the next level in the order of the rule.
    void take(const std::vector<NodeId>& nodes, std::size_t depth, std::size_t pods, const SeatCounts& seats,
              std::vector<NodeId>& chosen) const {
        const auto& tree = world_->snapshot.trees.front();
        if (depth + 1 >= tree.keys.size()) {
            for (const auto node : nodes) {
                for (std::int32_t i = 0; i < seats.on(node) && chosen.size() < pods; ++i)
                    chosen.push_back(node);
            }
            return;
        }
        std::vector<std::vector<NodeId>> parts;
        for (const auto node : nodes) {
            const auto domain = tree.domain_of[depth][node];
            if (parts.empty() || tree.domain_of[depth][parts.back().front()] != domain)
                parts.emplace_back();
            parts.back().push_back(node);
        }
        std::ranges::stable_sort(
            parts, [&](const auto& a, const auto& b) { return better_(choice_of(a, seats), choice_of(b, seats)); });
        for (const auto& part : parts)
            take(part, depth + 1, pods, seats, chosen);
    }

    const World* world_;
    Better better_;
};

NamedGangRule named(std::string name, const World& world, Better better) {
    Chooser chooser(world, std::move(better));
    return {std::move(name),
            [chooser = std::move(chooser)](const JobClass& gang, const Machines&, const SeatCounts& seats) {
                return chooser.place(gang, seats);
            }};
}

}  // namespace

std::vector<NamedGangRule> gang_rules(const World& world) {
    return {named("emptiest", world, [](const Choice& a, const Choice& b) { return a.seats > b.seats; }),
            named("fullest (KAI's order)", world, [](const Choice& a, const Choice& b) { return a.used() > b.used(); }),
            named("best fit (Kueue's)", world, [](const Choice& a, const Choice& b) { return a.seats < b.seats; })};
}

}  // namespace echelon::bench
