#pragma once

// What happens in the cluster? Nodes, gangs and plain pods, as users, controllers and kubelets create and delete them.
//
// Not thread-safe. Controllers recreate what is deleted, after a while; kubelets run what is bound.

#include "unit-tests/simulator/random.hpp"
#include "unit-tests/simulator/world.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace echelon::simulator {

class Tenants {
public:
    Tenants(World& world, std::uint64_t seed);

    // A cluster of 4 to 24 nodes and up to 8 gangs.
    void move_in(Random& random);
    void add_node(Random& random);
    void add_gang(Random& random);
    void add_plain_pods(Random& random);
    // Already on a node.
    void add_pod_beside(Random& random);
    void delete_gang(Random& random);
    void delete_group(Random& random);
    void delete_pod(const std::string& uid, Random& random);
    void change_minimum(Random& random);
    void change_level(Random& random);
    void close_a_cycle(Random& random);
    void spoil_a_group(Random& random);
    void relabel(Random& random);
    void lose_node(Random& random);
    void open_gates();
    // Repairs all temporary damage: groups, gates, missing pods.
    void set_right();
    // Schedules the next turn of controllers and kubelets.
    void remake(Time delay);

    [[nodiscard]] std::size_t gangs() const { return gangs_.size(); }
    // A pod that waits or runs; null: there is none.
    [[nodiscard]] const model::Pod* any_member(Random& random, bool waiting) const;
    [[nodiscard]] const model::Node* any_node(Random& random) const;

private:
    struct Gang {
        std::vector<model::Group> groups;  // As they should be; none of a gang by labels.
        std::vector<model::Pod> pods;      // Likewise; without UIDs.
    };

    void grow(Gang& gang, const std::string& name, Random& random);
    void let_come_late(Gang& gang);
    void let_come_late(Gang& gang, model::Group& leaf);
    void count_only_waiting(Gang& gang);
    void add_child_later();
    void add_child();
    void edit_later();
    void edit();
    void resize_pod();
    void open_own_gate();
    void edit_rules(Gang& gang);
    void scale_up(Gang& gang, model::Group& leaf);
    void scale_down(Gang& gang, model::Group& leaf);
    void restart(Gang& gang);
    static void number_attempt(Gang& gang, int attempt);
    void put_edited(const model::Group& group);
    // True if the controller creates it now: it is in the leaf's start set, or the start set has nodes.
    [[nodiscard]] bool may_come(const Gang& gang, const model::Pod& pod) const;
    void add_members(Gang& gang, const model::Group& leaf, std::int64_t extras, const model::Pod& like);
    static void declare_by_labels(Gang& gang);
    void anchor(Gang& gang, const std::string& name);
    void create(const Gang& gang, Random& random);
    void put_pod(model::Pod pod);
    void follow(model::Pod& pod);
    // Anti-affinity that a gang's members, or a plain pod, may have.
    [[nodiscard]] std::vector<model::PodTerm> terms_of_members();
    void keep_apart(model::Pod& plain);
    void ask_by_claims(Gang& gang);
    void add_devices(const model::Node& node);
    void create_claim(const model::Pod& pod);
    void end_claim(const model::Pod& pod);
    void run(const std::string& uid, Time delay);
    void end_evicted(const std::string& uid);
    void collect_plans();
    void collect_pods_of_lost_nodes();

    World& world_;
    Random labels_;  // Separate, so that runs without gangs by labels don't change.
    const bool uses_labels_;
    Random late_;  // Likewise, for members and child groups that come later than others.
    const bool has_late_members_;
    const bool has_late_children_;
    Random waiting_;  // Likewise, for groups where only members count that wait, and time-outs.
    const bool counts_only_waiting_;
    Random apart_;  // Likewise, for pods with anti-affinity.
    const bool keeps_apart_;
    Random anchors_;  // Likewise, for co-located gangs.
    const bool has_anchors_;
    Random stages_;  // Likewise, for late members that come one after another.
    std::set<model::GroupKey> one_by_one_;
    Random devices_;  // Likewise, for pods with claims.
    Random edits_;    // Likewise, for changes of objects that exist.
    const bool has_edits_;
    Random evictions_;  // Likewise, for budgets that refuse, and kubelets that end what was evicted.
    std::map<std::string, Gang> gangs_;
    int last_gang_ = 0;
    int last_node_ = 0;
    int last_plain_ = 0;
    int last_scaled_ = 0;
    std::int64_t last_created_ = 0;
    int blocks_ = 1;
    int racks_ = 1;
    std::int64_t gpus_ = 8;
};

}  // namespace echelon::simulator
