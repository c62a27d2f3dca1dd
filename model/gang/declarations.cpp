#include "model/gang/declarations.hpp"

#include "model/gang/pods_to_come.hpp"

#include <algorithm>
#include <compare>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

// Every field except `created`, `placed`, `about` and those that `order_of` compares. A new field doesn't compile until
// it is listed. Fields that often differ come first.
auto ordered(const Group& group) {
    const auto& [key, kind, parent, minimum, fewest, basic, floor, expected, start_set, late_pod_class, late_claims,
                 ended, timeout, required, preferred, multiples, most_per_domain, paired, topology, topology_group,
                 priority, priority_class, preempts, disruption, protected_from, policy, anchor, listed,
                 only_supplements, about, described_by, placed, sorts, uid, api_version, api_kind, generation, created,
                 ends, problem, warnings] = group;
    return std::tie(kind, parent, minimum, required, preferred, problem, topology, topology_group, multiples,
                    most_per_domain, paired, expected, start_set, policy, timeout, described_by, warnings, fewest,
                    basic, floor, ended, priority, priority_class, preempts, disruption, protected_from, anchor, listed,
                    only_supplements, late_claims, uid, api_version, api_kind, generation, ends);
}

// A null value goes first.
template <typename Value>
std::strong_ordering order_of(const base::Shared<Value>& a, const base::Shared<Value>& b) {
    if (!a || !b)
        return a.has_value() <=> b.has_value();
    return &*a == &*b ? std::strong_ordering::equal : *a <=> *b;
}

std::strong_ordering order_of(const Group& a, const Group& b);

std::strong_ordering order_of(const SubGroupSelector& a, const SubGroupSelector& b) {
    if (const auto order =
            std::tie(a.labels, a.keys, a.is_declared, a.parts) <=> std::tie(b.labels, b.keys, b.is_declared, b.parts);
        order != 0)
        return order;
    if (const auto order = order_of(a.selector, b.selector); order != 0)
        return order;
    if (const auto order = a.leaf.key <=> b.leaf.key; order != 0)
        return order;
    return order_of(a.leaf, b.leaf);
}

// The leaf of a selector has no selectors itself, so the recursion ends.
std::strong_ordering order_of(const Group& a, const Group& b) {
    if (const auto order = ordered(a) <=> ordered(b); order != 0)
        return order;
    if (const auto order = order_of(a.late_pod_class, b.late_pod_class); order != 0)
        return order;
    const auto by_sorting = [](const SubGroupSelector& left, const SubGroupSelector& right) {
        return order_of(left, right);
    };
    return std::lexicographical_compare_three_way(a.sorts.begin(), a.sorts.end(), b.sorts.begin(), b.sorts.end(),
                                                  by_sorting);
}

}  // namespace

bool BySaying::operator()(const Group& a, const Group& b) const {
    return order_of(a, b) < 0;
}

bool Declarations::ByAge::operator()(const Declaration* a, const Declaration* b) const {
    if (a == b)
        return false;
    if (a->oldest() < b->oldest() || b->oldest() < a->oldest())
        return a->oldest() < b->oldest();
    return BySaying{}(*a->group, *b->group);
}

bool Declarations::ByCount::operator()(const Declaration* a, const Declaration* b) const {
    if (a == b)
        return false;
    return a->count != b->count ? a->count > b->count : BySaying{}(*a->group, *b->group);
}

void Declarations::rank(Declaration& variant) {
    by_age_.insert(&variant);
    by_count_.insert(&variant);
}

void Declarations::unrank(Declaration& variant) {
    by_age_.erase(&variant);
    by_count_.erase(&variant);
}

void Declarations::add(const base::Shared<Group>& group, const DeclaringPods& declarer) {
    auto& variants = group->only_supplements ? additions_ : own_;
    auto found = variants.find(*group);
    if (found == variants.end()) {
        found = variants.insert(std::make_unique<Declaration>(Declaration{.group = group})).first;
    } else if (!group->only_supplements) {
        unrank(**found);
    }
    if (!group->about->label.empty())
        ++values_[group->about->label][group->about->value];
    auto& variant = **found;
    ++variant.pods[declarer];
    ++variant.count;
    if (!group->only_supplements)
        rank(variant);
}

void Declarations::remove(const Group& group, const DeclaringPods& declarer) {
    auto& variants = group.only_supplements ? additions_ : own_;
    const auto found = variants.find(group);
    if (found == variants.end())
        return;
    forget_value(*group.about);
    auto& variant = **found;
    if (!group.only_supplements)
        unrank(variant);
    if (auto at = variant.pods.find(declarer); at != variant.pods.end() && --at->second == 0)
        variant.pods.erase(at);
    --variant.count;
    if (variant.pods.empty()) {
        variants.erase(found);
    } else if (!group.only_supplements) {
        rank(variant);
    }
}

void Declarations::forget_value(const LabelledPods& pods) {
    const auto values = values_.find(pods.label);
    if (values == values_.end())
        return;
    if (const auto value = values->second.find(pods.value); value != values->second.end() && --value->second == 0)
        values->second.erase(value);
    if (values->second.empty())
        values_.erase(values);
}

base::Shared<Group> Declarations::effective_variant() const {
    if (own_.empty())
        return {};
    auto& oldest = **by_age_.begin();
    auto& chosen = oldest.group->policy.oldest_pod_decides ? oldest : **by_count_.begin();
    const auto created = oldest.oldest().created;
    if (chosen.group->created != created) {
        Group aged = *chosen.group;
        aged.created = created;
        chosen.group = std::move(aged);
    }
    return chosen.group;
}

std::vector<const Group*> Declarations::additions() const {
    std::vector<const Group*> all;
    all.reserve(additions_.size());
    for (const auto& variant : additions_)
        all.insert(all.end(), counts_parts(*variant->group) ? variant->pods.size() : 1, &*variant->group);
    return all;
}

std::vector<std::string_view> Declarations::dividing_labels() const {
    std::vector<std::string_view> labels;
    for (const auto& [label, values] : values_) {
        if (values.size() > 1)
            labels.push_back(label);
    }
    return labels;
}

}  // namespace echelon::model
