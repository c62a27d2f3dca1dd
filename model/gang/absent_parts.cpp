#include "model/gang/absent_parts.hpp"

#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model {

namespace {

std::optional<Parts> parts_in(const GroupFacts& group) {
    return group.group() == nullptr ? std::nullopt : parts_of(*group.group());
}

// Copies the groups in pre-order and inserts each part in name order among its siblings.
class Adder {
public:
    Adder(GangFacts& facts, const GroupForest& forest, std::int64_t most)
        : facts_(facts), forest_(forest), left_(most - static_cast<std::int64_t>(facts.groups.size())) {}

    void add() {
        add(0, 0);
        facts_.groups = std::move(out_);
    }

private:
    // The recursion is bounded by `limits.depth`.
    void add(std::uint32_t from, std::uint32_t parent) {
        const auto here = static_cast<std::uint32_t>(out_.size());
        const auto children = std::exchange(facts_.groups[from].children, {});
        out_.push_back(std::move(facts_.groups[from]));
        out_[here].branch.parent = parent;
        if (here != parent)
            out_[parent].children.push_back(here);
        auto absent = absent_of(here, children);
        auto next = absent.begin();
        for (const auto child : children) {
            for (; next != absent.end() && ByName{}((*next)->key, facts_.groups[child].branch.key); ++next)
                add_part(std::move(*next), here);
            add(child, here);
        }
        for (; next != absent.end(); ++next)
            add_part(std::move(*next), here);
    }

    // Sorted by name. `children`: those of the group before any part was added.
    std::vector<std::shared_ptr<Group>> absent_of(std::uint32_t index, const std::vector<std::uint32_t>& children) {
        std::vector<std::shared_ptr<Group>> absent;
        const auto parts = parts_in(out_[index]);
        if (!parts)
            return absent;
        std::map<std::string, std::uint32_t> known;
        for (const auto child : children)
            known.emplace(facts_.groups[child].branch.key.name, child);
        Group like = forest_.described(parts->leaf);
        like.parent = out_[index].branch.key;
        for (auto number = parts->numbers.first; number < parts->numbers.end; ++number) {
            const std::string name = out_[index].branch.key.name + "/" + std::to_string(number);
            if (const auto child = known.find(name); child != known.end()) {
                replace(facts_.groups[child->second], like);
                continue;
            }
            if (left_ == 0) {
                out_.front().branch.end = Branch::End::number;
                break;
            }
            --left_;
            absent.push_back(std::make_shared<Group>(like));
            absent.back()->key.name = name;
        }
        return absent;
    }

    // Keeps what the child's pods add to it.
    void replace(GroupFacts& child, const Group& like) {
        const auto* declared = child.group();
        if (declared == nullptr || declared->key.kind != like.key.kind)
            return;
        auto part = std::make_shared<Group>(like);
        part->key = declared->key;
        part->created = declared->created;
        for (const auto& level : declared->required) {
            if (std::ranges::find(part->required, level) == part->required.end())
                part->required.push_back(level);
        }
        if (part->problem.empty())
            part->problem = declared->problem;
        part->warnings.insert(part->warnings.end(), declared->warnings.begin(), declared->warnings.end());
        child.branch.group = part.get();
        facts_.made.push_back(std::move(part));
    }

    void add_part(std::shared_ptr<Group> part, std::uint32_t parent) {
        out_[parent].children.push_back(static_cast<std::uint32_t>(out_.size()));
        GroupFacts facts;
        facts.branch = {part->key, part.get(), parent, out_[parent].branch.depth + 1, Branch::End::none};
        facts_.made.push_back(std::move(part));
        out_.push_back(std::move(facts));
    }

    GangFacts& facts_;
    const GroupForest& forest_;
    std::int64_t left_;  // Groups that may still be added.
    std::vector<GroupFacts> out_;
};

}  // namespace

void add_absent_parts(GangFacts& facts, const GroupForest& forest, const Limits& limits) {
    const auto has_parts = [](const GroupFacts& group) { return parts_in(group).has_value(); };
    if (std::ranges::any_of(facts.groups, has_parts))
        Adder(facts, forest, std::max(limits.groups, static_cast<std::int64_t>(facts.groups.size()))).add();
}

}  // namespace echelon::model
