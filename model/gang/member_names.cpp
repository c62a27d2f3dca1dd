#include "model/gang/member_names.hpp"

#include <algorithm>
#include <span>

namespace echelon::model {

namespace {

struct Place {
    const GroupKey& leaf;
    std::ptrdiff_t number;  // Among the placeholders of the leaf.
};

// Groups are in the order of their members, and the placeholders of a leaf come last.
Place place_of(const Gang& gang, std::uint32_t member) {
    const auto leaf = std::ranges::upper_bound(gang.groups, member, {}, &GangGroup::last_member);
    const auto members = std::span(gang.members).first(leaf->last_member).subspan(leaf->first_member);
    const auto first = std::ranges::partition_point(members, [](const Member& each) { return !each.is_placeholder; });
    return {leaf->key, &gang.members[member] - &*first};
}

}  // namespace

base::Text uid_of(const Gang& gang, std::uint32_t member) {
    if (const auto& uid = gang.members[member].uid; !uid.empty())
        return uid;
    const auto [leaf, number] = place_of(gang, member);
    return "ghost/" + leaf.kind + "/" + leaf.name + "/" + std::to_string(number);
}

base::Text pod_of(const Gang& gang, std::uint32_t member) {
    if (const auto& pod = gang.members[member].pod; !pod.empty())
        return pod;
    const auto [leaf, number] = place_of(gang, member);
    return leaf.name + "/ghost-" + std::to_string(number);
}

}  // namespace echelon::model
