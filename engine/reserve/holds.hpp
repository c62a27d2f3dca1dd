#pragma once

// Which holds are there: of which pod, on which node, for which gang? The ledger's memory.
//
// Also remembers the nodes whose holds have changed. Not thread-safe.

#include "base/flat_table.hpp"
#include "base/rare.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/group.hpp"
#include "model/facts/pod_class.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

struct Hold {
    std::string node;
    model::Amounts requests;
    model::GroupKey owner;  // Root of the gang; an empty name: a plain pod whose binding is in flight.
    base::Rare<model::Alignment> alignment = {};
    base::Rare<model::DeviceAsks> devices = {};
    std::uint32_t place = 0;  // Among the owner's holds; only `Holds` uses it.
};

using Held = std::pair<const std::string, Hold>;  // UID of the pod, and its hold.

// All pointers and spans are valid until the next change.
class Holds {
public:
    Holds() = default;
    // Its parts point into each other. In a copy no node counts as changed.
    Holds(const Holds& other);
    Holds& operator=(const Holds&) = delete;
    Holds(Holds&&) = default;
    Holds& operator=(Holds&&) = default;
    ~Holds() = default;

    // Requires: the pod has no hold.
    void add(const std::string& uid, Hold hold);
    // True if there was a hold.
    bool remove(std::string_view uid);

    [[nodiscard]] const Hold* find(std::string_view uid) const;
    [[nodiscard]] std::size_t size() const { return holds_.size(); }
    // In no particular order, as all lists below.
    [[nodiscard]] const base::FlatTable<std::unique_ptr<Held>>& all() const { return holds_; }
    [[nodiscard]] std::span<const Held* const> on(std::string_view node) const;
    [[nodiscard]] std::span<const Held* const> of(const model::GroupKey& owner) const;

    // Calls `take(owner)` for each owner, in order.
    template <typename Take>
    void for_each_owner(const Take& take) const {
        for (const auto& [owner, holds] : by_owner_)
            take(owner);
    }

    // Counts the node as touched.
    void touch(const std::string& node) { touch(row_of(node)); }
    // Nodes whose holds have changed since the last call.
    [[nodiscard]] std::vector<std::string> take_changed() { return taken(changed_, &Node::is_changed); }
    // Nodes that were touched, or whose holds have changed, since the last call.
    [[nodiscard]] std::vector<std::string> take_touched() { return taken(touched_, &Node::is_touched); }

private:
    struct Node {
        std::string name;
        std::vector<const Held*> holds;
        bool is_changed = false;
        bool is_touched = false;
    };
    using Marked = std::vector<Node*>;

    Node& row_of(const std::string& node);
    void touch(Node& node);
    void change(Node& node);
    std::vector<std::string> taken(Marked& marked, bool Node::* mark);

    base::FlatTable<std::unique_ptr<Held>> holds_;            // By UID.
    base::FlatTable<std::unique_ptr<Node>> nodes_;            // By name: those with holds, and those in a list.
    std::map<model::GroupKey, std::vector<Held*>> by_owner_;  // [Hold::place]; no empty lists.
    Marked changed_;
    Marked touched_;
};

}  // namespace echelon::engine
