#pragma once

// How is the snapshot kept up to date? Stores nodes and their usage, topologies, and the pod classes of members.
//
// A node or pod event changes single cells. A node that comes or goes is spliced into the arrays, if labels alone place
// it. All nodes are renumbered if many come or go, or if a label changes that a level reads. Both happen at the next
// `current`. Single-threaded. The result depends on the facts alone.

#include "base/hashed.hpp"
#include "base/text.hpp"
#include "model/facts/node_view.hpp"
#include "model/facts/pod.hpp"
#include "model/facts/string_pool.hpp"
#include "model/facts/topology.hpp"
#include "model/facts/usage.hpp"
#include "model/topology/domain_forest.hpp"
#include "model/topology/row_move.hpp"
#include "model/topology/snapshot.hpp"
#include "model/topology/snapshot_delta.hpp"
#include "model/topology/tree_splice.hpp"
#include "model/topology/trees.hpp"
#include "model/topology/united_levels.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

// What a node event changed.
struct NodeDelta {
    bool is_changed = false;  // Labels, room or usability, or the node is new or gone.
    bool may_free_room = false;
    bool is_relabelled = false;  // The domains of the pods on it may have changed.
    // The first node got an asked level key, or the last one lost it (D11, D12), or other declared domains may be
    // unusable. Any gang may get another result.
    bool changes_known_levels = false;
};

// What changed in the topology since the last call.
struct TopologyDelta {
    bool levels_changed = false;     // Levels, their names or unusable parts; `nodes` is empty then.
    std::vector<std::string> nodes;  // Nodes with other domains, and new nodes; may repeat.
};

class NodeIndex {
public:
    struct PodClassUse {
        std::size_t users = 0;
        PodClassId id = nowhere;  // As of the last `current`.
    };
    using PodClassEntry = std::map<PodClass, PodClassUse>::iterator;

    // `devices`: amounts that its devices add.
    NodeDelta see(const Node& node, const Amounts& devices = {});
    NodeDelta forget(std::string_view name);
    // Replaces what devices add to a known node: `after` instead of `before`.
    NodeDelta exchange_amounts(std::string_view name, const Amounts& before, const Amounts& after);
    // What the node offers of a resource; 0 if it is unknown.
    [[nodiscard]] std::int64_t allocatable_of(std::string_view name, std::string_view resource) const;
    [[nodiscard]] bool knows(std::string_view name) const;
    // The name as it is kept for a node that is known or used; otherwise `name`.
    [[nodiscard]] const base::Text& shared_name(const base::Text& name) const;
    [[nodiscard]] std::optional<NodeView> view(std::string_view name) const;
    // A copy without the UID, which isn't stored.
    [[nodiscard]] std::optional<Node> node(std::string_view name) const;
    [[nodiscard]] std::size_t node_count() const { return node_count_; }
    [[nodiscard]] std::vector<std::string_view> names() const;  // Of known nodes, in no order.
    // The free amount of each of these resources on a node, negative if pods use more than there is. Empty: the node is
    // unknown.
    [[nodiscard]] std::vector<Amounts::Entry> left_on(base::Hashed node, const Amounts& resources) const;
    // True if both nodes are known, offer the same amounts, and the same amounts are used.
    [[nodiscard]] bool has_same_room(base::Hashed node, base::Hashed other) const;
    // Shares of GPUs that pods request and no node offers; they aren't counted (DR8).
    [[nodiscard]] const std::set<std::string>& uncounted_shares() const { return uncounted_shares_; }
    // True if some node has the label.
    [[nodiscard]] bool carries(const std::string& label) const { return label_counts_.contains(label); }
    // As of the last `current`; `nowhere`: unknown node.
    [[nodiscard]] NodeId id_of(std::string_view name) const;

    // A pod uses room; the node may still be unknown.
    void add_usage(const base::Text& node, const Amounts& requests);
    void remove_usage(const base::Text& node, const Amounts& requests);

    // The NUMA zones of a node, which may still be unknown; nullopt: none that bind planning.
    void set_zones(const std::string& node, std::optional<ZonedNode> zones);
    [[nodiscard]] bool has_zones() const { return !zones_.empty(); }
    // The devices of a node that are matched one by one; the same.
    void set_devices(const std::string& node, std::optional<MatchedNode> devices);

    // Classes of members. Requires: one `drop` for each `intern`.
    [[nodiscard]] PodClassEntry intern(const PodClass& pod_class);
    void drop(PodClassEntry pod_class);

    // True: something changed.
    bool see(const Topology& topology);
    bool forget(TopologySource source, const std::string& api_kind, const std::string& name);
    bool see(const DeclaredDomain& domain);
    bool forget_domain(std::string_view name);
    [[nodiscard]] std::vector<const Topology*> faulty_topologies() const;
    [[nodiscard]] std::vector<const Topology*> topologies() const;
    [[nodiscard]] const DomainForest& declared_domains() const { return forest_; }

    // Level keys that groups ask for; cheap if `version` is the same.
    void ask(const std::map<std::string, std::size_t>& asked, std::uint64_t version);
    // Brings everything up to date.
    [[nodiscard]] const Snapshot& current();
    // The same for a copy. Requires: since the last call, the owner changed only nodes that are then copied anew below.
    SnapshotDelta renew(Snapshot& copy);
    // Copy one node again. Requires: nothing changed since the last `renew` of this copy.
    void copy_room(Snapshot& copy, NodeId node) const;
    void copy_host(Snapshot& copy, NodeId node) const;
    void copy_eligibility(Snapshot& copy) const;  // All nodes.
    // Calls `current`, and returns what changed since the last call of this function.
    [[nodiscard]] TopologyDelta take_topology_delta();

private:
    // A node by name: its fields if it is known, and what pods use there.
    struct Place {
        StringPool::LabelEntry labels;
        StringPool::LabelEntry annotations;
        StringPool::AmountEntry allocatable;
        std::vector<Taint> taints;
        Usage usage;
        std::uint32_t row = nowhere;  // Of a known node, in `Snapshot::ids`.
        std::uint32_t rank = 0;       // Rank of the name in natural order.
        bool is_known = false;
        bool ready = false;
        bool unschedulable = false;
        bool deleting = false;

        [[nodiscard]] bool is_usable() const { return ready && !unschedulable && !deleting; }
    };
    using Places = std::unordered_map<base::Text, Place, base::TextHash, std::equal_to<>>;

    void update(const std::string& name, Place& place, const Node& node, const Amounts& allocatable, NodeDelta& delta);
    void relabel(Place& place, const Labels& labels, NodeDelta& delta);
    void annotate(Place& place, const Labels& annotations, NodeDelta& delta);
    void resize(Place& place, const Amounts& allocatable);
    void count_label(const std::string& label, std::string_view was, std::string_view is, NodeDelta& delta);
    void count_labels(const StringPool::LabelEntry& before, const StringPool::LabelEntry& after, NodeDelta& delta);
    void count_resource(const std::string& name, bool adds, bool is_of_node);
    [[nodiscard]] bool lists_all(const PodClass& pod_class) const;
    [[nodiscard]] bool is_eligible(const NodeView& node, std::size_t pod_class) const;
    [[nodiscard]] bool is_level_label(const std::string& label) const;
    [[nodiscard]] NodeView view_of(const Places::value_type& place) const;
    [[nodiscard]] std::vector<NodeView> known_nodes();
    [[nodiscard]] std::vector<std::uint32_t> host_ranks();  // Of `known_nodes`.
    void sort_nodes();
    [[nodiscard]] std::int64_t offered_by(const Place& place, std::string_view resource) const;
    void write_room(const Place& place);
    void write_room(const Place& place, NodeId id, std::size_t resource);
    void write_cells(const Place& place, const Amounts& requests);
    void write_eligibility(const NodeView& node, NodeId id);
    void write_all_parts();
    template <typename Part>
    void set_part(const std::string& node, std::optional<Part> part, std::map<std::string, Part>& parts,
                  std::map<NodeId, Part>& flat);
    void note_written(std::vector<NodeId>& nodes, NodeId id);
    void prune(Places::iterator place);

    // A tree that labels decide, with nodes numbered by name.
    struct LabelTree {
        Levels levels;
        Tree tree;
        bool is_used = false;  // By the last numbering.
    };

    [[nodiscard]] std::vector<NodeId> build_trees();
    [[nodiscard]] Tree label_tree(const Levels& levels, const std::vector<NodeView>& nodes,
                                  const std::vector<std::uint32_t>& hosts);
    [[nodiscard]] std::map<std::pair<std::string_view, std::string_view>, const Topology*> topologies_with_places()
        const;
    void choose_declared_levels(const DeclaredTrees& declared, const std::vector<NodeView>& nodes);
    void note_flaws_beside_labels();
    [[nodiscard]] std::vector<TreeOrigin> build_declared_trees(const std::vector<NodeView>& nodes,
                                                               const std::vector<std::uint32_t>& hosts);
    void build_united_trees(std::vector<TreeOrigin> origins, const std::vector<NodeView>& nodes,
                            const std::vector<std::uint32_t>& hosts);
    [[nodiscard]] std::set<std::string> requested_level_names() const;
    [[nodiscard]] std::set<std::string> requested_of_several_trees() const;
    [[nodiscard]] NodeId id_in(const Place& place) const;
    void give_row(std::string_view name, Place& place);
    void free_row(std::string_view name, const Place& place);
    [[nodiscard]] bool is_kept_by_labels(const Levels& levels) const;
    [[nodiscard]] std::vector<const Levels*> levels_by_labels() const;
    [[nodiscard]] bool splice();
    void move_rows(RowMove move);
    void splice_out(NodeId id);
    void splice_in(Places::value_type& known, const std::vector<const Levels*>& levels);
    void forget_order_of(Places::value_type& known);
    void renumber();
    void limit_topology_delta();
    void record_topology_delta(const Snapshot& before, const std::vector<NodeId>& earlier);
    void renumber_rooms(const std::vector<NodeId>& earlier);
    void rebuild_rooms();
    void rebuild_pod_classes();
    void fill_eligibility(const std::vector<PodClassId>& unknown);

    StringPool strings_;
    Places places_;                               // Unordered.
    std::map<std::string, ZonedNode> zones_;      // By node.
    std::map<std::string, MatchedNode> devices_;  // By node.
    std::size_t node_count_ = 0;
    std::vector<std::uint32_t> free_rows_;
    std::vector<NodeId> gone_;                           // Since the last `current`.
    std::vector<Places::value_type*> by_name_;           // Known nodes, sorted by name.
    std::vector<Places::value_type*> in_natural_order_;  // Known nodes, in natural order of names.
    std::vector<Places::value_type*> unordered_nodes_;   // Known nodes that are in neither list yet.
    LabelCounts label_counts_;
    struct Mentions {
        std::size_t nodes = 0;
        std::size_t pod_classes = 0;

        [[nodiscard]] bool is_mentioned() const { return nodes + pod_classes > 0; }
    };
    std::map<std::string, Mentions> resource_counts_;
    std::set<std::string> uncounted_shares_;
    std::map<PodClass, PodClassUse> pod_classes_;
    std::map<std::tuple<TopologySource, std::string, std::string>, Topology> topologies_;
    DomainForest forest_;
    std::set<std::string> split_names_;  // Tier names that form a separate tree if asked for.
    std::set<std::string> named_;        // Those of them that form one now.
    std::set<std::string> asked_;
    std::uint64_t asked_version_ = 0;

    Snapshot flat_;
    std::vector<Levels> declared_;      // Of all trees, even those that place no node; without single labels.
    std::set<std::string> of_several_;  // Asked levels that more than one tree lists.
    std::vector<Levels> single_label_levels_;
    std::vector<LabelTree> label_trees_;  // Kept while objects place nodes, since objects often change alone.
    bool are_label_trees_stale_ = false;  // They are of other nodes or labels.
    TopologyDelta topology_delta_;
    SnapshotDelta written_{
        .is_all = true, .moves = {}, .are_pod_classes = false, .nodes = {}, .hosts = {}};  // Since the last `renew`.
    std::vector<std::uint8_t> fits_none_;  // [pod class] 1: requests an unlisted resource that no node has.
    bool is_numbering_stale_ = true;
    bool are_rooms_stale_ = true;
    bool are_pod_classes_stale_ = true;
};

}  // namespace echelon::model
