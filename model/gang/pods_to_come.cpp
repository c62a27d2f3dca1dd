#include "model/gang/pods_to_come.hpp"

#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::model {

namespace {

struct Later {
    std::int64_t all = 0;   // Pods that an owner creates later.
    std::int64_t here = 0;  // Of them, pods of parts that are here.
};

class Count {
public:
    void add(const CountedParts& parts) {
        const auto& owner = parts.owner;
        const auto pods = parts.number * owner.expected.value_or(0);
        const auto together = parts.number * owner.minimum.value_or(0);
        const bool comes_later = owner.start_set == 0;
        expected_ += pods;
        (comes_later ? first_of_later_ : first_) += together;
        ends_before_others_ = ends_before_others_ && !ends_before(owner).empty();
        take_template(owner);
        if (const auto later = parts_of(owner)) {
            auto& known = later_[later->leaf.key];
            known.all = later->leaf.expected.value_or(0);
            known.here += comes_later ? pods : 0;
            take_template(later->leaf);
        }
    }

    [[nodiscard]] std::int64_t expected() const {
        auto all = expected_;
        for (const auto& [key, later] : later_)
            all += std::max<std::int64_t>(0, later.all - later.here);
        return all;
    }
    // Where only later parts are here, nothing else comes before them.
    [[nodiscard]] std::int64_t first() const { return first_ > 0 ? first_ : first_of_later_; }
    [[nodiscard]] bool has_two_stages() const { return later_.size() == 1 && ends_before_others_; }
    // The group that has the template of late pods; null: none.
    [[nodiscard]] const Group* with_template() const { return with_template_; }

private:
    void take_template(const Group& from) {
        if (with_template_ == nullptr && from.late_pod_class)
            with_template_ = &from;
    }

    std::int64_t expected_ = 0;
    std::int64_t first_ = 0;           // Pods that are created together, of parts that don't come later.
    std::int64_t first_of_later_ = 0;  // The same of parts that do.
    bool ends_before_others_ = true;
    std::map<GroupKey, Later> later_;
    const Group* with_template_ = nullptr;
};

}  // namespace

bool counts_parts(const Group& addition) {
    return addition.only_supplements && addition.described_by && !addition.expected && !addition.start_set &&
           addition.problem.empty() && !addition.about->label.empty();
}

std::optional<Group> count_pods_to_come(const Group& group, const std::vector<CountedParts>& parts) {
    if (group.kind != GroupKind::leaf || !group.minimum || group.basic || group.start_set)
        return std::nullopt;
    Count count;
    for (const auto& part : parts)
        count.add(part);
    if (count.first() >= count.expected())
        return std::nullopt;
    Group whole = group;
    whole.start_set = count.first();
    if (!whole.expected)
        whole.expected = count.expected();
    if (const auto* with_template = count.with_template())
        whole.take_late_template(*with_template);
    if (count.has_two_stages() && ends_before(whole).empty())
        whole.sorts.push_back(selector_after(whole.key.kind, {whole.key.name}));
    return whole;
}

}  // namespace echelon::model
