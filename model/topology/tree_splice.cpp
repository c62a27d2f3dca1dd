#include "model/topology/tree_splice.hpp"

#include "base/natural_order.hpp"
#include "model/topology/trees.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace echelon::model {

namespace {

// Depth-first, siblings in natural order.
bool comes_before(std::span<const std::string_view> a, std::span<const std::string_view> b) {
    for (std::size_t level = 0; level < a.size(); ++level) {
        if (const auto order = base::natural_order(a[level], b[level]); order != 0)
            return order < 0;
    }
    return false;
}

std::size_t shared_parts(const PathParts& a, const PathParts& b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::string path_of(std::span<const std::string_view> parts) {
    std::string path;
    for (const auto part : parts)
        path.append(path.empty() ? "" : "/").append(part);
    return path;
}

// Adds `by` to all numbers from `first` on, but not to `nowhere`.
void shift(std::vector<std::uint32_t>& numbers, std::uint32_t first, std::uint32_t by) {
    for (auto& number : numbers)
        number += number >= first && number != nowhere ? by : 0U;
}

void shift_parents(Tree& tree, std::size_t depth, std::uint32_t first, std::uint32_t by) {
    if (depth >= tree.domains.size())
        return;
    for (auto& domain : tree.domains[depth])
        domain.parent += domain.parent >= first && domain.parent != nowhere ? by : 0U;
}

void shift_ranges(std::span<Domain> domains, std::uint32_t by) {
    for (auto& domain : domains) {
        domain.first += by;
        domain.last += by;
    }
}

constexpr std::uint32_t minus_one = static_cast<std::uint32_t>(-1);

}  // namespace

TreeSpot spot_in(const Tree& tree, PathParts parts, const PartsOf& parts_of) {
    const auto at =
        std::ranges::partition_point(tree.order, [&](NodeId other) { return comes_before(parts_of(other), parts); });
    TreeSpot spot{.position = static_cast<std::uint32_t>(at - tree.order.begin()), .parts = {}};
    if (at != tree.order.begin())
        spot.same_before = shared_parts(parts, parts_of(*std::prev(at)));
    if (at != tree.order.end())
        spot.same_after = shared_parts(parts, parts_of(*at));
    spot.parts = std::move(parts);
    return spot;
}

void insert_node(Tree& tree, NodeId id, const TreeSpot& spot) {
    const auto& [position, same_before, same_after, parts] = spot;
    shift(tree.order, id, 1);
    tree.order.insert(tree.order.begin() + position, id);
    std::uint32_t wider = nowhere;
    for (std::size_t depth = 0; depth < tree.domains.size(); ++depth) {
        auto& domains = tree.domains[depth];
        auto& domain_of = tree.domain_of[depth];
        const auto behind =
            std::ranges::partition_point(domains, [position](const Domain& domain) { return domain.first < position; });
        const auto next = static_cast<std::uint32_t>(behind - domains.begin());
        const bool is_in_none = parts[depth] == Places::missing && depth < tree.host_depth();
        const bool is_new = !is_in_none && depth >= same_before && depth >= same_after;
        if (is_new) {
            shift(domain_of, next, 1);
            shift_parents(tree, depth + 1, next, 1);
            domains.insert(behind, {position, position, wider});
            if (depth < tree.host_depth())
                tree.paths[depth].insert(tree.paths[depth].begin() + next, path_of(std::span(parts).first(depth + 1)));
        }
        const auto here = is_in_none ? nowhere : depth < same_before ? next - 1 : next;
        shift_ranges(std::span(domains).subspan(here == next ? next + 1 : next), 1);
        if (here != nowhere)
            ++domains[here].last;
        domain_of.insert(domain_of.begin() + id, here);
        wider = here;
    }
}

void remove_node(Tree& tree, NodeId id) {
    const auto position = tree.domains.back()[tree.domain_of.back()[id]].first;
    tree.order.erase(tree.order.begin() + position);
    shift(tree.order, id, minus_one);
    for (std::size_t depth = 0; depth < tree.domains.size(); ++depth) {
        auto& domains = tree.domains[depth];
        auto& domain_of = tree.domain_of[depth];
        const auto here = domain_of[id];
        domain_of.erase(domain_of.begin() + id);
        const auto behind = std::ranges::partition_point(
            domains, [position](const Domain& domain) { return domain.first <= position; });
        shift_ranges(std::span(domains).subspan(static_cast<std::size_t>(behind - domains.begin())), minus_one);
        if (here == nowhere || --domains[here].last > domains[here].first)
            continue;
        domains.erase(domains.begin() + here);
        if (depth < tree.host_depth())
            tree.paths[depth].erase(tree.paths[depth].begin() + here);
        shift(domain_of, here, minus_one);
        shift_parents(tree, depth + 1, here + 1, minus_one);
    }
}

}  // namespace echelon::model
