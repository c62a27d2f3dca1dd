#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

// Members with a rank come first.
std::int64_t rank_of(const PodFacts& row) {
    const auto rank = row.pod->membership->rank;
    return rank < 0 ? std::numeric_limits<std::int64_t>::max() : rank;
}

// The rank is copied, so that few pods are read.
using Ranked = std::pair<std::int64_t, const PodFacts*>;

bool comes_before(const Ranked& a, const Ranked& b) {
    if (a.first != b.first)
        return a.first < b.first;
    const auto& one = *a.second->pod;
    const auto& other = *b.second->pod;
    const auto order = base::natural_order(one.name, other.name);
    return order != 0 ? order < 0 : one.uid < other.uid;
}

void sort_by_rank(std::vector<PodFacts>& pods) {
    std::vector<Ranked> ranked;
    ranked.reserve(pods.size());
    for (const auto& row : pods)
        ranked.emplace_back(rank_of(row), &row);
    if (std::ranges::is_sorted(ranked, comes_before))
        return;
    std::ranges::sort(ranked, comes_before);
    std::vector<PodFacts> sorted;
    sorted.reserve(pods.size());
    for (const auto& [rank, row] : ranked)
        sorted.push_back(*row);
    pods = std::move(sorted);
}

const std::string& attempt_of(const PodFacts& row) {
    return row.pod->membership->attempt;
}

// The part of the leaf whose attempts are counted; empty: the whole leaf.
std::string_view part_of(const PodFacts& row) {
    const std::string_view attempt = attempt_of(row);
    const auto equals = attempt.find('=');
    return equals == std::string_view::npos ? std::string_view() : attempt.substr(0, equals);
}

bool is_younger(const PodFacts& a, const PodFacts& b) {
    if (a.pod->created != b.pod->created)
        return a.pod->created > b.pod->created;
    return base::natural_order(attempt_of(a), attempt_of(b)) > 0;
}

void drop_old_attempts(std::vector<PodFacts>& pods) {
    std::map<std::string_view, const PodFacts*> youngest;
    for (const auto& row : pods) {
        if (attempt_of(row).empty())
            continue;
        const auto [known, is_new] = youngest.emplace(part_of(row), &row);
        if (!is_new && is_younger(row, *known->second))
            known->second = &row;
    }
    for (auto& row : pods) {
        if (!attempt_of(row).empty() && attempt_of(row) != attempt_of(*youngest.at(part_of(row))))
            row.status = MemberStatus::lost;
    }
}

// A Job that is created anew leaves its succeeded pods, and pods without an attempt don't say whose run is over. One
// that had ended before every living member came, with no member of that Job left and an equal pod in its
// place, ran before (M1). A driver that ends early beside its workers still counts (M2).
void drop_earlier_runs(std::vector<PodFacts>& pods) {
    const auto may_be_over = [](const PodFacts& row) {
        return row.status == MemberStatus::finished && row.pod->ended > 0 && !row.pod->job->empty() &&
               attempt_of(row).empty();
    };
    const auto lives = [](const PodFacts& row) {
        return row.status != MemberStatus::finished && row.status != MemberStatus::lost;
    };
    if (std::ranges::none_of(pods, may_be_over) || std::ranges::none_of(pods, lives))
        return;
    std::set<std::string_view> jobs;
    auto first_created = std::numeric_limits<std::int64_t>::max();
    for (const auto& row : pods | std::views::filter(lives)) {
        jobs.insert(*row.pod->job);
        first_created = std::min(first_created, row.pod->created);
    }
    const auto is_repeated = [&](const PodFacts& over) {
        return std::ranges::any_of(pods | std::views::filter(lives),
                                   [&](const PodFacts& row) { return row.pod->pod_class == over.pod->pod_class; });
    };
    for (auto& row : pods) {
        if (may_be_over(row) && row.pod->ended < first_created && !jobs.contains(*row.pod->job) && is_repeated(row))
            row.status = MemberStatus::lost;
    }
}

}  // namespace

std::int64_t GroupFacts::existing() const {
    return std::ranges::count_if(pods, &PodFacts::exists);
}

std::int64_t GroupFacts::gone() const {
    if (group() == nullptr || group()->ended == 0)
        return 0;
    const auto here = std::ranges::count(pods, MemberStatus::finished, &PodFacts::status);
    return std::max<std::int64_t>(0, group()->ended - here);
}

std::int64_t GroupFacts::at_start() const {
    if (group() == nullptr)
        return 0;
    return std::min(std::max<std::int64_t>(0, group()->start_set.value_or(0) - gone()), minimum());
}

std::int64_t GroupFacts::placeholders() const {
    if (group() == nullptr || !is_leaf() || is_loose || is_beyond_parent_minimum || !group()->start_set ||
        !group()->expected)
        return 0;
    const bool has_begun = is_committing || std::ranges::any_of(pods, [](const PodFacts& row) {
                               return row.status == MemberStatus::bound;
                           });
    if (existing() < at_start() && !has_begun)
        return 0;  // It can't start, and another group of the gang may do instead (H3).
    const auto gated = std::ranges::count(pods, MemberStatus::gated, &PodFacts::status);
    const auto wanted = std::max<std::int64_t>(0, needed() - existing());
    return std::clamp<std::int64_t>(*group()->expected - gone() - existing() - gated, 0, wanted);
}

std::int64_t GroupFacts::uncounted_children() const {
    const auto counted = is_leaf() || is_loose ? 0 : group()->policy.counted_children;
    return counted == 0 ? 0 : std::max<std::int64_t>(0, std::ssize(children) - counted);
}

std::int64_t GroupFacts::minimum() const {
    return is_loose ? 0 : stated_minimum();
}

std::int64_t GroupFacts::floor() const {
    return group() == nullptr || is_loose ? 0 : group()->floor;
}

std::int64_t GroupFacts::still_to_come() const {
    if (!is_loose)
        return 0;
    const auto gated = std::ranges::count(pods, MemberStatus::gated, &PodFacts::status);
    return std::max<std::int64_t>(0, announced() - existing() - gated);
}

std::int64_t GroupFacts::stated_minimum() const {
    if (group() == nullptr)
        return 0;
    if (group()->basic)
        return 1;
    const auto all = is_leaf() ? 0 : std::max(static_cast<std::int64_t>(children.size()), group()->fewest);
    const auto stated = group()->minimum ? *group()->minimum + uncounted_children() : all;
    const auto no_more = is_leaf() ? gone() : 0;
    return no_more > 0 ? std::max<std::int64_t>(0, stated - no_more) : stated;
}

std::int64_t GroupFacts::earlier_members() const {
    const auto before = std::ranges::count_if(pods, &PodFacts::ran_before);
    return is_loose || before == existing() ? 0 : before;
}

std::int64_t GroupFacts::announced() const {
    if (group() == nullptr || !is_leaf() || is_beyond_parent_minimum)
        return 0;
    return std::max(group()->expected.value_or(0) - gone(), stated_minimum());
}

std::int64_t GangFacts::size() const {
    std::int64_t size = 0;
    for (const auto& group : groups) {
        size += std::max(std::ssize(group.pods) + group.placeholders(), group.announced());
    }
    return size;
}

MemberStatus member_status_of(const Pod& pod, bool node_exists) {
    if (pod.deleting || pod.phase == PodPhase::failed)
        return MemberStatus::lost;
    if (pod.phase == PodPhase::succeeded)
        return MemberStatus::finished;
    if (!pod.node.empty())
        return node_exists ? MemberStatus::bound : MemberStatus::lost;
    return pod.has_foreign_gate() ? MemberStatus::gated : MemberStatus::waiting;
}

void sort_by_rank_and_drop_old_attempts(std::vector<PodFacts>& pods) {
    if (pods.empty())
        return;
    sort_by_rank(pods);
    drop_old_attempts(pods);
    drop_earlier_runs(pods);
}

namespace {

// Of several classes with globalDefault the least counts, as for pods.
std::optional<std::int64_t> default_priority(const PriorityClasses& classes) {
    std::optional<std::int64_t> least;
    for (const auto& [name, known] : classes) {
        if (known.is_default)
            least = std::min(least.value_or(known.value), known.value);
    }
    return least;
}

}  // namespace

std::optional<std::int64_t> stated_priority(const Group& group, const PriorityClasses& classes) {
    if (group.policy.takes_default_priority) {
        const auto usual = default_priority(classes);
        return usual ? usual : group.priority;
    }
    if (group.priority || group.priority_class.empty())
        return group.priority;
    const auto known = classes.find(group.priority_class);
    return known == classes.end() ? std::nullopt : std::optional(known->second.value);
}

std::optional<std::int64_t> timeout_of(const GangFacts& facts) {
    std::optional<std::int64_t> longest;
    for (const auto& group : facts.groups) {
        if (group.group() != nullptr && group.group()->timeout)
            longest = std::max(longest.value_or(0), *group.group()->timeout);
    }
    return longest;
}

std::int64_t priority_of(const GangFacts& facts) {
    if (const auto* root = facts.root().group()) {
        if (const auto stated = stated_priority(*root, *facts.classes))
            return *stated;
    }
    std::optional<std::int64_t> highest;
    for (const auto& group : facts.groups) {
        for (const auto& row : group.pods) {
            if (row.exists())
                highest = std::max(highest.value_or(row.pod->priority), row.pod->priority);
        }
    }
    return highest.value_or(0);
}

std::vector<base::Text> scheduler_names_of(const GangFacts& facts) {
    std::vector<base::Text> names;  // Of profiles, so there are few.
    for (const auto& group : facts.groups) {
        for (const auto& row : group.pods) {
            if (std::ranges::find(names, row.pod->scheduler_name) == names.end())
                names.push_back(row.pod->scheduler_name);
        }
    }
    std::ranges::sort(names);
    return names;
}

namespace {

std::int64_t own_creation(const GangFacts& facts) {
    if (const auto* root = facts.root().group())
        return root->created;
    const auto& named = facts.root().pods;
    const auto created = [](const PodFacts& row) { return row.pod->created; };
    return named.empty() ? 0 : std::ranges::min_element(named, {}, created)->pod->created;
}

}  // namespace

std::int64_t created_of(const GangFacts& facts) {
    const auto created = own_creation(facts);
    if (facts.base == nullptr)
        return created;
    // Gangs of one second go in the order of their names.
    const bool is_named_first = facts.root().branch.key.by_name() < facts.base->key.by_name();
    return std::max(created, facts.base->created + (is_named_first ? 1 : 0));
}

bool preempts(const GangFacts& facts) {
    for (const auto& group : facts.groups) {
        if (group.group() != nullptr && group.group()->preempts)
            return *group.group()->preempts;
    }
    if (const auto* root = facts.root().group(); root != nullptr && !root->priority_class.empty()) {
        const auto known = facts.classes->find(root->priority_class);
        if (known != facts.classes->end())
            return known->second.preempts;
    }
    return std::ranges::all_of(facts.groups, [](const GroupFacts& group) {
        return std::ranges::all_of(group.pods, [](const PodFacts& row) { return row.pod->preempts; });
    });
}

}  // namespace echelon::model
