#pragma once

// Which holds are there: of which pod, on which node, for which gang? The ledger's memory.
//
// Also remembers the nodes whose holds have changed. Not thread-safe.

#include "base/flat_table.hpp"
#include "base/hashed.hpp"
#include "base/rare.hpp"
#include "base/text.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/group.hpp"
#include "model/facts/pod_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace echelon::engine {

struct Hold;
using Held = std::pair<const base::Text, Hold>;  // UID of the pod, and its hold.

struct Hold {
    base::Text node;
    model::Amounts requests;
    model::GroupKey owner;  // Root of the gang; an empty name: a plain pod whose binding is in flight.
    base::Rare<model::Alignment> alignment = {};
    base::Rare<model::DeviceAsks> devices = {};
    // Only `Holds` uses these.
    std::uint32_t place = 0;  // Among the owner's holds.
    Held* next = nullptr;     // On the node; null: it is the last one.
};

// True if the hold is what a pod of this class takes now: its claims may have got devices since, or it was resized.
[[nodiscard]] inline bool is_hold_of(const Hold& hold, const model::PodClass& pod_class) {
    return hold.requests == pod_class.requests && hold.alignment == pod_class.alignment &&
           hold.devices == pod_class.devices;
}

// The holds on one node, as a range of pointers.
class HoldsOnNode {
public:
    class Iterator {
    public:
        using value_type = const Held*;
        using difference_type = std::ptrdiff_t;
        explicit Iterator(const Held* at = nullptr) : at_(at) {}
        const Held* operator*() const { return at_; }
        Iterator& operator++() {
            at_ = at_->second.next;
            return *this;
        }
        Iterator operator++(int) { return Iterator(std::exchange(at_, at_->second.next)); }
        bool operator==(const Iterator&) const = default;

    private:
        const Held* at_;
    };

    explicit HoldsOnNode(const Held* first = nullptr) : first_(first) {}
    [[nodiscard]] Iterator begin() const { return Iterator(first_); }
    [[nodiscard]] static Iterator end() { return Iterator(); }
    [[nodiscard]] bool empty() const { return first_ == nullptr; }

private:
    const Held* first_;
};

// All pointers, ranges and spans are valid until the next change.
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
    void add(const base::Text& uid, Hold&& hold);
    // True if there was a hold.
    bool remove(base::Hashed uid);

    [[nodiscard]] const Hold* find(base::Hashed uid) const;
    [[nodiscard]] std::size_t size() const { return holds_.size(); }
    // In no particular order, as all lists below.
    [[nodiscard]] const base::FlatTable<std::unique_ptr<Held>>& all() const { return holds_; }
    [[nodiscard]] HoldsOnNode on(base::Hashed node) const;
    [[nodiscard]] std::span<const Held* const> of(const model::GroupKey& owner) const;

    // Calls `take(owner)` for each owner, in order.
    template <typename Take>
    void for_each_owner(const Take& take) const {
        for (const auto& [owner, holds] : by_owner_)
            take(owner);
    }

    // Readers of changes. Each has a separate list.
    enum class Reader : std::uint8_t { promised_nodes, node_room };
    // Counts the node as changed.
    void note_change(const base::Text& node) { change(row_of(node)); }
    // Nodes whose holds have changed, or that `note_change` named, since the reader's last call.
    [[nodiscard]] std::vector<base::Text> take_changed(Reader reader);

private:
    struct Node {
        base::Text name;
        Held* first = nullptr;             // The newest hold.
        std::array<bool, 2> is_changed{};  // [reader]
    };

    Node& row_of(const base::Text& node);
    void change(Node& node);

    base::FlatTable<std::unique_ptr<Held>> holds_;            // By UID.
    base::FlatTable<std::unique_ptr<Node>> nodes_;            // By name: those with holds, and those in `changed_`.
    std::map<model::GroupKey, std::vector<Held*>> by_owner_;  // [Hold::place]; no empty lists.
    std::array<std::vector<Node*>, 2> changed_;               // [reader]
};

}  // namespace echelon::engine
