// What the domains of a level may hold by their room alone, for the rules that count it.

#include "solver/distribution/domain_counts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace echelon::solver {
namespace {

using model::GangGroup;

// For pairs of many children in many domains it isn't measured what each may hold.
constexpr std::size_t most_cells = 100'000;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

}  // namespace

// Of a group that takes no seat it is 0.
std::int64_t DomainCounts::lightest_of(std::uint32_t group, std::span<const std::int64_t> weights) const {
    std::int64_t lightest = unlimited;
    const GangGroup& source = gang_.groups[group];
    for (std::size_t size = 0; size < weights.size() && source.is_leaf; ++size) {
        lightest = needs_.groups[group].waiting_of[size] > 0 ? std::min(lightest, weights[size]) : lightest;
    }
    for (const std::uint32_t child : source.children) {
        if (const std::int64_t below = lightest_of(child, weights); needs_.groups[child].waiting > 0) {
            lightest = std::min(lightest, below);
        }
    }
    return lightest == unlimited ? 0 : lightest;
}

std::int64_t DomainCounts::least_of(std::uint32_t group, std::span<const std::int64_t> weights) const {
    const GangGroup& source = gang_.groups[group];
    const GroupDemand& needs = needs_.groups[group];
    if (source.is_leaf) {
        return needs.waiting == 0 ? 0 : std::max<std::int64_t>(needs.lacking, 0) * lightest_of(group, weights);
    }
    std::vector<std::int64_t> below;
    for (const std::uint32_t child : source.children) {
        if (needs_.groups[child].is_satisfiable) {
            below.push_back(least_of(child, weights));
        }
    }
    std::ranges::sort(below);
    const auto needed = static_cast<std::ptrdiff_t>(std::clamp<std::int64_t>(needs.minimum, 0, std::ssize(below)));
    return std::accumulate(below.begin(), below.begin() + needed, std::int64_t{0});
}

// The least that a replica takes once it has a member in a domain.
std::int64_t DomainCounts::least_of_replica(const Rule& rule, std::uint32_t kind,
                                            std::span<const std::int64_t> weights) const {
    const bool is_pair = !rule.shares.empty();
    const std::uint32_t group = is_pair ? gang_.groups[rule.group].children[kind] : rule.group;
    if (gang_.groups[group].is_leaf) {
        return lightest_of(group, weights);
    }
    std::int64_t least = unlimited;
    for (const std::uint32_t replica : gang_.groups[group].children) {
        const std::int64_t entire = is_confined(replica, rule.level) ? least_of(replica, weights) : 0;
        if (needs_.groups[replica].is_satisfiable && needs_.groups[replica].waiting > 0) {
            least = std::min(least, std::max(entire, lightest_of(replica, weights)));
        }
    }
    return least == unlimited ? 0 : least;
}

void DomainCounts::measure_replicas(Rule& rule, std::span<const std::size_t> resources) const {
    rule.of_gauges.resize(rule.last_lot.size());
    rule.of_resources.resize(rule.last_lot.size());
    std::vector<std::int64_t> weights(needs_.sizes.size());
    for (std::uint32_t kind = 0; kind < rule.last_lot.size(); ++kind) {
        for (std::size_t gauge = 0; gauge < gauges_.count(); ++gauge) {
            for (std::uint32_t size = 0; size < weights.size(); ++size) {
                weights[size] = gauges_.weight_of(gauge, size);
            }
            rule.of_gauges[kind].push_back(least_of_replica(rule, kind, weights));
        }
        for (const std::size_t resource : resources) {
            for (std::size_t size = 0; size < weights.size(); ++size) {
                weights[size] = snapshot_.need[needs_.sizes[size]][resource];
            }
            rule.of_resources[kind].push_back(least_of_replica(rule, kind, weights));
        }
        steps_.work((gauges_.count() + resources.size()) * rule.kinds.size() * weights.size());
    }
}

// Of a child that follows, how many there have to be and may be beside those that are settled.
DomainCounts::Range DomainCounts::range_of(const Rule& rule, std::uint32_t other, std::uint32_t kind,
                                           std::int64_t replicas, const Counts& here, const Partners& partners) {
    Range range{.least = least_beside(rule.shares[other], rule.shares[kind], replicas),
                .most = most_beside(rule.shares[other], rule.shares[kind], replicas)};
    for (const std::uint32_t done : partners.done) {
        const std::int64_t there = here.replicas[done];
        range.least = std::max(range.least, least_beside(rule.shares[other], rule.shares[done], there));
        range.most = std::min(range.most, most_beside(rule.shares[other], rule.shares[done], there));
    }
    return range;
}

// Up to `most` of a kind, if by counting there is room for them and for what their pairs need.
std::int64_t DomainCounts::most_beside_open(const Rule& rule, std::uint32_t kind, std::int64_t most, const Counts& here,
                                            const Partners& partners, std::span<const std::int64_t> rest,
                                            std::span<const std::vector<std::int64_t>> weights) const {
    const auto fits = [&](std::int64_t replicas) {
        steps_.work((rest.size() + partners.done.size()) * (1 + partners.open.size()));
        std::vector<std::int64_t> more;
        for (const std::uint32_t other : partners.open) {
            const Range range = range_of(rule, other, kind, replicas, here, partners);
            more.push_back(std::max<std::int64_t>(range.least - here.replicas[other], 0));
        }
        for (std::size_t w = 0; w < rest.size(); ++w) {
            std::int64_t needed = (replicas - here.replicas[kind]) * weights[kind][w];
            for (std::size_t o = 0; o < more.size(); ++o) {
                needed += more[o] * weights[partners.open[o]][w];
            }
            if (needed > 0 && needed > rest[w]) {
                return false;
            }
        }
        return true;
    };
    std::int64_t least = here.replicas[kind];  // Fits, or nothing more does.
    for (std::int64_t above = most + 1; least + 1 < above;) {
        const std::int64_t middle = least + (above - least) / 2;
        (fits(middle) ? least : above) = middle;
    }
    return std::min(least, most);
}

// It is in proportion to what is settled, and some number of each child that follows is, too.
bool DomainCounts::may_be_final(const Rule& rule, std::uint32_t kind, std::int64_t replicas, const Counts& here,
                                const Partners& partners) {
    const bool is_beside = std::ranges::all_of(partners.done, [&](std::uint32_t done) {
        const std::int64_t there = here.replicas[done];
        return replicas >= least_beside(rule.shares[kind], rule.shares[done], there) &&
               replicas <= most_beside(rule.shares[kind], rule.shares[done], there);
    });
    return is_beside && std::ranges::all_of(partners.open, [&](std::uint32_t other) {
               const Range range = range_of(rule, other, kind, replicas, here, partners);
               return range.least <= range.most;
           });
}

// What each domain may hold of a kind, by its room alone.
void DomainCounts::measure_room(Rule& rule) const {
    const model::Tree& tree = snapshot_.trees[rule.level.tree];
    const auto& domains = tree.domains[rule.level.depth];
    const std::size_t kinds = rule.last_lot.size();
    if (kinds * kinds * domains.size() > most_cells && rule.most == 0) {
        return;  // A bound less.
    }
    rule.room.assign(rule.last_lot.size(), std::vector<std::int64_t>(tree.order.size() + 1, 0));
    Counts nothing;
    nothing.replicas.assign(rule.last_lot.size(), 0);
    std::vector<std::int64_t> rest(gauges_.count());
    for (std::uint32_t kind = 0; kind < rule.last_lot.size(); ++kind) {
        const bool is_paired = rule.most == 0 && rule.shares[kind] > 0;
        Partners partners;
        for (std::uint32_t other = 0; is_paired && other < rule.shares.size(); ++other) {
            if (other != kind && rule.shares[other] > 0) {
                partners.open.push_back(other);
            }
        }
        for (std::uint32_t d = 0; d < domains.size(); ++d) {
            for (std::size_t gauge = 0; gauge < rest.size(); ++gauge) {
                rest[gauge] = gauges_.cap(gauge, rule.level.tree, domains[d].first, domains[d].last);
            }
            const auto bound = rule.bound.find(d);
            const Counts& here = bound == rule.bound.end() ? nothing : bound->second;
            const std::int64_t before = here.replicas[kind];
            std::int64_t most =
                std::max(before, rule.most > 0 ? rule.most : before + needs_.groups[rule.group].waiting);
            most = most_beside_open(rule, kind, most, here, partners, rest, rule.of_gauges);
            while (most > before && !may_be_final(rule, kind, most, here, partners)) {
                --most;
            }
            rule.room[kind][domains[d].first + 1] += most;
        }
        std::partial_sum(rule.room[kind].begin(), rule.room[kind].end(), rule.room[kind].begin());
        steps_.work(tree.order.size() + domains.size() * (16 + 4 * rest.size()));  // Beside what counting takes.
    }
}

}  // namespace echelon::solver
