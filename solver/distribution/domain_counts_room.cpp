// What the domains of a level can hold by their room alone, for limits and pairs.

#include "solver/distribution/domain_counts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace echelon::solver {
namespace {

using model::GangGroup;

// Above this many children squared times domains, the room of a pair isn't measured.
constexpr std::size_t most_cells = 100'000;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

}  // namespace

// The lightest waiting member of a group; 0 if it takes no seat.
std::int64_t DomainCounts::lightest_of(std::uint32_t group, std::span<const std::int64_t> weights) const {
    std::int64_t lightest = unlimited;
    const GangGroup& source = gang_.groups[group];
    for (std::size_t member_class = 0; member_class < weights.size() && source.is_leaf; ++member_class) {
        lightest =
            demand_.groups[group].waiting_of[member_class] > 0 ? std::min(lightest, weights[member_class]) : lightest;
    }
    for (const std::uint32_t child : source.children) {
        if (const std::int64_t below = lightest_of(child, weights); demand_.groups[child].waiting > 0) {
            lightest = std::min(lightest, below);
        }
    }
    return lightest == unlimited ? 0 : lightest;
}

std::int64_t DomainCounts::least_of(std::uint32_t group, std::span<const std::int64_t> weights) const {
    const GangGroup& source = gang_.groups[group];
    const GroupDemand& own_demand = demand_.groups[group];
    if (source.is_leaf) {
        return own_demand.waiting == 0 ? 0
                                       : std::max<std::int64_t>(own_demand.lacking, 0) * lightest_of(group, weights);
    }
    std::vector<std::int64_t> below;
    for (const std::uint32_t child : source.children) {
        if (demand_.groups[child].is_satisfiable) {
            below.push_back(least_of(child, weights));
        }
    }
    std::ranges::sort(below);
    const auto needed = static_cast<std::ptrdiff_t>(std::clamp<std::int64_t>(own_demand.minimum, 0, std::ssize(below)));
    return std::accumulate(below.begin(), below.begin() + needed, std::int64_t{0});
}

// The least weight that a replica takes in a domain once it has a member there.
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
        if (demand_.groups[replica].is_satisfiable && demand_.groups[replica].waiting > 0) {
            least = std::min(least, std::max(entire, lightest_of(replica, weights)));
        }
    }
    return least == unlimited ? 0 : least;
}

void DomainCounts::measure_replicas(Rule& rule, std::span<const std::size_t> resources) const {
    rule.of_bounds.resize(rule.last_batch.size());
    rule.of_resources.resize(rule.last_batch.size());
    std::vector<std::int64_t> weights(demand_.classes.size());
    for (std::uint32_t kind = 0; kind < rule.last_batch.size(); ++kind) {
        for (std::size_t bound = 0; bound < bounds_.count(); ++bound) {
            for (std::uint32_t member_class = 0; member_class < weights.size(); ++member_class) {
                weights[member_class] = bounds_.weight_of(bound, member_class);
            }
            rule.of_bounds[kind].push_back(least_of_replica(rule, kind, weights));
        }
        for (const std::size_t resource : resources) {
            for (std::size_t member_class = 0; member_class < weights.size(); ++member_class) {
                weights[member_class] = snapshot_.need[demand_.classes[member_class]][resource];
            }
            rule.of_resources[kind].push_back(least_of_replica(rule, kind, weights));
        }
        budget_.charge((bounds_.count() + resources.size()) * rule.kinds.size() * weights.size());
    }
}

// How many replicas of a later child must, and may, be beside those that are decided.
DomainCounts::Range DomainCounts::range_of(const Rule& rule, std::uint32_t other, std::uint32_t kind,
                                           std::int64_t replicas, const Counts& here, const Partners& partners) {
    Range range{.least = least_beside(rule.shares[other], rule.shares[kind], replicas),
                .most = most_beside(rule.shares[other], rule.shares[kind], replicas)};
    for (const std::uint32_t decided : partners.decided) {
        const std::int64_t there = here.replicas[decided];
        range.least = std::max(range.least, least_beside(rule.shares[other], rule.shares[decided], there));
        range.most = std::min(range.most, most_beside(rule.shares[other], rule.shares[decided], there));
    }
    return range;
}

// The largest number of a kind, up to `most`, for which counting finds room beside what their pairs need.
std::int64_t DomainCounts::most_beside_undecided(const Rule& rule, std::uint32_t kind, std::int64_t most,
                                                 const Counts& here, const Partners& partners,
                                                 std::span<const std::int64_t> remaining,
                                                 std::span<const std::vector<std::int64_t>> weights) const {
    const auto fits = [&](std::int64_t replicas) {
        budget_.charge((remaining.size() + partners.decided.size()) * (1 + partners.undecided.size()));
        std::vector<std::int64_t> more;
        for (const std::uint32_t other : partners.undecided) {
            const Range range = range_of(rule, other, kind, replicas, here, partners);
            more.push_back(std::max<std::int64_t>(range.least - here.replicas[other], 0));
        }
        for (std::size_t w = 0; w < remaining.size(); ++w) {
            std::int64_t needed = (replicas - here.replicas[kind]) * weights[kind][w];
            for (std::size_t o = 0; o < more.size(); ++o) {
                needed += more[o] * weights[partners.undecided[o]][w];
            }
            if (needed > 0 && needed > remaining[w]) {
                return false;
            }
        }
        return true;
    };
    std::int64_t least = here.replicas[kind];  // Fits, or is what is there already.
    for (std::int64_t above = most + 1; least + 1 < above;) {
        const std::int64_t middle = least + (above - least) / 2;
        (fits(middle) ? least : above) = middle;
    }
    return std::min(least, most);
}

// True if the number is in proportion to what is decided, and each later child can still be.
bool DomainCounts::may_be_final(const Rule& rule, std::uint32_t kind, std::int64_t replicas, const Counts& here,
                                const Partners& partners) {
    const bool is_beside = std::ranges::all_of(partners.decided, [&](std::uint32_t decided) {
        const std::int64_t there = here.replicas[decided];
        return replicas >= least_beside(rule.shares[kind], rule.shares[decided], there) &&
               replicas <= most_beside(rule.shares[kind], rule.shares[decided], there);
    });
    return is_beside && std::ranges::all_of(partners.undecided, [&](std::uint32_t other) {
               const Range range = range_of(rule, other, kind, replicas, here, partners);
               return range.least <= range.most;
           });
}

// All other children of a pair that have replicas; none for a limit.
DomainCounts::Partners DomainCounts::undecided_partners(const Rule& rule, std::uint32_t kind) {
    Partners partners;
    if (rule.most > 0 || rule.shares[kind] == 0) {
        return partners;
    }
    for (std::uint32_t other = 0; other < rule.shares.size(); ++other) {
        if (other != kind && rule.shares[other] > 0) {
            partners.undecided.push_back(other);
        }
    }
    return partners;
}

// What a domain can hold of a kind by its room alone. `remaining`: as many as there are bounds, for this call's use.
std::int64_t DomainCounts::room_in(const Rule& rule, std::uint32_t kind, std::uint32_t domain, const Counts& here,
                                   const Partners& partners, std::vector<std::int64_t>& remaining) const {
    const model::Domain& range = snapshot_.trees[rule.level.tree].domains[rule.level.depth][domain];
    for (std::size_t bound = 0; bound < remaining.size(); ++bound) {
        remaining[bound] = bounds_.capacity(bound, rule.level.tree, range.first, range.last);
    }
    const std::int64_t before = here.replicas[kind];
    std::int64_t most = std::max(before, rule.most > 0 ? rule.most : before + demand_.groups[rule.group].waiting);
    most = most_beside_undecided(rule, kind, most, here, partners, remaining, rule.of_bounds);
    while (most > before && !may_be_final(rule, kind, most, here, partners)) {
        --most;
    }
    return most;
}

// Measures what each domain can hold of each kind by its room alone.
void DomainCounts::measure_room(Rule& rule) const {
    const model::Tree& tree = snapshot_.trees[rule.level.tree];
    const auto& domains = tree.domains[rule.level.depth];
    const std::size_t kinds = rule.last_batch.size();
    if (kinds * kinds * domains.size() > most_cells && rule.most == 0) {
        return;  // There is no such bound then.
    }
    rule.room.assign(rule.last_batch.size(), std::vector<std::int64_t>(tree.order.size() + 1, 0));
    Counts nothing;
    nothing.replicas.assign(rule.last_batch.size(), 0);
    std::vector<std::int64_t> remaining(bounds_.count());
    for (std::uint32_t kind = 0; kind < rule.last_batch.size(); ++kind) {
        const Partners partners = undecided_partners(rule, kind);
        for (std::uint32_t d = 0; d < domains.size(); ++d) {
            const auto with_bound = rule.bound_counts.find(d);
            const Counts& here = with_bound == rule.bound_counts.end() ? nothing : with_bound->second;
            rule.room[kind][domains[d].first + 1] += room_in(rule, kind, d, here, partners, remaining);
        }
        std::partial_sum(rule.room[kind].begin(), rule.room[kind].end(), rule.room[kind].begin());
        budget_.charge(tree.order.size() +
                       domains.size() * (16 + 4 * remaining.size()));  // In addition to the counting.
    }
}

}  // namespace echelon::solver
