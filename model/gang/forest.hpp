#pragma once

// Which groups are there, and which tree does each belong to?
//
// Groups come as objects, or are declared by pods (gangs by labels); both in any order, children before parents. Kept
// incrementally: one change costs a few look-ups. Whether a tree makes sense is judged in `model/gang/faults.hpp`.

#include "base/natural_order.hpp"
#include "model/facts/group.hpp"
#include "model/facts/limits.hpp"
#include "model/gang/declarations.hpp"

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

// Siblings in natural order of their names.
struct ByName {
    [[nodiscard]] bool operator()(const GroupKey& a, const GroupKey& b) const {
        const auto order = base::natural_order(a.name, b.name);
        return order != 0 ? order < 0 : a.kind < b.kind;
    }
};

// The same of what pointers lead to.
struct ByNameOf {
    [[nodiscard]] bool operator()(const GroupKey* a, const GroupKey* b) const { return ByName{}(*a, *b); }
};

// One group of a tree, as it hangs there.
struct Branch {
    // Why the walk ended here, although there is more.
    enum class End : std::uint8_t {
        none,
        depth,   // Groups below it, or it itself, stand deeper than trees may be.
        number,  // Of the root: the tree has more groups than were asked for.
    };
    GroupKey key;
    const Group* group = nullptr;  // Null: it is named by pods, but doesn't exist (yet).
    std::uint32_t parent = 0;      // Index into the pre-order; its own for the root.
    std::uint32_t depth = 1;       // The root is 1.
    End end = End::none;
};

class GroupForest {
public:
    // `depth`: of the deepest tree, the root and its leaves included. What hangs deeper is a root of its own.
    explicit GroupForest(std::int64_t depth = Limits{}.depth) : depth_(static_cast<std::size_t>(depth)) {}

    // Objects. True: something changed, apart from `placed`.
    bool see(const Group& group);
    bool forget(const GroupKey& key, std::string_view uid);

    // A pod declares a group; several pods declare the same one. Those of dead pods count only when no other is left.
    // `pod`: its name, which tells pods of one age apart where the oldest decides.
    // Requires for `retract`: the same arguments as in an earlier `declare`.
    void declare(const base::Shared<Group>& group, std::int64_t created, bool is_alive, std::string_view pod = {});
    void retract(const Group& group, std::int64_t created, bool is_alive, std::string_view pod = {});

    // The object, else the declaration; null: neither. Valid until the next change.
    [[nodiscard]] const Group* find(const GroupKey& key) const;
    // A group that is not declared, completed by the object that describes such groups.
    [[nodiscard]] Group described(Group group) const;
    // An object says exactly this.
    [[nodiscard]] bool has(const Group& group) const;
    // Members that live declare the group in different ways.
    [[nodiscard]] bool is_disputed(const GroupKey& key) const;
    // The topmost ancestor that exists, or `key` itself; of a cycle its first group by name. Walks no further up than
    // trees are deep.
    [[nodiscard]] GroupKey root_of(const GroupKey& key) const;
    // The group that it hangs below: one that exists and, where it lists groups of several namespaces, that each of
    // them names. Nobody joins strangers by its own word alone.
    [[nodiscard]] const Group* parent_of(const Group& group) const;
    // False while a group of several namespaces lists one that doesn't name it: then nothing hangs below it.
    [[nodiscard]] bool is_agreed(const Group& group) const;
    // Of groups that name `key` as their parent, which may not exist.
    [[nodiscard]] const std::set<GroupKey, ByName>& children(const GroupKey& key) const;
    // It lists groups, all of one namespace.
    [[nodiscard]] static bool lists_neighbours(const Group& group);
    // Composites that list `key` as theirs, whether it agrees or not; only those whose lists name no other namespace.
    [[nodiscard]] const std::set<const GroupKey*, ByNameOf>& groups_listing(const GroupKey& key) const;
    // Groups that `key` describes, whether it exists or not.
    [[nodiscard]] const std::set<GroupKey, ByName>& described(const GroupKey& key) const;
    // A tree in pre-order, its root first. Each group once, even when the tree bites its own tail. Costs no more than
    // the groups that it gives: of a larger tree the first `most`. `TreeWalk` copies nothing and can stop early.
    [[nodiscard]] std::vector<Branch> tree(const GroupKey& root, std::size_t most = SIZE_MAX) const;
    // The root's parent is in the tree itself.
    [[nodiscard]] bool is_cycle(const GroupKey& root) const;
    // Has more ancestors than a tree has levels.
    [[nodiscard]] bool is_too_deep(const GroupKey& key) const;

    // Levels of the deepest tree, leaves included.
    [[nodiscard]] std::size_t depth() const { return depth_; }
    [[nodiscard]] std::vector<GroupKey> keys() const;
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    // Level keys that groups ask for, with the number of groups; `asked_version` changes with the set of keys.
    [[nodiscard]] const std::map<std::string, std::size_t>& asked() const { return asked_; }
    [[nodiscard]] std::uint64_t asked_version() const { return asked_version_; }
    // Changes with each group, and so with each tree.
    [[nodiscard]] std::uint64_t version() const { return version_; }

private:
    struct Entry {
        base::Shared<Group> object;
        std::unique_ptr<Declarations> alive;  // Null: none.
        std::unique_ptr<Declarations> dead;
        base::Shared<Group> effective;

        // What pods say of it: those that live, if there are any. Null: nothing.
        [[nodiscard]] const Declarations* said() const { return alive ? alive.get() : dead.get(); }
    };

    static Declarations::DeclaringPods declarer_of(const Group& group, std::int64_t created, std::string_view pod);
    static base::Shared<Group> said(const Entry& entry);
    [[nodiscard]] base::Shared<Group> settled(const Entry& entry) const;
    bool settle(std::map<GroupKey, Entry>::iterator entry);
    void link(const GroupKey& key, const Group& group, bool adds);
    enum class Way : std::uint8_t { to_root, into_cycle, too_deep };
    std::pair<Way, const GroupKey*> way_up(const GroupKey& key) const;

    std::size_t depth_;

    std::map<GroupKey, Entry> entries_;
    std::map<GroupKey, std::set<GroupKey, ByName>> children_;
    std::map<GroupKey, std::set<const GroupKey*, ByNameOf>> listers_;  // Into the keys of `entries_`.
    std::map<GroupKey, std::set<GroupKey, ByName>> described_;
    std::map<std::string, std::size_t> asked_;
    std::uint64_t asked_version_ = 0;
    std::uint64_t version_ = 0;
};

}  // namespace echelon::model
