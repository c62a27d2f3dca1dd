// What must be true after a long quiet time, by the state of the API server?

#include "unit-tests/simulator/simulation.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

bool is_known_level(const std::string& level) {
    return level == block_key || level == rack_key || level == host_key;
}

// Members that will still be created once the existing ones of their leaf have nodes; no others will come.
std::vector<model::Pod> members_to_come(const View& truth, const Tree& tree) {
    std::set<model::GroupKey> begun;
    for (const auto* pod : tree.members) {
        if (is_bound(truth, *pod) || is_finished_well(*pod))
            begun.insert(pod->membership->leaf);
    }
    auto pods = placeholders_of(truth, tree);
    std::erase_if(pods, [&](const auto& pod) { return begun.contains(pod.membership->leaf); });
    for (auto& pod : pods) {
        const auto is_like = [&](const auto* other) { return other->membership->leaf == pod.membership->leaf; };
        if (const auto first = std::ranges::find_if(tree.members, is_like); first != tree.members.end())
            std::tie(pod.ns, pod.terms) = std::tie((*first)->ns, (*first)->terms);
        pod.uid = fmt::format("to-come-{}", &pod - pods.data());
    }
    return pods;
}

bool is_kept_apart(const View& truth, const model::Pod& pod, const model::Node& node) {
    return kept_apart_by(truth, pod, node, [](const model::Pod& other) { return other.node.str(); }) != nullptr;
}

// Level -> the domains in which co-located gangs are bound (X5).
std::map<std::string, std::set<std::string>> shared_domains(const View& truth, const Tree& tree) {
    std::map<std::string, std::set<std::string>> shared;
    const auto anchor = anchor_near(truth, tree);
    const auto* base = anchor ? truth.group(*anchor) : nullptr;
    if (base == nullptr)
        return shared;
    for (const auto& level : base->required) {
        auto& domains = shared[level];
        for (const auto* pod : members_around(truth, *anchor)) {
            if (is_bound(truth, *pod))
                domains.insert(domain_of(truth.nodes.at(pod->node), level).value_or("outside"));
        }
    }
    return shared;
}

// All waiting members fit into one domain of the narrowest requested level, beside the bound ones. Sufficient for every
// minimum and level of the tree; not necessary.
bool surely_fits(const View& truth, const Tree& tree, const std::map<std::string, Room>& rooms) {
    std::string narrowest;
    std::set<std::string> levels;
    for (const auto& key : tree.groups) {
        for (const auto& level : truth.group(key)->required) {
            if (!is_known_level(level))
                return false;
            levels.insert(level);
            if (narrowest.empty() || level == host_key || (level == rack_key && narrowest == block_key))
                narrowest = level;
        }
    }
    std::set<std::string> domains;
    std::set<std::string> pinned;
    const auto shared = shared_domains(truth, tree);
    const auto domain = [&](const model::Node& node) {
        const auto is_in_one = [&](const std::string& level) { return domain_of(node, level).has_value(); };
        const auto is_shared = [&](const auto& entry) {
            const auto here = domain_of(node, entry.first);
            return here && (entry.second.empty() || entry.second == std::set{*here});
        };
        if (!std::ranges::all_of(levels, is_in_one) || !std::ranges::all_of(shared, is_shared))
            return std::optional<std::string>();
        return narrowest.empty() ? std::optional<std::string>("") : domain_of(node, narrowest);
    };
    for (const auto& [name, node] : truth.nodes) {
        if (const auto here = domain(node))
            domains.insert(*here);
    }
    std::vector<const model::Pod*> waiting;
    for (const auto* pod : tree.members) {
        if (is_bound(truth, *pod))
            pinned.insert(domain(truth.nodes.at(pod->node)).value_or("outside"));
        if (is_waiting(*pod))
            waiting.push_back(pod);
    }
    const auto placeholders = members_to_come(truth, tree);
    for (const auto& placeholder : placeholders)
        waiting.push_back(&placeholder);
    std::ranges::sort(waiting, [](const auto* a, const auto* b) {
        const auto size = [](const auto& pod) {
            return pod.pod_class.requests.of(gpu) + pod.pod_class.requests.of(device);
        };
        return size(*a) > size(*b);
    });
    return std::ranges::any_of(domains, [&](const std::string& candidate) {
        if (!pinned.empty() && (pinned.size() > 1 || *pinned.begin() != candidate))
            return false;
        auto left = rooms;
        auto there = truth;
        return std::ranges::all_of(waiting, [&](const model::Pod* pod) {
            for (const auto& [name, node] : truth.nodes) {
                if (domain(node) != candidate || !admits(node, *pod) || !left[name].fits(pod->pod_class.requests) ||
                    is_kept_apart(there, *pod, node))
                    continue;
                left[name].add(pod->pod_class.requests, -1);
                there.pods[pod->uid] = *pod;
                there.pods[pod->uid].node = name;
                return true;
            }
            return false;
        });
    });
}

// The whole gang fits once all less important pods are gone that no open commit protects. They are few enough to be
// evicted together.
bool could_preempt(const View& truth, const Tree& tree, std::map<std::string, Room> rooms,
                   const engine::Options& options) {
    const auto profile = options.profiles.find(scheduler_name);
    const bool needs_devices =
        std::ranges::any_of(tree.members, [](const auto* pod) { return !claim_of(*pod).empty(); });
    if (profile == options.profiles.end() || !profile->second.preempt || needs_devices)
        return false;
    const auto priority = priority_of(truth, tree.root);
    std::int64_t victims = 0;
    for (const auto& entry : truth.pods) {
        const auto& pod = entry.second;
        const auto root = root_of(truth, pod);
        const bool is_ours = pod.scheduler_name == scheduler_name || options.preemption.foreign;
        if (!is_bound(truth, pod) || !is_ours || (root ? priority_of(truth, *root) : pod.priority) >= priority)
            continue;
        const auto* plan = root ? truth.plan_of(*root) : nullptr;
        if (plan != nullptr && plan->phase == model::Phase::committed)
            continue;
        rooms.at(pod.node.str()).add(pod.pod_class.requests, 1);
        ++victims;
    }
    return victims > 0 && victims <= options.preemption.most_victims && surely_fits(truth, tree, rooms);
}

// Members of a co-located gang wait, maybe for its minimum, which comes before the extras of this one (Q3).
bool waits_beside(const View& truth, const Tree& tree) {
    const auto anchor = anchor_near(truth, tree);
    return anchor && std::ranges::any_of(members_around(truth, *anchor), [&](const auto* pod) {
               return is_waiting(*pod) && root_of(truth, *pod) != tree.root;
           });
}

Counts counts_with_those_to_come(const View& truth, const Tree& tree) {
    auto counts = complete_counts(truth, tree);
    for (const auto& placeholder : members_to_come(truth, tree))
        ++counts[placeholder.membership->leaf];
    return counts;
}

// Members beyond the minimum wait in groups that are complete with them.
bool has_waiting_extras(const View& truth, const Tree& tree) {
    const auto whole = satisfied(truth, tree, counts_with_those_to_come(truth, tree));
    return std::ranges::any_of(
        tree.members, [&](const auto* pod) { return is_waiting(*pod) && whole.contains(pod->membership->leaf); });
}

// Enough members wait in a leaf where bound ones don't count.
bool is_to_grow(const View& truth, const Tree& tree) {
    const auto whole = satisfied(truth, tree, complete_counts(truth, tree));
    return std::ranges::any_of(tree.members, [&](const auto* pod) {
        return is_waiting(*pod) && counts_only_waiting(truth, *pod) && whole.contains(pod->membership->leaf);
    });
}

bool counts_only_waiting(const View& truth, const Tree& tree) {
    return std::ranges::any_of(tree.members, [&](const auto* pod) { return counts_only_waiting(truth, *pod); });
}

}  // namespace

void check_i10_cache_truth(World& world, Process& leader) {
    const auto& truth = world.api.truth();
    const auto stats = leader.published()->stats;
    if (stats.nodes != truth.nodes.size() || stats.pods != truth.pods.size() || stats.groups != truth.group_count()) {
        return world.fail(
            "I10", fmt::format("it knows {} nodes, {} pods, {} groups; there are {}, {}, {}", stats.nodes, stats.pods,
                               stats.groups, truth.nodes.size(), truth.pods.size(), truth.group_count()));
    }
    if (!world.api.serves_plans)
        return;
    for (const auto& root : roots_of(truth)) {
        const auto tree = tree_of(truth, root);
        const auto* plan = truth.plan_of(root);
        if (plan == nullptr) {
            world.fail("I10", fmt::format("\"{}\" has no GangPlan", root.name));
            continue;
        }
        std::map<std::string, std::string> bound;
        for (const auto* pod : tree.members) {
            if (is_bound(truth, *pod))
                bound[pod->uid] = pod->node;
        }
        std::map<std::string, std::string> said;
        for (const auto& seat : plan->seats) {
            const auto* pod = truth.pod(seat.uid);
            if (seat.bound && (pod == nullptr || !is_finished_well(*pod)))  // A commit keeps members that have ended.
                said[seat.uid] = seat.node;
        }
        if (bound != said) {
            world.fail("I10", fmt::format("the GangPlan of \"{}\" says that {} members are bound, {} are", root.name,
                                          said.size(), bound.size()));
        }
        const bool is_whole = is_met(truth, tree, settled_counts(truth, tree));
        // What was bound before isn't enough for a commit that is under way.
        const bool goes_on = plan->phase == model::Phase::committed && counts_only_waiting(truth, tree);
        if (tree.is_sound && !goes_on && is_whole != (plan->phase == model::Phase::bound)) {
            world.fail("I10", fmt::format("the GangPlan of \"{}\" says {}, but its minimums are {}bound", root.name,
                                          model::to_string(plan->phase), is_whole ? "" : "not "));
        }
    }
    for (const auto& [name, plan] : truth.plans) {
        if (!roots_of(truth).contains(plan.root))
            world.fail("I10", fmt::format("the GangPlan \"{}\" is of a gang that is gone", name));
    }
}

void check_i1_nothing_left_silently(World& world) {
    const auto& truth = world.api.truth();
    if (!world.api.serves_plans)
        return;
    for (const auto& [name, plan] : truth.plans) {
        const auto tree = tree_of(truth, plan.root);
        const auto bound = std::ranges::count_if(tree.members, [&](const auto* pod) { return is_bound(truth, *pod); });
        if (bound == 0 || is_met(truth, tree, settled_counts(truth, tree)))
            continue;
        const bool is_told = !plan.reason.empty() || plan.phase == model::Phase::degraded;
        if (!is_told) {
            world.fail("I1", fmt::format("{} members of \"{}\" are bound, its minimum isn't, and nothing says so",
                                         bound, plan.root.name));
        }
    }
}

void check_p5_no_clearing_is_left(World& world) {
    for (const auto& [name, plan] : world.api.truth().plans) {
        if (plan.phase == model::Phase::clearing)
            world.fail("P5", fmt::format("\"{}\" still waits for victims", plan.root.name));
    }
}

void check_i7_nothing_held(World& world, Process& leader) {
    for (const auto& [uid, node] : leader.witness()->pinned())
        world.fail("I7", fmt::format("{} still has a seat on \"{}\", and nothing happens", uid, node));
    if (leader.witness()->open_calls() > 0)
        world.fail("I12", fmt::format("{} bind calls still wait", leader.witness()->open_calls()));
}

void check_i11_liveness(World& world, Process& leader) {
    const auto& truth = world.api.truth();
    auto rooms = room_of(truth);
    // kube-scheduler takes devices back from pods that wait in vain.
    for (const auto& [uid, pod] : truth.pods) {
        if (is_waiting(pod) && rooms.contains(allocated_on(truth, pod)))
            rooms.at(allocated_on(truth, pod)).devices += pod.pod_class.requests.of(device);
    }
    // Domain reservations block other gangs for a while, but never a gang that has begun (B6).
    const bool may_be_hindered = leader.witness()->may_be_hindered();
    for (const auto& root : roots_of(truth)) {
        const auto tree = tree_of(truth, root);
        const bool stands = is_met(truth, tree, settled_counts(truth, tree)) && !is_to_grow(truth, tree);
        const bool is_over = stands && !has_waiting_extras(truth, tree);
        if (!tree.is_sound || is_over || !is_met(truth, tree, counts_with_those_to_come(truth, tree)))
            continue;
        const bool has_begun =
            std::ranges::any_of(tree.members, [&](const auto* pod) { return is_bound(truth, *pod); });
        if (stands && waits_beside(truth, tree))
            continue;
        if (may_be_hindered && (stands || !has_begun || counts_only_waiting(truth, tree)))
            continue;
        if (surely_fits(truth, tree, rooms)) {
            world.fail("I11", fmt::format("\"{}\" is complete and there is room for it, but {} isn't bound", root.name,
                                          stands ? "an extra" : "it"));
        } else if (world.api.serves_plans && !stands && !has_begun && !may_be_hindered &&
                   could_preempt(truth, tree, rooms, leader.options())) {
            world.fail("I11", fmt::format("\"{}\" is complete and may evict others, but it isn't bound", root.name));
        }
    }
    for (const auto& entry : truth.pods) {
        const auto& pod = entry.second;
        if (pod.membership || !pod.node.empty() || pod.scheduler_name != scheduler_name || pod.deleting)
            continue;
        const bool has_room = std::ranges::any_of(truth.nodes, [&](const auto& node) {
            return admits(node.second, pod) && rooms.at(node.first).fits(pod.pod_class.requests) &&
                   !is_kept_apart(truth, pod, node.second);
        });
        if (has_room)
            world.fail("I11", fmt::format("plain pod {} isn't bound, and there is room for it", entry.first));
    }
}

}  // namespace echelon::simulator
