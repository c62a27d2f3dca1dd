#include "solver/search/hypothetical_members.hpp"

#include <algorithm>
#include <utility>

namespace echelon::solver {

using model::Gang;
using model::GangGroup;
using model::Member;

namespace {

// Adds a leaf below the new root, beside the gang.
template <typename Fill>
void add_leaf(std::int64_t minimum, std::vector<model::LevelRef> required, HypotheticalGang& out, const Fill& fill) {
    Gang& gang = out.gang;
    GangGroup leaf;
    leaf.parent = 0;
    leaf.minimum = minimum;
    leaf.required = std::move(required);
    leaf.first_member = static_cast<std::uint32_t>(gang.members.size());
    fill(gang.members);
    out.original_index.resize(gang.members.size(), model::nowhere);
    leaf.last_member = static_cast<std::uint32_t>(gang.members.size());
    gang.groups.front().children.push_back(static_cast<std::uint32_t>(gang.groups.size()));
    ++gang.groups.front().minimum;
    gang.groups.push_back(std::move(leaf));
}

// A co-located gang requires its own levels, inside the domain that all share.
void add_co_located(const model::CoLocatedGang& co_located, bool is_demanded, HypotheticalGang& out) {
    add_leaf(is_demanded ? co_located.minimum : 0, co_located.required, out, [&](std::vector<Member>& members) {
        for (const model::PodClassId pod_class : co_located.pod_classes) {
            Member member;
            member.pod_class = pod_class;
            members.push_back(std::move(member));
        }
    });
}

// Adds a root above the gang, with the levels that it shares with co-located gangs.
void add_root(const Gang& gang, HypotheticalGang& out) {
    GangGroup around;
    around.key = gang.root;
    around.is_leaf = false;
    around.minimum = 1;
    around.children = {1};
    around.required = gang.co_location.required;
    around.preferred = gang.co_location.preferred;
    for (GangGroup& group : out.gang.groups) {
        group.parent = group.parent == model::nowhere ? 0 : group.parent + 1;
        for (std::uint32_t& child : group.children) {
            ++child;
        }
    }
    out.gang.groups.insert(out.gang.groups.begin(), std::move(around));
    for (model::DomainLimit& limit : out.gang.domain_limits) {
        ++limit.group;
    }
    for (model::Pairing& pairing : out.gang.pairings) {
        ++pairing.group;
    }
    if (gang.co_location.seated.empty() || gang.members.empty()) {
        return;
    }
    add_leaf(std::ssize(gang.co_location.seated), {}, out, [&](std::vector<Member>& members) {
        for (const model::NodeId node : gang.co_location.seated) {
            Member member;
            member.pod_class = gang.members.front().pod_class;  // Any class will do: bound members take no more room.
            member.state = Member::State::bound;
            member.node = node;
            members.push_back(std::move(member));
        }
    });
}

}  // namespace

bool has_hypothetical_members(const Gang& gang) {
    const bool joins_seated_gangs = !gang.co_location.seated.empty() && !gang.co_location.preferred.empty();
    return !gang.gated_members.empty() || !gang.co_located.empty() || joins_seated_gangs;
}

HypotheticalGang with_hypothetical_members(const Gang& gang, std::size_t demanded) {
    HypotheticalGang out{.gang = gang, .original_index = {}};
    out.gang.gated_members.clear();
    out.gang.co_located.clear();
    out.gang.members.clear();
    auto gated = gang.gated_members.begin();
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        GangGroup& group = out.gang.groups[g];
        group.first_member = static_cast<std::uint32_t>(out.gang.members.size());
        for (std::uint32_t m = gang.groups[g].first_member; m < gang.groups[g].last_member; ++m) {
            out.gang.members.push_back(gang.members[m]);
            out.original_index.push_back(m);
        }
        for (; gated != gang.gated_members.end() && gated->group == g; ++gated) {
            Member member;
            member.pod_class = gated->pod_class;
            member.affinity_class = gated->affinity_class;
            out.gang.members.push_back(std::move(member));
            out.original_index.push_back(model::nowhere);
        }
        group.last_member = static_cast<std::uint32_t>(out.gang.members.size());
    }
    out.gang.co_location = {};
    if (gang.co_located.empty() && gang.co_location.seated.empty()) {
        return out;
    }
    add_root(gang, out);
    for (std::size_t c = 0; c < gang.co_located.size(); ++c) {
        const bool is_demanded = c < demanded;
        const bool is_left_out = demanded > 0 && !is_demanded && gang.co_located[c].minimum > 0;
        if (!is_left_out) {
            add_co_located(gang.co_located[c], is_demanded, out);
        }
    }
    return out;
}

namespace {

// [group] 1 if it and all its ancestors are satisfied by these seats and by what counts already.
std::vector<std::uint8_t> satisfied_by(const Gang& gang, const std::vector<std::uint8_t>& has_seat) {
    std::vector<std::int64_t> members(gang.groups.size(), 0);
    std::vector<std::int64_t> children(gang.groups.size(), 0);
    std::vector<std::uint8_t> satisfied(gang.groups.size(), 0);
    for (std::size_t g = gang.groups.size(); g-- > 0;) {  // Children before parents.
        const GangGroup& group = gang.groups[g];
        for (std::uint32_t m = group.first_member; m < group.last_member && group.is_leaf; ++m) {
            members[g] += gang.members[m].state != Member::State::waiting || has_seat[m] != 0 ? 1 : 0;
        }
        const std::int64_t minimum = group.basic ? std::max<std::int64_t>(group.minimum, 1) : group.minimum;
        satisfied[g] = (group.is_leaf ? members[g] : children[g]) >= minimum && members[g] >= group.floor ? 1 : 0;
        if (group.parent != model::nowhere && satisfied[g] != 0) {
            members[group.parent] += members[g];
            ++children[group.parent];
        }
    }
    for (std::size_t g = 1; g < gang.groups.size(); ++g) {
        satisfied[g] = satisfied[g] != 0 && satisfied[gang.groups[g].parent] != 0 ? 1 : 0;
    }
    return satisfied;
}

}  // namespace

Plan without_hypothetical_members(const Gang& gang, const HypotheticalGang& extended, const Plan& plan) {
    std::vector<std::uint8_t> has_seat(gang.members.size(), 0);
    Plan out{.seats = {}, .message = {}, .steps = plan.steps};
    for (const Seat& seat : plan.seats) {
        if (const std::uint32_t member = extended.original_index[seat.member]; member != model::nowhere) {
            out.seats.push_back({.member = member, .node = seat.node});
            has_seat[member] = 1;
        }
    }
    const std::vector<std::uint8_t> satisfied = satisfied_by(gang, has_seat);
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const GangGroup& group = gang.groups[g];
        if (group.is_leaf && satisfied[g] == 0) {
            std::erase_if(out.seats, [&](const Seat& seat) {
                return seat.member >= group.first_member && seat.member < group.last_member;
            });
        }
    }
    return out;
}

}  // namespace echelon::solver
