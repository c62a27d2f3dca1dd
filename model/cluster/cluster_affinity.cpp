// From terms of pods to the affinity constraints of one gang: which members every term treats alike, and what keeps
// them apart or together.

#include "model/cluster/cluster_state.hpp"
#include "model/cluster/labelled_members.hpp"
#include "model/cluster/topology_keys.hpp"
#include "model/gang/common_level.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

using Kind = PodTerm::Kind;

// The terms of a member and those that select it; members with equal ones are one affinity class.
struct TermUse {
    std::vector<std::uint32_t> own_terms;  // Its own, by number; sorted.
    std::vector<std::uint32_t> selected_by;

    auto operator<=>(const TermUse&) const = default;
    [[nodiscard]] bool empty() const { return own_terms.empty() && selected_by.empty(); }
};

// By what a term says: equal ones of several pods are one.
struct ByTerm {
    bool operator()(const PodTerm* a, const PodTerm* b) const { return *a < *b; }
};

bool has(const std::vector<std::uint32_t>& sorted, std::uint32_t number) {
    return std::ranges::binary_search(sorted, number);
}

}  // namespace

// Lives for one call. Terms are sorted; affinity classes are numbered by their first members.
class Cluster::State::AffinityResolver {
public:
    AffinityResolver(const State& state, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang)
        : state_(state), snapshot_(snapshot), gang_(gang) {
        for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
            rows_.push_back(state.pods.find(gang.members[m].uid));
            if (rows_.back() != nullptr)
                own_.insert(rows_.back());
        }
        for (const auto& placed : elsewhere) {
            const auto* row = state.pods.find(placed.uid);
            if (row != nullptr && !row->pod.occupies() && !own_.contains(row))
                elsewhere_.emplace_back(row, placed.node);
        }
    }

    // The anti-affinity of these pods, and toward them, is left out.
    void leave_out(const RunningGangs& running) {
        apart_without_ = own_;
        for (const auto& other : running.gangs) {
            for (const auto& pod : other.pods)
                apart_without_.insert(state_.pods.find(pod.uid));
        }
    }

    // Requires: `run`.
    void relate(RunningGangs& running) {
        if (gang_.affinity.empty())
            return;
        for (auto& other : running.gangs) {
            for (auto& pod : other.pods) {
                const auto* row = state_.pods.find(pod.uid);
                if (row == nullptr || own_.contains(row))
                    continue;
                pod.is_protected = pod.is_protected || is_friend(*row);
                for (std::uint32_t term = 0; term < terms_.size(); ++term) {
                    if (terms_[term]->kind == Kind::apart)
                        note_kept_away(term, *row, pod);
                }
            }
        }
    }

    void run() {
        collect_terms();
        number_affinity_classes();
        if (gang_.affinity.empty())
            return;
        gang_.affinity.barred.resize(gang_.affinity.affinity_classes);
        for (std::uint32_t term = 0; term < terms_.size(); ++term) {
            if (terms_[term]->kind == Kind::apart)
                keep_apart(term);
        }
        std::ranges::sort(gang_.affinity.apart);
        gang_.affinity.apart.erase(std::ranges::unique(gang_.affinity.apart).begin(), gang_.affinity.apart.end());
        for (std::uint32_t affinity_class = 1; affinity_class < gang_.affinity.affinity_classes; ++affinity_class) {
            keep_together(affinity_class);
        }
    }

private:
    using Row = PodRow;

    [[nodiscard]] bool selects_row(const PodTerm& term, const Row& row) const {
        return selects_namespace(term, row.pod.ns) && selects(term, row.pod.ns, state_.strings.read(row.labels));
    }
    [[nodiscard]] bool selects_member(const PodTerm& term, std::size_t m) const {
        return rows_[m] != nullptr && selects(term, rows_[m]->pod.ns, labels_[m]);
    }

    // Terms of members, and terms of other pods that keep a member away. For most gangs a check of the namespaces is
    // enough.
    void collect_terms() {
        std::set<const PodTerm*, ByTerm> terms;
        std::set<std::string_view> spaces;
        for (const auto* row : rows_) {
            if (row == nullptr)
                continue;
            for (const auto& term : row->pod.terms)
                terms.insert(&term);
            spaces.insert(row->pod.ns);
        }
        const auto& others = state_.affinity_terms.index_of_apart();
        if (terms.empty() && std::ranges::none_of(spaces, [&](auto ns) { return others.reaches(ns); }))
            return;
        for (std::size_t m = 0; m < rows_.size(); ++m) {
            labels_.push_back(rows_[m] == nullptr ? LabelViews{} : state_.strings.read(rows_[m]->labels));
            if (rows_[m] != nullptr)
                by_label_.add(labels_.back(), m);
        }
        const auto consider = [&](const PodTerm& term) {
            if (!terms.contains(&term) &&
                by_label_.any_of(term, [&](std::size_t m) { return selects_member(term, m); }) &&
                is_borne_by_others(term))
                terms.insert(&term);
        };
        for (const auto ns : spaces)
            others.for_each(ns, by_label_.labels(), consider);
        terms_.assign(terms.begin(), terms.end());
    }

    // True if a pod that occupies a node has the term of anti-affinity, or one that is expected elsewhere.
    [[nodiscard]] bool is_borne_by_others(const PodTerm& term) const {
        const auto& nodes = state_.affinity_terms.apart().find(term)->second;
        return !nodes.rbegin()->first.empty() ||
               std::ranges::any_of(elsewhere_, [&term](const auto& placed) { return carries(*placed.first, term); });
    }

    [[nodiscard]] static bool carries(const Row& row, const PodTerm& term) {
        return std::ranges::binary_search(row.pod.terms, term);
    }

    // [member]
    [[nodiscard]] std::vector<TermUse> terms_of_members() const {
        std::vector<TermUse> terms_of(rows_.size());
        for (std::uint32_t term = 0; term < terms_.size(); ++term) {
            static_cast<void>(by_label_.any_of(*terms_[term], [&](std::size_t m) {
                if (selects_member(*terms_[term], m))
                    terms_of[m].selected_by.push_back(term);
                return false;
            }));
        }
        for (std::size_t m = 0; m < rows_.size(); ++m) {
            if (rows_[m] == nullptr)
                continue;
            for (const auto& own : rows_[m]->pod.terms) {
                const auto term = std::ranges::lower_bound(terms_, &own, ByTerm{});
                terms_of[m].own_terms.push_back(static_cast<std::uint32_t>(term - terms_.begin()));
            }
            const auto repeated = std::ranges::unique(terms_of[m].own_terms);  // Sorted, as the pod's terms are.
            terms_of[m].own_terms.erase(repeated.begin(), repeated.end());
        }
        return terms_of;
    }

    void number_affinity_classes() {
        if (terms_.empty())
            return;
        std::map<TermUse, std::uint32_t> affinity_classes;
        terms_of_affinity_class_.emplace_back();
        auto terms_of = terms_of_members();
        for (std::size_t m = 0; m < rows_.size(); ++m) {
            if (terms_of[m].empty())
                continue;
            const auto [affinity_class, is_new] =
                affinity_classes.try_emplace(terms_of[m], gang_.affinity.affinity_classes);
            if (is_new) {
                ++gang_.affinity.affinity_classes;
                terms_of_affinity_class_.push_back(std::move(terms_of[m]));
            }
            gang_.members[m].affinity_class = affinity_class->second;
        }
        owning_affinity_classes_.resize(terms_.size());
        selected_affinity_classes_.resize(terms_.size());
        for (std::uint32_t affinity_class = 1; affinity_class < terms_of_affinity_class_.size(); ++affinity_class) {
            for (const auto term : terms_of_affinity_class_[affinity_class].own_terms)
                owning_affinity_classes_[term].push_back(affinity_class);
            for (const auto term : terms_of_affinity_class_[affinity_class].selected_by)
                selected_affinity_classes_[term].push_back(affinity_class);
        }
        number_absent();
    }

    // The terms of pods that don't exist are unknown: they are assumed to equal those of the leaf's first member.
    void number_absent() {
        for (const auto& group : gang_.groups) {
            if (!group.is_leaf || group.first_member == group.last_member)
                continue;
            for (auto m = group.first_member; m < group.last_member; ++m) {
                if (gang_.members[m].is_placeholder)
                    gang_.members[m].affinity_class = gang_.members[group.first_member].affinity_class;
            }
        }
        for (auto& gated : gang_.gated_members) {
            const auto& group = gang_.groups[gated.group];
            if (group.first_member < group.last_member)
                gated.affinity_class = gang_.members[group.first_member].affinity_class;
        }
    }

    std::uint32_t topology_key_of(const std::string& key) {
        auto& all = gang_.affinity.topology_keys;
        const auto [known, is_first] = topology_key_of_.try_emplace(key, static_cast<std::uint32_t>(all.size()));
        if (!is_first)
            return known->second;
        all.push_back(index_by_label(key, snapshot_, state_.node_index));
        return known->second;
    }

    void mark(const TopologyKeyIndex& topology_key, std::string_view name, std::vector<std::uint8_t>& numbers) const {
        const auto node = snapshot_.node(name);
        if (node && topology_key.of[*node] != nowhere)
            numbers[topology_key.of[*node]] = 1;
    }

    // [index of a value] 1: all of these terms select a pod there that is not in `without`.
    [[nodiscard]] std::vector<std::uint8_t> places_of(const TopologyKeyIndex& topology_key,
                                                      std::span<const std::uint32_t> terms,
                                                      const std::unordered_set<const Row*>& without) const {
        std::vector<std::uint8_t> numbers(topology_key.count, 0);
        const auto is_selected = [&](const Row& row) {
            return !without.contains(&row) &&
                   std::ranges::all_of(terms, [&](auto term) { return selects_row(*terms_[term], row); });
        };
        const auto look = [&](const std::vector<Row*>& here) {
            for (const auto* row : here) {
                if (is_selected(*row))
                    mark(topology_key, row->pod.node, numbers);
            }
        };
        const auto& first = *terms_[terms.front()];
        if (first.is_everywhere) {
            for (const auto& [ns, here] : state_.occupants.by_namespace()) {
                look(here);
            }
        }
        for (const auto& ns : first.namespaces) {
            const auto* here = state_.occupants.in(ns);
            if (here != nullptr && !first.is_everywhere)
                look(*here);
        }
        for (const auto& [row, node] : elsewhere_) {
            if (is_selected(*row))
                mark(topology_key, node, numbers);
        }
        return numbers;
    }

    // [index of a value] 1: a pod outside the gang there has this term.
    [[nodiscard]] std::vector<std::uint8_t> places_with(const TopologyKeyIndex& topology_key,
                                                        const PodTerm& term) const {
        std::vector<std::uint8_t> numbers(topology_key.count, 0);
        const auto& all = state_.affinity_terms.apart();
        if (const auto known = all.find(term); known != all.end()) {
            std::map<std::string_view, std::size_t> own;
            for (const auto* row : apart_without()) {
                if (row != nullptr && row->pod.occupies() && carries(*row, term))
                    ++own[row->pod.node];
            }
            for (const auto& [node, count] : known->second) {
                const auto ours = own.find(node);
                if (ours == own.end() || ours->second < count)
                    mark(topology_key, node, numbers);
            }
        }
        for (const auto& [row, node] : elsewhere_) {
            if (carries(*row, term))
                mark(topology_key, node, numbers);
        }
        return numbers;
    }

    // Bars the nodes with a value in `numbers`. With `is_only` bars all others, including those without the label.
    void bar(std::uint32_t affinity_class, const TopologyKeyIndex& topology_key,
             const std::vector<std::uint8_t>& numbers, bool is_only) {
        auto& row = gang_.affinity.barred[affinity_class];
        const bool says_nothing = !is_only && std::ranges::none_of(numbers, [](auto is_in) { return is_in != 0; });
        if (says_nothing)
            return;
        row.resize(snapshot_.node_count(), 0);
        for (NodeId node = 0; node < row.size(); ++node) {
            const bool is_in = topology_key.of[node] != nowhere && numbers[topology_key.of[node]] != 0;
            if (is_in != is_only)
                row[node] = 1;
        }
    }

    [[nodiscard]] const std::unordered_set<const Row*>& apart_without() const {
        return apart_without_.empty() ? own_ : apart_without_;
    }

    // All terms of affinity of some waiting member select the pod.
    [[nodiscard]] bool is_friend(const Row& row) const {
        for (std::uint32_t affinity_class = 1; affinity_class < terms_of_affinity_class_.size(); ++affinity_class) {
            bool has_terms = false;
            bool is_selected = true;
            for (const auto term : terms_of_affinity_class_[affinity_class].own_terms) {
                if (terms_[term]->kind == Kind::together) {
                    has_terms = true;
                    is_selected = is_selected && selects_row(*terms_[term], row);
                }
            }
            if (has_terms && is_selected && has_waiting(affinity_class))
                return true;
        }
        return false;
    }

    void note_kept_away(std::uint32_t term, const Row& row, RunningPod& pod) {
        const bool is_avoided = !owning_affinity_classes_[term].empty() && selects_row(*terms_[term], row);
        const bool avoids = !selected_affinity_classes_[term].empty() && carries(row, *terms_[term]);
        if ((!is_avoided && !avoids) || !state_.node_index.carries(terms_[term]->key))
            return;
        const auto topology_key = topology_key_of(terms_[term]->key);
        const auto value = gang_.affinity.topology_keys[topology_key].of[pod.node];
        if (value == nowhere)
            return;
        const auto note = [&](const std::vector<std::uint32_t>& affinity_classes) {
            for (const auto affinity_class : affinity_classes)
                pod.keeps_away.push_back({affinity_class, topology_key, value});
        };
        note(is_avoided ? owning_affinity_classes_[term] : std::vector<std::uint32_t>{});
        note(avoids ? selected_affinity_classes_[term] : std::vector<std::uint32_t>{});
    }

    void keep_apart(std::uint32_t term) {
        if (!state_.node_index.carries(terms_[term]->key))
            return;  // No two pods can share a value then.
        const auto topology_key = topology_key_of(terms_[term]->key);
        const auto& here = gang_.affinity.topology_keys[topology_key];
        if (!owning_affinity_classes_[term].empty()) {
            const std::array own{term};
            const auto selected = places_of(here, own, apart_without());
            for (const auto affinity_class : owning_affinity_classes_[term])
                bar(affinity_class, here, selected, false);
        }
        if (selected_affinity_classes_[term].empty())
            return;
        const auto with = places_with(here, *terms_[term]);
        for (const auto affinity_class : selected_affinity_classes_[term]) {
            bar(affinity_class, here, with, false);
            for (const auto other : owning_affinity_classes_[term]) {
                gang_.affinity.apart.push_back(
                    {topology_key, std::min(affinity_class, other), std::max(affinity_class, other)});
            }
        }
    }

    // Affinity classes that all of these terms select. Requires: there is a term.
    [[nodiscard]] std::vector<std::uint32_t> selected_by_all(const std::vector<std::uint32_t>& terms) const {
        const auto fewest =
            std::ranges::min(terms, {}, [this](auto term) { return selected_affinity_classes_[term].size(); });
        std::vector<std::uint32_t> affinity_classes;
        std::ranges::copy_if(
            selected_affinity_classes_[fewest], std::back_inserter(affinity_classes), [&](auto affinity_class) {
                return std::ranges::all_of(
                    terms, [&](auto term) { return has(terms_of_affinity_class_[affinity_class].selected_by, term); });
            });
        return affinity_classes;
    }

    [[nodiscard]] bool has_waiting(std::uint32_t affinity_class) const {
        return std::ranges::any_of(gang_.members, [affinity_class](const Member& member) {
            return member.affinity_class == affinity_class && member.state == Member::State::waiting;
        });
    }

    // Affinity: a friend is a pod that all terms of the affinity class select. This holds for the topologyKey of each
    // term.
    void keep_together(std::uint32_t affinity_class) {
        std::vector<std::uint32_t> terms;
        std::ranges::copy_if(terms_of_affinity_class_[affinity_class].own_terms, std::back_inserter(terms),
                             [this](auto term) { return terms_[term]->kind == Kind::together; });
        if (terms.empty() || !has_waiting(affinity_class))
            return;  // Terms of bound members no longer matter (Z43).
        const auto friends = selected_by_all(terms);
        for (const auto term : terms) {
            const auto topology_key = topology_key_of(terms_[term]->key);
            const auto& here = gang_.affinity.topology_keys[topology_key];
            const auto met = places_of(here, terms, own_);
            gang_.affinity.together.push_back({topology_key, affinity_class, friends, met});
            auto has_friend = met;  // [index of a value]
            for (std::size_t m = 0; m < rows_.size(); ++m) {
                if (rows_[m] != nullptr && gang_.members[m].state == Member::State::bound &&
                    has(friends, gang_.members[m].affinity_class))
                    mark(here, rows_[m]->pod.node, has_friend);
            }
            const bool is_begun = std::ranges::any_of(has_friend, [](auto is_in) { return is_in != 0; });
            if (is_begun) {
                bar(affinity_class, here, has_friend, true);
                gang_.affinity.is_exact = gang_.affinity.is_exact && !opens_elsewhere(affinity_class, terms, friends);
            } else if (friends.empty()) {
                bar(affinity_class, here, has_friend, true);
            } else {
                bar(affinity_class, here, std::vector<std::uint8_t>(here.count, 1), true);
                require_common_level(affinity_class, terms, friends, topology_key);
            }
        }
    }

    // Could an unbound friend go to a value where no friend is now?
    [[nodiscard]] bool opens_elsewhere(std::uint32_t affinity_class, const std::vector<std::uint32_t>& terms,
                                       const std::vector<std::uint32_t>& friends) const {
        return std::ranges::any_of(gang_.members, [&](const Member& member) {
            return member.state == Member::State::waiting && member.affinity_class != affinity_class &&
                   has(friends, member.affinity_class) &&
                   !std::ranges::includes(terms_of_affinity_class_[member.affinity_class].own_terms, terms);
        });
    }

    // No friend has a node yet: the smallest group around the affinity class and its friends requires the level. This
    // is exact if that group has no other members, none that is bound and would pin the level (D7), and if nodes with
    // one value are in one domain. If bound members are in several domains, the class gets no seat: the level would
    // take them from the whole group (D8).
    void require_common_level(std::uint32_t affinity_class, const std::vector<std::uint32_t>& terms,
                              const std::vector<std::uint32_t>& friends, std::uint32_t topology_key) {
        std::uint32_t around = nowhere;
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            for (auto m = gang_.groups[g].first_member; m < gang_.groups[g].last_member; ++m) {
                const auto of = gang_.members[m].affinity_class;
                if (gang_.groups[g].is_leaf && (of == affinity_class || has(friends, of)))
                    around = around == nowhere ? g : nearest_around(gang_, around, g);
            }
        }
        const auto& here = gang_.affinity.topology_keys[topology_key];
        const auto level = snapshot_.level(here.key);
        if (!level) {  // No node has the label: no member can be placed.
            gang_.affinity.is_exact = false;
            return;
        }
        if (requires_within(gang_, around, *level))
            return;  // The terms ask for nothing more.
        if (!is_bound_in_one_domain(gang_, snapshot_, around, *level)) {
            gang_.affinity.is_exact = false;
            return bar(affinity_class, here, std::vector<std::uint8_t>(here.count, 0), true);
        }
        gang_.affinity.is_exact = gang_.affinity.is_exact && !splits_values(snapshot_, *level, here);
        auto& required = gang_.groups[around].required;
        if (std::ranges::find(required, *level) == required.end()) {
            required.push_back(*level);
            std::ranges::sort(required);
        }
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            const auto& group = gang_.groups[g];
            for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
                const auto& member = gang_.members[m];
                const bool is_one_of_them =
                    member.state != Member::State::bound && has(friends, member.affinity_class) &&
                    std::ranges::includes(terms_of_affinity_class_[member.affinity_class].own_terms, terms);
                const bool is_inside =
                    member.state != Member::State::finished && nearest_around(gang_, around, g) == around;
                gang_.affinity.is_exact = gang_.affinity.is_exact && (!is_inside || is_one_of_them);
            }
        }
    }

    const State& state_;
    const Snapshot& snapshot_;
    Gang& gang_;
    std::vector<const Row*> rows_;    // [member]; null: it doesn't exist yet.
    std::vector<LabelViews> labels_;  // [member]
    std::unordered_set<const Row*> own_;
    std::unordered_set<const Row*> apart_without_;  // Pods whose anti-affinity does not count; empty: those of `own_`.
    std::vector<std::pair<const Row*, std::string_view>> elsewhere_;
    LabelledMembers by_label_;
    std::vector<const PodTerm*> terms_;                                  // Sorted by what they say.
    std::vector<TermUse> terms_of_affinity_class_;                       // [affinity class]
    std::vector<std::vector<std::uint32_t>> owning_affinity_classes_;    // [term] sorted affinity classes.
    std::vector<std::vector<std::uint32_t>> selected_affinity_classes_;  // [term] sorted affinity classes.
    std::map<std::string, std::uint32_t, std::less<>> topology_key_of_;  // By key.
};

void Cluster::State::resolve_affinity(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                                      Gang& gang) const {
    AffinityResolver(*this, snapshot, elsewhere, gang).run();
}

void Cluster::relate(const Gang& gang, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                     RunningGangs& running) const {
    if (gang.affinity.empty())
        return;
    auto alone = gang;
    alone.affinity = {};
    for (auto& member : alone.members)
        member.affinity_class = 0;
    for (auto& gated : alone.gated_members)
        gated.affinity_class = 0;
    State::AffinityResolver resolver(*state_, snapshot, elsewhere, alone);
    resolver.leave_out(running);
    resolver.run();
    resolver.relate(running);
    if (!state_->co_location.empty())
        state_->anchor(snapshot, elsewhere, alone);
    running.barred_anyway = std::move(alone.affinity.barred);
}

}  // namespace echelon::model
