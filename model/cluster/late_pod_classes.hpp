#pragma once

// Which pod class do members have that don't exist yet, by the template that their group declares (H6)?
//
// Each template whose pods ask for devices has a stand-in: a pod that doesn't exist. Its requests are counted like
// those of any pod, and all placeholders of the template ask for what it asks for.

#include "model/cluster/node_index.hpp"
#include "model/devices/device_index.hpp"
#include "model/gang/forest.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace echelon::model {

// Refers to all arguments.
class LatePodClasses {
public:
    LatePodClasses(const GroupForest& forest, NodeIndex& node_index, DeviceIndex& devices)
        : forest_(forest), node_index_(node_index), devices_(devices) {}

    // Call it after a group's declaration came, went or changed.
    void renew(const GroupKey& group);
    // For the group, and for those that it describes.
    void renew_with_described(const GroupKey& group);
    // A class for this extended resource has come (DR6).
    void note_class_of(const std::string& resource);

    // The class of the group's late members, as of the last snapshot; nullopt: no template gives it.
    [[nodiscard]] std::optional<PodClassId> find(const Group& group) const;

    // What stand-ins that came or went have changed for others.
    [[nodiscard]] bool has_delta() const { return !delta_.empty(); }
    [[nodiscard]] DeviceIndex::Delta take_delta() { return std::exchange(delta_, {}); }
    [[nodiscard]] bool is_stand_in(const std::string& uid) const { return stand_ins_.contains(uid); }
    // The stand-in asks for other amounts now. Returns the groups that have the template.
    const std::set<GroupKey>& resolve(const std::string& uid);

private:
    using Parts = std::tuple<std::string_view, const PodClass&, const std::vector<PodClaim>&>;
    struct Template {
        std::string ns;  // Of `claims`; empty: there are none.
        PodClass pod_class;
        std::vector<PodClaim> claims;  // Made from templates.

        [[nodiscard]] Parts parts() const { return {ns, pod_class, claims}; }
    };
    struct ByParts {
        using is_transparent = void;
        bool operator()(const Template& a, const Template& b) const { return a.parts() < b.parts(); }
        bool operator()(const Template& a, const Parts& b) const { return a.parts() < b; }
        bool operator()(const Parts& a, const Template& b) const { return a < b.parts(); }
    };
    struct Use {
        std::set<GroupKey> groups;
        NodeIndex::PodClassEntry pod_class = {};
        std::string stand_in = {};  // UID; empty: none is needed.
    };
    using Templates = std::map<Template, Use, ByParts>;

    [[nodiscard]] static std::vector<PodClaim> claims_of(const Group& group);
    void add(const GroupKey& group, const Group& declared);
    void remove(const GroupKey& group, Templates::iterator used);
    void let_stand_in(Templates::iterator used);

    const GroupForest& forest_;
    NodeIndex& node_index_;
    DeviceIndex& devices_;
    Templates templates_;
    std::map<GroupKey, Templates::iterator> by_group_;
    std::map<std::string, Templates::iterator> stand_ins_;  // By UID.
    std::uint64_t last_stand_in_ = 0;
    DeviceIndex::Delta delta_;
};

}  // namespace echelon::model
