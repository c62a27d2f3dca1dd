#include "model/gang/later_stages.hpp"

#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace echelon::model {

namespace {

bool is_open(const PodFacts& row) {
    return row.status == MemberStatus::waiting || row.status == MemberStatus::bound ||
           row.status == MemberStatus::gated;
}

class Stages {
public:
    Stages(const GangFacts& facts, Gang& gang) : facts_(facts), gang_(gang), is_there_(facts.groups.size(), 0) {
        for (std::uint32_t index = 0; index < facts.groups.size(); ++index)
            index_of_.emplace(facts.groups[index].branch.key, index);
        for (auto index = facts.groups.size(); index-- > 0;) {  // Children before parents.
            const auto& group = facts.groups[index];
            if (std::ranges::any_of(group.pods, is_open) || (group.is_leaf() && group.placeholders() > 0))
                is_there_[index] = 1;
            if (index > 0 && is_there_[index] != 0)
                is_there_[group.branch.parent] = 1;
        }
    }

    void put_off(std::uint32_t leaf) {
        const auto& facts = facts_.groups[leaf];
        if (facts.group() == nullptr || !facts.is_leaf() || facts.placeholders() == 0)
            return;
        auto after = ended_before(leaf);
        const bool follows_itself = std::ranges::find(after, leaf) != after.end();
        // If more pods exist than the start set, the start set has ended.
        const auto first = follows_itself ? facts.group()->start_set.value_or(0) : 0;
        if (facts.existing() + facts.gone() > first)
            return;
        if (std::ranges::none_of(after, [&](auto other) { return has_not_ended(other, leaf); }))
            return;
        auto& group = gang_.groups[leaf];
        group.later = group.minimum;
        group.minimum = std::min(group.minimum, facts.existing());
        group.at_barrier = -1;
        group.after = std::move(after);
    }

private:
    // Includes what the groups around the leaf declare.
    [[nodiscard]] std::vector<std::uint32_t> ended_before(std::uint32_t leaf) const {
        std::vector<std::uint32_t> after;
        for (auto group = leaf;; group = facts_.groups[group].branch.parent) {
            const auto* declared = facts_.groups[group].group();
            for (const auto& ended : declared == nullptr ? std::vector<GroupKey>{} : ends_before(*declared)) {
                if (const auto index = index_of_.find(ended); index != index_of_.end())
                    after.push_back(index->second);
            }
            if (group == 0)
                return after;
        }
    }

    [[nodiscard]] bool has_not_ended(std::uint32_t other, std::uint32_t leaf) const {
        return other == leaf ? std::ranges::any_of(facts_.groups[leaf].pods, is_open) : is_there_[other] != 0;
    }

    const GangFacts& facts_;
    Gang& gang_;
    std::vector<std::uint8_t> is_there_;  // [group] 1: some pods haven't ended, or are still to come.
    std::map<GroupKey, std::uint32_t> index_of_;
};

}  // namespace

void put_off_later_stages(const GangFacts& facts, Gang& gang) {
    const auto has_stages = [](const GroupFacts& group) {
        return group.group() != nullptr && !ends_before(*group.group()).empty();
    };
    if (std::ranges::none_of(facts.groups, has_stages))
        return;
    Stages stages(facts, gang);
    for (std::uint32_t leaf = 0; leaf < facts.groups.size(); ++leaf)
        stages.put_off(leaf);
}

}  // namespace echelon::model
