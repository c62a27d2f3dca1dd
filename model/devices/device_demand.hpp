#pragma once

// What does one pod request through its claims? Collected from a `DeviceIndex`, and written into the pod (DR3 to DR6).

#include "model/devices/device_index.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// True for the amount under which devices of a missing class are counted (DR4). No node has any, but that may change
// once somebody creates the class.
[[nodiscard]] bool is_of_missing_class(std::string_view resource);

// Valid until the index changes.
class DeviceIndex::Demand {
public:
    Demand(const DeviceIndex& index, const PodSeen& event);

    [[nodiscard]] const Remarks& remarks() const { return remarks_; }
    void write(PodSeen& event) const;

private:
    void add(const PodClaim& claim);
    void add_missing(const PodClaim& claim, std::string_view why);
    [[nodiscard]] bool is_first(const Users& users) const;  // Of the users in the pod's gang.
    void add_extended(const std::string& resource, std::int64_t amount);
    void add_absent_class(std::string_view name, std::int64_t amount);
    bool add(const DeviceRequest& request, bool is_counted, bool has_choices);  // True: it counts on the node.
    bool add_admin(const DeviceRequest& request, std::uint32_t kind);           // False: others may have the devices.
    [[nodiscard]] bool has_several_requests() const;                            // In all claims together.
    void add(const DeviceRequest& request, const DeviceDemand& demand, ClaimAsk& ask) const;
    [[nodiscard]] bool are_counted(const RequestKey& key) const;
    // Requires: it isn't counted.
    [[nodiscard]] std::string why_without_kind(const RequestKey& key) const;
    bool warn(const DeviceRequest& request, const std::string& why);
    [[nodiscard]] std::string missing_class(const DeviceRequest& request) const;
    void count(const DeviceRequest& request, std::uint32_t kind, bool has_choices);

    const DeviceIndex& index_;
    const PodSeen& event_;
    std::map<std::string, std::int64_t> amounts_;
    DeviceAsks asks_;
    std::vector<const std::vector<NodeTerm>*> pins_;
    std::set<std::string> shared_;  // Names of claims.
    Remarks remarks_;
};

}  // namespace echelon::model
