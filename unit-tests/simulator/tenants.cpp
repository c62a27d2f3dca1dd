#include "unit-tests/simulator/tenants.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

constexpr const char* foreign_gate = "example.com/quota";

model::GroupKey leaf_key(const std::string& name) {
    return {"podgroup", "default/" + name};
}
model::GroupKey composite_key(const std::string& name) {
    return {"compositepodgroup", "default/" + name};
}

model::Group group_of(const model::GroupKey& key, std::int64_t minimum) {
    model::Group group;
    group.key = key;
    group.kind = key.kind == "podgroup" ? model::GroupKind::leaf : model::GroupKind::composite;
    group.minimum = minimum;
    group.api_version = "scheduling.k8s.io/v1alpha3";
    group.api_kind = group.kind == model::GroupKind::leaf ? "PodGroup" : "CompositePodGroup";
    group.generation = 1;
    return group;
}

std::vector<std::string> any_level(Random& random) {
    static const std::vector<std::vector<std::string>> levels{{}, {}, {rack_key}, {rack_key}, {block_key}, {host_key}};
    return random.one_of(levels);
}

}  // namespace

Tenants::Tenants(World& world, std::uint64_t seed)
    : world_(world),
      labels_(mixed(seed ^ 0x1abe1)),
      uses_labels_(labels_.chance(250)),
      late_(mixed(seed ^ 0x1a7e)),
      has_late_members_(late_.chance(250)),
      has_late_children_(late_.chance(200)),
      waiting_(mixed(seed ^ 0x3a17)),
      counts_only_waiting_(waiting_.chance(200) && world.api.serves_plans),
      apart_(mixed(seed ^ 0xa9a27)),
      keeps_apart_(apart_.chance(300)),
      anchors_(mixed(seed ^ 0xa2c402)),
      has_anchors_(anchors_.chance(200)),
      stages_(mixed(seed ^ 0x57a9e5)),
      devices_(mixed(seed ^ 0xde71)),
      edits_(mixed(seed ^ 0xed17)),
      has_edits_(edits_.chance(250)),
      evictions_(mixed(seed ^ 0xe71c)) {
    world_.api.allows_eviction = [this](const model::Pod&) { return world_.is_quiet || evictions_.chance(850); };
    world_.api.evicted = [this](const model::Pod& pod) { end_evicted(pod.uid); };
    world_.api.bound = [this](const model::BindPod&, const model::Pod& pod) {
        run(pod.uid, Time{world_.random.between(10, 300)});
        if (!claim_of(pod).empty())
            static_cast<void>(world_.api.allocate(pod, pod.node));
        if (has_late_members_ || has_late_children_)
            remake(Time{late_.between(5, 4000)});
    };
    world_.api.ended = [this](const model::Pod& pod) { end_claim(pod); };
    if (has_late_children_)
        add_child_later();
    if (has_edits_)
        edit_later();
}

void Tenants::move_in(Random& random) {
    blocks_ = static_cast<int>(random.between(1, 2));
    racks_ = static_cast<int>(random.between(1, 3));
    gpus_ = random.chance(700) ? 8 : 4;
    const auto nodes = std::max<std::int64_t>(4, random.between(1, 4) * blocks_ * racks_);
    for (std::int64_t n = 0; n < nodes; ++n)
        add_node(random);
    for (auto gangs = random.between(1, 5); gangs > 0; --gangs)
        add_gang(random);
    if (random.chance(500))
        add_plain_pods(random);
}

void Tenants::add_node(Random& random) {
    if (world_.api.truth().nodes.size() >= 24)
        return;
    const int number = last_node_++;
    model::Node node;
    node.name = fmt::format("n{:02}", number);
    node.uid = world_.api.fresh_uid(node.name);
    node.labels = {{block_key, fmt::format("b{}", number % blocks_)},
                   {rack_key, fmt::format("r{}", number / blocks_ % racks_)},
                   {host_key, node.name}};
    node.allocatable = {{"cpu", 32'000}, {"pods", 8}, {gpu, random.chance(850) ? gpus_ : gpus_ / 2}};
    add_devices(node);
}

void Tenants::add_gang(Random& random) {
    if (gangs_.size() >= 8)
        return;
    const auto name = fmt::format("g{}", ++last_gang_);
    auto& gang = gangs_[name];
    grow(gang, name, random);
    if (uses_labels_ && gang.groups.size() == 1 && labels_.chance(500))
        declare_by_labels(gang);
    if (has_late_members_ && !gang.groups.empty() && late_.chance(600))
        let_come_late(gang);
    if (counts_only_waiting_)
        count_only_waiting(gang);
    if (has_edits_ && edits_.chance(500))
        number_attempt(gang, 0);
    if (has_anchors_ && anchors_.chance(500))
        anchor(gang, name);
    ask_by_claims(gang);
    create(gang, random);
}

// Without GangPlans it is unknown after a restart which members ran before those being bound.
void Tenants::count_only_waiting(Gang& gang) {
    for (auto& group : gang.groups) {
        group.policy.counts_only_waiting =
            group.kind == model::GroupKind::leaf && !group.start_set && waiting_.chance(700);
        if (waiting_.chance(300))
            group.timeout = waiting_.between(20, 300);
    }
}

// A running gang of gangs is scaled up by a group.
void Tenants::add_child() {
    std::vector<std::string> composites;
    for (const auto& [name, gang] : gangs_) {
        if (gang.groups.size() > 1 && gang.groups.size() < 8)
            composites.push_back(name);
    }
    if (composites.empty())
        return;
    const auto name = late_.one_of(composites);
    auto& gang = gangs_.at(name);
    auto leaf = group_of(leaf_key(fmt::format("{}-{}", name, gang.groups.size() + 10)), late_.between(1, 3));
    leaf.parent = gang.groups.front().key;
    leaf.required = late_.chance(400) ? any_level(late_) : std::vector<std::string>{};
    leaf.priority = gang.groups.front().priority;
    leaf.created = ++last_created_;
    gang.groups.push_back(leaf);
    const auto before = gang.pods.size();
    auto like = gang.pods.front();
    like.gates = late_.chance(500) ? std::vector<std::string>{model::gang_gate} : std::vector<std::string>{};
    add_members(gang, leaf, late_.chance(200) ? 1 : 0, like);
    if (late_.chance(500))
        let_come_late(gang, gang.groups.back());
    const Gang added{{gang.groups.back()}, {gang.pods.begin() + static_cast<std::ptrdiff_t>(before), gang.pods.end()}};
    create(added, late_);
}

// The same gang without an object: each member says what the gang asks for.
void Tenants::declare_by_labels(Gang& gang) {
    model::Group root;
    root.key = {"label-gang", gang.groups.front().key.name};
    root.minimum = gang.groups.front().minimum;
    root.required = gang.groups.front().required;
    for (auto& pod : gang.pods)
        pod.membership = model::Membership{root.key, {root}, -1, ""};
    gang.groups.clear();
}

void Tenants::grow(Gang& gang, const std::string& name, Random& random) {
    model::Pod like;
    like.ns = "default";
    like.scheduler_name = scheduler_name;
    like.priority = random.between(0, 2) * 10;
    like.terms = terms_of_members();
    static const std::vector<std::int64_t> sizes{1, 2, 4, 8};
    like.pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {gpu, std::min(random.one_of(sizes), gpus_)}};
    if (random.chance(650)) {
        like.gates = {model::gang_gate};
    } else if (random.chance(100)) {
        like.gates = {foreign_gate};
    }
    if (random.chance(150))
        like.pod_class.tolerations = {{"example.com/odd", true, "", std::nullopt}};
    ++last_created_;
    if (random.chance(600)) {
        auto leaf = group_of(leaf_key(name), random.between(1, 6));
        leaf.required = any_level(random);
        leaf.priority = like.priority;
        leaf.created = last_created_;
        gang.groups.push_back(leaf);
        return add_members(gang, leaf, random.chance(300) ? random.between(1, 2) : 0, like);
    }
    const auto children = random.between(2, 4);
    auto root = group_of(composite_key(name), random.chance(600) ? children : random.between(1, children));
    root.required = random.chance(400) ? std::vector<std::string>{block_key} : std::vector<std::string>{};
    root.priority = like.priority;
    root.created = last_created_;
    gang.groups.push_back(root);
    for (std::int64_t child = 0; child < children; ++child) {
        auto leaf = group_of(leaf_key(fmt::format("{}-{}", name, child)), random.between(1, 3));
        leaf.parent = root.key;
        leaf.required = random.chance(400) ? any_level(random) : std::vector<std::string>{};
        leaf.priority = like.priority;
        leaf.created = last_created_;
        gang.groups.push_back(leaf);
        add_members(gang, leaf, random.chance(200) ? 1 : 0, like);
    }
}

void Tenants::add_members(Gang& gang, const model::Group& leaf, std::int64_t extras, const model::Pod& like) {
    const auto name = leaf.key.name.str().substr(leaf.key.name.str().find('/') + 1);
    for (std::int64_t member = 0; member < *leaf.minimum + extras; ++member) {
        auto pod = like;
        pod.name = fmt::format("{}-p{}", name, member);
        pod.created = last_created_;
        pod.membership = model::Membership{leaf.key, {}, -1, like.membership ? like.membership->attempt : ""};
        gang.pods.push_back(pod);
    }
}

// Groups and pods come in any order.
void Tenants::create(const Gang& gang, Random& random) {
    const auto spread = random.chance(700) ? 20 : 3000;
    for (auto group : gang.groups) {
        group.uid = world_.api.fresh_uid(group.key.name);
        world_.clock.after(Time{random.between(0, spread)}, [this, group] {
            const bool is_wanted = std::ranges::any_of(gangs_, [&](const auto& entry) {
                return std::ranges::any_of(entry.second.groups, [&](const auto& g) { return g.key == group.key; });
            });
            if (is_wanted && world_.api.truth().group(group.key) == nullptr)
                world_.api.put(group);
        });
    }
    for (const auto& pod : gang.pods)
        world_.clock.after(Time{random.between(0, spread)}, [this, pod] { put_pod(pod); });
}

void Tenants::put_pod(model::Pod pod) {
    const auto is_wanted = std::ranges::any_of(gangs_, [&](const auto& entry) {
        return std::ranges::any_of(entry.second.pods, [&](const auto& p) { return p.name == pod.name; }) &&
               may_come(entry.second, pod);
    });
    if (!is_wanted || world_.api.truth().pod_named(pod.full_name()) != nullptr)
        return;
    follow(pod);
    pod.uid = world_.api.fresh_uid(pod.name);
    world_.api.put(pod);
    create_claim(pod);
}

void Tenants::add_plain_pods(Random& random) {
    for (auto count = random.between(1, 3); count > 0; --count) {
        model::Pod pod;
        pod.ns = "default";
        pod.name = fmt::format("plain-{}", ++last_plain_);
        pod.uid = world_.api.fresh_uid(pod.name);
        pod.scheduler_name = scheduler_name;
        pod.priority = random.between(0, 2) * 10;
        pod.created = ++last_created_;
        pod.pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {gpu, random.between(0, 4)}};
        keep_apart(pod);
        world_.api.put(pod);
        const auto life = Time{random.between(500, 60'000)};
        world_.clock.after(life, [this, uid = pod.uid] { world_.api.remove_pod(uid); });
    }
}

void Tenants::run(const std::string& uid, Time delay) {
    world_.clock.after(delay, [this, uid] {
        const auto* pod = world_.api.truth().pod(uid);
        if (pod == nullptr || pod->node.empty() || pod->is_finished() || !world_.api.truth().nodes.contains(pod->node))
            return;
        auto running = *pod;
        running.phase = model::PodPhase::running;
        world_.api.put(running);
    });
}

void Tenants::delete_pod(const std::string& uid, Random& random) {
    const auto* pod = world_.api.truth().pod(uid);
    if (pod == nullptr)
        return;
    const bool is_gone_at_once = pod->node.empty() && random.chance(800);
    if (is_gone_at_once) {
        world_.api.remove_pod(uid);
    } else {
        auto going = *pod;
        going.deleting = true;
        world_.api.put(going);
        world_.clock.after(Time{random.between(5, 5000)}, [this, uid] { world_.api.remove_pod(uid); });
    }
    remake(Time{random.between(5, 8000)});
}

void Tenants::remake(Time delay) {
    world_.clock.after(delay, [this] {
        collect_plans();
        collect_pods_of_lost_nodes();
        for (const auto& [name, gang] : gangs_) {
            for (const auto& pod : gang.pods)
                put_pod(pod);
        }
    });
}

// The garbage collector: a GangPlan goes with its owner.
void Tenants::collect_plans() {
    std::vector<std::string> orphans;
    for (const auto& [name, plan] : world_.api.truth().plans) {
        const bool has_owner = std::ranges::any_of(
            world_.api.truth().groups, [&](const auto& entry) { return entry.second.uid == plan.owner_uid; });
        if (!plan.owner_uid.empty() && !has_owner)
            orphans.push_back(name);
    }
    for (const auto& name : orphans)
        world_.api.remove_plan(name);
}

void Tenants::collect_pods_of_lost_nodes() {
    std::vector<std::string> lost;
    for (const auto& [uid, pod] : world_.api.truth().pods) {
        const bool has_no_owner_any_more = pod.membership && !gangs_.contains([&] {
            const auto leaf = pod.membership->leaf.name.str().substr(pod.membership->leaf.name.str().find('/') + 1);
            return leaf.substr(0, leaf.find('-'));
        }());
        if (has_no_owner_any_more || (!pod.node.empty() && !world_.api.truth().nodes.contains(pod.node)))
            lost.push_back(uid);
    }
    for (const auto& uid : lost)
        world_.api.remove_pod(uid);
}

}  // namespace echelon::simulator
