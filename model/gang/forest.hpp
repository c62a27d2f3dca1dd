#pragma once

// Which groups are there, and which tree does each belong to?
//
// Groups are objects, or are declared by pods (gangs by labels). Both come in any order, even children before parents.
// Updated incrementally: one change costs a few look-ups. Whether a tree makes sense is judged in
// `model/gang/faults.hpp`.

#include "base/natural_order.hpp"
#include "model/facts/group.hpp"
#include "model/facts/limits.hpp"
#include "model/gang/declarations.hpp"
#include "model/gang/moved_groups.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

// Orders siblings by name, in natural order.
struct ByName {
    [[nodiscard]] bool operator()(const GroupKey& a, const GroupKey& b) const {
        const auto order = base::natural_order(a.name, b.name);
        return order != 0 ? order < 0 : a.kind < b.kind;
    }
};

// The same for pointers.
struct ByNameOf {
    [[nodiscard]] bool operator()(const GroupKey* a, const GroupKey* b) const { return ByName{}(*a, *b); }
};

// One group at its place in a tree.
struct Branch {
    // Why the walk stopped here, although there is more.
    enum class End : std::uint8_t {
        none,
        depth,   // It or groups below it are deeper than a tree may be.
        number,  // Only at the root: the tree has more groups than were asked for.
    };
    GroupKey key;
    const Group* group = nullptr;  // Null: pods name it, but it doesn't exist (yet).
    std::uint32_t parent = 0;      // Index in pre-order; the root's parent is itself.
    std::uint32_t depth = 1;       // The root is 1.
    End end = End::none;
};

class GroupForest {
public:
    // `depth`: levels of the deepest tree, including the root and its leaves. A deeper group is a separate root.
    explicit GroupForest(std::int64_t depth = Limits{}.depth) : depth_(static_cast<std::size_t>(depth)) {}

    // Objects. True: something changed, apart from `placed`.
    bool see(const Group& group);
    bool forget(const GroupKey& key, std::string_view uid);

    // A pod declares a group, as other pods may. Declarations of dead pods count only if no living pod declares it.
    // `pod`: its name, which tells pods of one age apart if the oldest decides. Requires for `retract`: the same
    // arguments as in an earlier `declare`.
    void declare(const base::Shared<Group>& group, std::int64_t created, bool is_alive, std::string_view pod = {});
    void retract(const Group& group, std::int64_t created, bool is_alive, std::string_view pod = {});

    // The object, else the declaration; null: there is neither. Valid until the next change.
    [[nodiscard]] const Group* find(const GroupKey& key) const;
    // The object as it came, before pods supplement it; null: there is none.
    [[nodiscard]] const Group* object(const GroupKey& key) const;
    // Completes a group that isn't declared by the object that describes such groups.
    [[nodiscard]] Group described(Group group) const;
    // True if an object equals this group.
    [[nodiscard]] bool has(const Group& group) const;
    // True if living members declare the group differently.
    [[nodiscard]] bool is_disputed(const GroupKey& key) const;
    // The topmost ancestor that exists, or `key` itself; in a cycle, its first group by name. Walks up at most as many
    // levels as a tree may have.
    [[nodiscard]] GroupKey root_of(const GroupKey& key) const;
    // The parent, if it exists. A parent that lists groups of several namespaces counts only if each of them names it,
    // too. So no group joins a foreign gang one-sidedly.
    [[nodiscard]] const Group* parent_of(const Group& group) const;
    // False if the group lists groups of several namespaces and one of them doesn't name it. It then has no children.
    [[nodiscard]] bool is_agreed(const Group& group) const;
    // Groups that name `key` as their parent; `key` may not exist.
    [[nodiscard]] const std::set<GroupKey, ByName>& children(const GroupKey& key) const;
    // True if it lists groups, all in one namespace.
    [[nodiscard]] static bool lists_neighbours(const Group& group);
    // Composites that list `key`, whether `key` names them or not; only those that list groups of one namespace.
    [[nodiscard]] const std::set<const GroupKey*, ByNameOf>& groups_listing(const GroupKey& key) const;
    // Groups that `key` describes, or whose pods it counts; `key` may not exist.
    [[nodiscard]] const std::set<GroupKey, ByName>& described(const GroupKey& key) const;
    // A tree in pre-order, each group once even in a cycle; at most `most` groups. The cost is proportional to the
    // groups returned. `TreeWalk` copies nothing and can stop early.
    [[nodiscard]] std::vector<Branch> tree(const GroupKey& root, std::size_t most = SIZE_MAX) const;
    // True if the root's parent is in the tree.
    [[nodiscard]] bool is_cycle(const GroupKey& root) const;
    // True if it has more ancestors than a tree may have levels.
    [[nodiscard]] bool is_too_deep(const GroupKey& key) const;

    // Levels of the deepest tree, including leaves.
    [[nodiscard]] std::size_t depth() const { return depth_; }
    [[nodiscard]] std::vector<GroupKey> keys() const;
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    // Level keys that groups ask for, with the number of groups. `asked_version` changes if the set of keys does.
    [[nodiscard]] const std::map<std::string, std::size_t>& asked() const { return asked_; }
    [[nodiscard]] std::uint64_t asked_version() const { return asked_version_; }
    [[nodiscard]] bool has_moved() const { return moved_.has_any(); }
    // Groups that may have another root since the last call; nullopt: any.
    [[nodiscard]] std::optional<std::vector<GroupKey>> take_moved() { return moved_.take(*this); }

private:
    struct Entry {
        base::Shared<Group> object;
        std::unique_ptr<Declarations> alive;  // Null: none.
        std::unique_ptr<Declarations> dead;
        base::Shared<Group> effective;

        // Declarations of living pods, else of dead ones; null: none.
        [[nodiscard]] const Declarations* said() const { return alive ? alive.get() : dead.get(); }
    };

    static Declarations::DeclaringPods declarer_of(const Group& group, std::int64_t created, std::string_view pod);
    static base::Shared<Group> said(const Entry& entry);
    [[nodiscard]] base::Shared<Group> effective_group(const Entry& entry) const;
    bool update(std::map<GroupKey, Entry>::iterator entry);
    void note_move(const GroupKey& key, const Group* before, const Group* after);
    void link(const GroupKey& key, const Group& group, bool adds);
    enum class Way : std::uint8_t { to_root, into_cycle, too_deep };
    std::pair<Way, const GroupKey*> way_up(const GroupKey& key) const;

    std::size_t depth_;

    std::map<GroupKey, Entry> entries_;
    std::map<GroupKey, std::set<GroupKey, ByName>> children_;
    std::map<GroupKey, std::set<const GroupKey*, ByNameOf>> listers_;  // Pointers to keys of `entries_`.
    std::map<GroupKey, std::set<GroupKey, ByName>> described_;
    std::map<std::string, std::size_t> asked_;
    std::uint64_t asked_version_ = 0;
    MovedGroups moved_;
};

}  // namespace echelon::model
