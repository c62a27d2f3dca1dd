#include "solver/violations.hpp"

#include "model/facts/usage.hpp"
#include "solver/device_violations.hpp"
#include "solver/domain_rule_violations.hpp"
#include "solver/zone_violations.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::LevelRef;
using model::Member;
using model::NodeId;
using model::Snapshot;
using Kind = Violation::Kind;

// Reads a plan against the facts, rule by rule. Slow and plain on purpose.
class Referee {
public:
    Referee(const Snapshot& snapshot, const Gang& gang, const Plan& plan)
        : snapshot_(snapshot), gang_(gang), plan_(plan), node_of_(gang.members.size(), model::nowhere) {}

    std::vector<Violation> judge() {
        if (gang_.groups.empty()) {
            if (!plan_.seats.empty()) {
                report(Kind::seat, "a gang without groups has {} seats", plan_.seats.size());
            }
            return std::move(found_);
        }
        judge_seats();
        if (found_.empty()) {
            list_affinity_classes();
            judge_room();
            for (std::string& sentence : broken_zones(snapshot_, gang_, plan_)) {
                found_.push_back({Kind::room, std::move(sentence)});
            }
            for (std::string& sentence : broken_devices(snapshot_, gang_, plan_)) {
                found_.push_back({Kind::room, std::move(sentence)});
            }
            judge_groups();
            for (std::string& sentence : broken_domain_rules(snapshot_, gang_, node_of_)) {
                found_.push_back({Kind::level, std::move(sentence)});
            }
            judge_apart();
            judge_together();
        }
        return std::move(found_);
    }

private:
    template <typename... Args>
    void report(Violation::Kind kind, fmt::format_string<Args...> text, Args&&... args) {
        found_.push_back({kind, fmt::format(text, std::forward<Args>(args)...)});
    }

    // For sentences.
    std::string_view pod(std::uint32_t member) const {
        const std::string& name = gang_.members[member].pod;
        return name.empty() ? std::string_view("(not created yet)") : name;
    }

    void judge_seats() {
        std::uint32_t previous = 0;
        for (const Seat& seat : plan_.seats) {
            if (seat.member >= gang_.members.size()) {
                report(Kind::seat, "a seat names member {} of {}", seat.member, gang_.members.size());
                continue;
            }
            const Member& member = gang_.members[seat.member];
            if (seat.member < previous) {
                report(Kind::seat, "pod {}: seats are not in member order", pod(seat.member));
            }
            previous = seat.member;
            if (seat.node >= snapshot_.node_count()) {
                report(Kind::seat, "pod {} sits on node {} of {}", pod(seat.member), seat.node, snapshot_.node_count());
                continue;
            }
            const std::string& node = snapshot_.node_names[seat.node];
            if (member.state != Member::State::waiting) {
                report(Kind::seat, "pod {} sits on {} but isn't waiting", pod(seat.member), node);
            }
            if (node_of_[seat.member] != model::nowhere) {
                report(Kind::seat, "pod {} sits twice", pod(seat.member));
            }
            if (snapshot_.usable[seat.node] == 0) {
                report(Kind::seat, "pod {} sits on {}, which isn't usable", pod(seat.member), node);
            } else if (snapshot_.eligible[member.pod_class][seat.node] == 0) {
                report(Kind::seat, "pod {} sits on {}, which isn't eligible for it", pod(seat.member), node);
            }
            if (gang_.affinity.is_barred(member.affinity_class, seat.node)) {
                report(Kind::affinity, "pod {} sits on {}, where pod affinity or anti-affinity doesn't let it",
                       pod(seat.member), node);
            }
            node_of_[seat.member] = seat.node;
        }
    }

    void list_affinity_classes() {
        for (std::uint32_t m = 0; m < gang_.members.size(); ++m) {
            members_of_[gang_.members[m].affinity_class].push_back(m);
        }
    }

    // The number of the label value of the member's node after the plan; nowhere: no node, or no label.
    std::uint32_t number_of(const model::TopologyKeyIndex& topology_key, std::uint32_t member) const {
        const NodeId node = place_of(member);
        return node == model::nowhere ? model::nowhere : topology_key.of[node];
    }

    const std::vector<std::uint32_t>& members_of(std::uint32_t affinity_class) const {
        static const std::vector<std::uint32_t> none;
        const auto found = members_of_.find(affinity_class);
        return found == members_of_.end() ? none : found->second;
    }

    bool has_seat(std::uint32_t member) const { return node_of_[member] != model::nowhere; }

    // The members of an affinity class by the label value of their node, those with seats first.
    std::map<std::uint32_t, std::vector<std::uint32_t>> placed(std::uint32_t affinity_class,
                                                               const model::TopologyKeyIndex& topology_key) const {
        std::map<std::uint32_t, std::vector<std::uint32_t>> by_number;
        for (const bool with_seats : {true, false}) {
            for (const std::uint32_t m : members_of(affinity_class)) {
                const std::uint32_t number = number_of(topology_key, m);
                if (has_seat(m) == with_seats && number != model::nowhere) {
                    by_number[number].push_back(m);
                }
            }
        }
        return by_number;
    }

    // D14: no seat breaks anti-affinity. If two bound members break it, the plan is not at fault.
    void judge_apart() {
        for (const model::Separation& rule : gang_.affinity.apart) {
            const model::TopologyKeyIndex& topology_key = gang_.affinity.topology_keys[rule.topology_key];
            const auto ones = placed(rule.one, topology_key);
            for (const std::uint32_t m : members_of(rule.other)) {
                const auto here = ones.find(number_of(topology_key, m));
                if (here == ones.end()) {
                    continue;
                }
                const auto one = std::ranges::find_if(here->second, [m](std::uint32_t each) { return each != m; });
                if (one != here->second.end() && (has_seat(*one) || has_seat(m))) {
                    report(Kind::affinity, "pods {} and {} keep apart, but share a {}", pod(*one), pod(m),
                           topology_key.key);
                }
            }
        }
    }

    // D14: the members can come one after another, each beside a friend that came before: a pod that its affinity
    // selects. The first of all friends may be alone.
    void judge_together() {
        const auto& rules = gang_.affinity.together;
        std::vector<std::size_t> unmet(gang_.members.size());  // Rules that lack a friend.
        // By affinity class: rules of which it is a friend.
        std::map<std::uint32_t, std::vector<std::size_t>> followed;
        // By rule and label value: members for which no friend has come.
        std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::uint32_t>> lacking;
        for (std::size_t r = 0; r < rules.size(); ++r) {
            for (const std::uint32_t affinity_class : rules[r].friends) {
                followed[affinity_class].push_back(r);
            }
            for (const std::uint32_t m : followers(rules[r])) {
                lacking[{r, number_of(gang_.affinity.topology_keys[rules[r].topology_key], m)}].push_back(m);
                ++unmet[m];
            }
        }
        std::vector<std::uint32_t> come;
        std::ranges::copy_if(std::views::iota(0U, static_cast<std::uint32_t>(unmet.size())), std::back_inserter(come),
                             [&](auto m) { return place_of(m) != model::nowhere && unmet[m] == 0; });
        for (std::size_t i = 0; i < come.size(); ++i) {
            for (const std::size_t r : followed[gang_.members[come[i]].affinity_class]) {
                const std::uint32_t number = number_of(gang_.affinity.topology_keys[rules[r].topology_key], come[i]);
                const auto here = number == model::nowhere ? lacking.end() : lacking.find({r, number});
                if (here != lacking.end()) {
                    std::ranges::copy_if(here->second, std::back_inserter(come),
                                         [&](auto m) { return --unmet[m] == 0; });
                    lacking.erase(here);
                }
            }
        }
        for (const auto& [at, members] : lacking) {
            for (const std::uint32_t m : members) {
                report(Kind::affinity, "pod {} has no pod to follow into its {}", pod(m),
                       gang_.affinity.topology_keys[rules[at.first].topology_key].key);
            }
        }
    }

    // The members with seats that need a friend of the gang to come before them.
    std::vector<std::uint32_t> followers(const model::Attraction& rule) const {
        const model::TopologyKeyIndex& topology_key = gang_.affinity.topology_keys[rule.topology_key];
        std::map<std::uint32_t, std::int64_t> friends_at;
        std::int64_t friends = 0;
        for (const std::uint32_t affinity_class : rule.friends) {
            for (const auto& [number, members] : placed(affinity_class, topology_key)) {
                friends_at[number] += std::ssize(members);
                friends += std::ssize(members);
            }
        }
        const bool may_begin = std::ranges::find(rule.friends, rule.affinity_class) != rule.friends.end() &&
                               std::ranges::none_of(rule.met, [](std::uint8_t met) { return met != 0; });
        std::vector<std::uint32_t> found;
        for (const std::uint32_t m : members_of(rule.affinity_class)) {
            const std::uint32_t number = number_of(topology_key, m);
            const bool is_somewhere = number != model::nowhere;
            const bool may_be_first = is_somewhere && may_begin && friends_at[number] == friends;
            if (has_seat(m) && !may_be_first && (!is_somewhere || rule.met[number] == 0)) {
                found.push_back(m);
            }
        }
        return found;
    }

    void judge_room() {
        std::vector<Seat> seats = plan_.seats;
        std::ranges::sort(seats, {}, &Seat::node);
        for (auto here = seats.begin(); here != seats.end();) {
            const NodeId node = here->node;
            const auto next = std::ranges::find_if(here, seats.end(), [&](const Seat& s) { return s.node != node; });
            for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
                std::int64_t sum = 0;
                for (const Seat& seat : std::ranges::subrange(here, next)) {
                    sum = model::saturating_sum(sum, snapshot_.need[gang_.members[seat.member].pod_class][r]);
                }
                const std::int64_t room = snapshot_.room[r][node];
                if (sum > 0 && sum > room) {
                    report(Kind::room, "node {} is overcommitted: {} of {} where {} is left",
                           snapshot_.node_names[node], sum, snapshot_.resources[r], std::max<std::int64_t>(room, 0));
                }
            }
            here = next;
        }
    }

    // The node of a member after the plan; nowhere: none.
    NodeId place_of(std::uint32_t index) const {
        const Member& member = gang_.members[index];
        return member.state == Member::State::bound ? member.node : node_of_[index];
    }

    template <typename Visit>
    void each_leaf(std::uint32_t group, const Visit& visit) const {
        if (gang_.groups[group].is_leaf) {
            visit(gang_.groups[group]);
        }
        for (const std::uint32_t child : gang_.groups[group].children) {
            each_leaf(child, visit);
        }
    }

    std::vector<NodeId> nodes_below(std::uint32_t group) const {
        std::vector<NodeId> nodes;
        each_leaf(group, [&](const GangGroup& leaf) {
            for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
                if (place_of(m) != model::nowhere) {
                    nodes.push_back(place_of(m));
                }
            }
        });
        return nodes;
    }

    std::int64_t seats_below(std::uint32_t group) const {
        std::int64_t seats = 0;
        each_leaf(group, [&](const GangGroup& leaf) {
            seats += std::count_if(node_of_.begin() + leaf.first_member, node_of_.begin() + leaf.last_member,
                                   [](NodeId node) { return node != model::nowhere; });
        });
        return seats;
    }

    std::int64_t counting_below(std::uint32_t group) const {
        std::int64_t counting = 0;
        each_leaf(group, [&](const GangGroup& leaf) {
            for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
                const bool counts = gang_.members[m].state == Member::State::finished || place_of(m) != model::nowhere;
                counting += counts ? 1 : 0;
            }
        });
        return counting;
    }

    // The first node that isn't in the same domain as the others; nowhere: all are together.
    NodeId node_outside(std::uint32_t group, LevelRef level) const {
        const auto& domain_of = snapshot_.trees[level.tree].domain_of[level.depth];
        std::uint32_t domain = model::nowhere;
        for (const NodeId node : nodes_below(group)) {
            if (domain_of[node] == model::nowhere || (domain != model::nowhere && domain != domain_of[node])) {
                return node;
            }
            domain = domain_of[node];
        }
        return model::nowhere;
    }

    // Computed once per group.
    bool is_satisfied(std::uint32_t index) {
        if (!satisfied_[index]) {
            satisfied_[index] = judge_satisfaction(index);
        }
        return *satisfied_[index];
    }

    bool judge_satisfaction(std::uint32_t index) {
        const GangGroup& group = gang_.groups[index];
        for (const LevelRef level : group.required) {
            if (node_outside(index, level) != model::nowhere) {
                return false;
            }
        }
        const std::int64_t minimum = group.basic ? std::max<std::int64_t>(group.minimum, 1) : group.minimum;
        if (group.is_leaf) {
            return counting_below(index) >= minimum;
        }
        std::int64_t children = 0;
        for (const std::uint32_t child : group.children) {
            children += is_satisfied(child) ? 1 : 0;
        }
        return children >= minimum && counting_below(index) >= group.floor;
    }

    void judge_groups() {
        satisfied_.resize(gang_.groups.size());
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            const GangGroup& group = gang_.groups[g];
            if (seats_below(g) == 0) {
                continue;
            }
            for (const LevelRef level : group.required) {
                if (const NodeId node = node_outside(g, level); node != model::nowhere) {
                    report(Kind::level, "group {}: {} is outside its domain of {}", group.key.name,
                           snapshot_.node_names[node], snapshot_.trees[level.tree].keys[level.depth]);
                }
            }
            for (const auto& [level, multiple] : group.multiples) {
                judge_multiple(g, level, multiple);
            }
            if (!is_satisfied(g)) {
                report(Kind::minimum, "group {} has seats but isn't satisfied", group.key.name);
            }
        }
        if (!is_satisfied(0)) {
            report(Kind::minimum, "gang {}: the minimum isn't met", gang_.name());
        }
    }

    // The seats in each domain are whole multiples, or complete a partial one.
    void judge_multiple(std::uint32_t g, LevelRef level, std::int64_t multiple) {
        const auto& domain_of = snapshot_.trees[level.tree].domain_of[level.depth];
        std::map<std::uint32_t, std::int64_t> seats;
        std::map<std::uint32_t, std::int64_t> bound;
        each_leaf(g, [&](const GangGroup& leaf) {
            for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
                const model::Member& member = gang_.members[m];
                if (node_of_[m] != model::nowhere) {
                    ++seats[domain_of[node_of_[m]]];
                } else if (member.state == model::Member::State::bound && member.node != model::nowhere) {
                    ++bound[domain_of[member.node]];
                }
            }
        });
        for (const auto& [domain, count] : seats) {
            const bool is_whole = count % multiple == 0 || (count + bound[domain]) % multiple == 0;
            if (domain == model::nowhere || !is_whole) {
                report(Kind::level, "group {}: {} seats in one {} aren't a multiple of {}", gang_.groups[g].key.name,
                       count, snapshot_.trees[level.tree].keys[level.depth], multiple);
            }
        }
    }

    const Snapshot& snapshot_;
    const Gang& gang_;
    const Plan& plan_;
    std::vector<NodeId> node_of_;                                     // Per member: its seat.
    std::map<std::uint32_t, std::vector<std::uint32_t>> members_of_;  // By affinity class.
    std::vector<std::optional<bool>> satisfied_;                      // [group]
    std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> violations(const Snapshot& snapshot, const Gang& gang, const Plan& plan) {
    return Referee(snapshot, gang, plan).judge();
}

}  // namespace echelon::solver
