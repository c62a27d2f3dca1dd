#include "simulate/domain_use.hpp"

#include <algorithm>

namespace echelon::simulate {

DomainUse::DomainUse(const World& world) : pods_(world.snapshot.node_count()), usable_(world.snapshot.usable) {
    for (const auto& tree : world.snapshot.trees) {
        for (std::size_t depth = 0; depth < tree.keys.size(); ++depth) {
            if (std::ranges::find(keys_, tree.keys[depth]) == keys_.end())
                add_level(world, tree, depth);
        }
    }
    for (const auto& pod : world.running)
        add_usage(pod.node);
}

void DomainUse::add_level(const World& world, const model::Tree& tree, std::size_t depth) {
    keys_.push_back(tree.keys[depth]);
    Level level;
    level.domain_of = tree.domain_of[depth];
    const auto domains = tree.domains[depth].size();
    level.used.resize(domains);
    level.empty.resize(domains);
    level.with.resize(world.snapshot.node_count() + 1);
    for (std::size_t node = 0; node < level.domain_of.size(); ++node) {
        if (level.domain_of[node] != model::nowhere && usable_[node] != 0)
            ++level.empty[level.domain_of[node]];
    }
    for (const auto empty : level.empty)
        ++level.with[empty];
    level.whole = static_cast<std::int64_t>(domains);
    levels_.push_back(std::move(level));
}

void DomainUse::add_usage(model::NodeId node) {
    if (pods_[node]++ == 0)
        count_use(node, true);
}

void DomainUse::remove_usage(model::NodeId node) {
    if (--pods_[node] == 0)
        count_use(node, false);
}

void DomainUse::count_use(model::NodeId node, bool is_used) {
    for (auto& level : levels_) {
        const auto domain = level.domain_of[node];
        if (domain == model::nowhere)
            continue;
        auto& used = level.used[domain];
        level.whole -= used == 0 ? 1 : 0;
        used += is_used ? 1U : -1U;
        level.whole += used == 0 ? 1 : 0;
        if (usable_[node] == 0)
            continue;
        auto& empty = level.empty[domain];
        --level.with[empty];
        empty -= is_used ? 1U : -1U;
        ++level.with[empty];
    }
}

std::int64_t DomainUse::most_empty_nodes(std::size_t key) const {
    const auto& with = levels_[key].with;
    auto most = with.size() - 1;
    while (most > 0 && with[most] == 0)
        --most;
    return static_cast<std::int64_t>(most);
}

}  // namespace echelon::simulate
