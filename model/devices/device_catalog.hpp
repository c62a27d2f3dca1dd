#pragma once

// Which devices does each node have, which kinds of requests can take them, and which are free? (DR1)
//
// Devices of a pool count while all slices of the newest generation exist, as in kube-scheduler. echelon doesn't count
// devices of several nodes and shared devices. It leaves request kinds that can take one of those to kube-scheduler.
// Pure; not thread-safe.

#include "model/devices/request_kinds.hpp"
#include "model/facts/device.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

class DeviceCatalog {
public:
    // These five return the names of nodes whose devices have changed.
    std::set<std::string> see(const DeviceSlice& slice, const RequestKinds& kinds);
    std::set<std::string> forget(const std::string& name);
    // Null: there is no such rule.
    std::set<std::string> set_rule(const std::string& name, const DeviceTaintRule* rule, const RequestKinds& kinds);
    // A claim gets these devices, or releases them. `is_of_extended`: kube-scheduler made the claim for a pod's
    // extended resource. The pod's request already counts.
    std::set<std::string> take(const DeviceAllocation& allocation, bool is_of_extended);
    std::set<std::string> give_back(const DeviceAllocation& allocation, bool is_of_extended);

    // Matches every device against kinds, whose numbers may have meant other kinds before.
    void match(KindSet kinds, const RequestKinds& table);
    // Adds the nodes whose amounts may depend on any of these kinds.
    void add_nodes_of(KindSet kinds, std::set<std::string>& nodes) const;

    // The sets of these kinds that can take one device: all that can, or those that can still reach it behind a device
    // on which the others' selectors end with an error. Sorted. The version changes with them.
    [[nodiscard]] std::vector<KindSet> takers(KindSet kinds) const;
    [[nodiscard]] std::uint64_t version() const { return version_; }
    // Kinds that can take a partition of a device.
    [[nodiscard]] KindSet takers_of_partitions() const;
    // Why requests of a kind are left to kube-scheduler: "devices of several nodes"; empty: they count.
    [[nodiscard]] std::string_view why_uncounted(std::uint32_t kind) const;

    // What partitions have left of each counter of their pool.
    using Counters = std::map<std::pair<std::string, std::string>, std::int64_t>;  // By counter set and name.
    struct NodeDevice {
        KindSet kinds = 0;        // Kinds that can take it.
        std::uint32_t taken = 0;  // Claims that have it, including `taken_by_extended`.
        std::uint32_t taken_by_extended = 0;
        std::string_view taken_by_class = {};  // If by one for an extended resource: its class; empty: not known.
        bool is_blocked = false;  // No claim has it, but other partitions leave too little of the counters.
        // Those of `kinds` that can't take it now: kube-scheduler ends with an error at a free device before it (DR2).
        KindSet hidden = 0;
        const Device* device = nullptr;
        const Counters* counters = nullptr;  // Those of the pool.
    };
    struct NodeDevices {
        std::vector<NodeDevice> devices;
        // Kinds of which no request for all devices can be served here: a pool of the node lacks slices, a selector
        // ends with an error, or a device has a taint that it doesn't tolerate.
        KindSet never_all = 0;
        bool lacks_slices = false;  // A pool of the node does, or kube-scheduler takes it for invalid.
    };
    [[nodiscard]] NodeDevices on(const std::string& node) const;
    [[nodiscard]] std::vector<std::string> nodes() const;          // Nodes with slices.
    [[nodiscard]] std::vector<const DeviceSlice*> slices() const;  // By name.
    [[nodiscard]] const std::map<std::string, DeviceTaintRule>& rules() const { return rules_; }
    [[nodiscard]] bool is_empty() const { return slices_.empty(); }

private:
    struct Kept;
    using KeptByName = std::map<std::string, Kept*>;
    using PoolKey = std::pair<std::string, std::string>;  // Driver and name.
    struct PoolHash {
        std::size_t operator()(const PoolKey& key) const {
            const std::hash<std::string> hash;
            return 31 * hash(key.first) + hash(key.second);
        }
    };
    struct Pool {
        KeptByName slices;
        std::int64_t generation = 0;
        bool is_complete = false;  // And its partitions name counters that exist once.
        Counters counters;         // Left by the partitions that claims have.
    };
    struct Use {
        std::uint32_t claims = 0;
        std::uint32_t extended = 0;
        std::string extended_class = {};  // That of one of them.
    };
    struct Kept {
        DeviceSlice slice;
        std::vector<RequestKinds::Judgement> judgements;  // [device]
        std::vector<Use> uses;                            // [device] as in `uses_`.
        const Pool* pool = nullptr;
    };
    enum class Uncounted : std::uint8_t { of_many_nodes, shared, doubtful, none };

    [[nodiscard]] static Uncounted why_uncounted(const Device& device);
    static void refresh(Pool& pool);
    static bool count_counters(Pool& pool);
    void count(const Kept& kept, int sign);
    void count(const Device& device, const RequestKinds::Judgement& judgement, int sign);
    void index(Kept& kept, bool comes);
    std::set<std::string> change_use(const DeviceAllocation& allocation, bool is_of_extended, int sign);
    static void add_devices(const Kept& kept, const std::string& node, KindSet& failed, NodeDevices& found);
    [[nodiscard]] Use use_of(const DeviceSlice& slice, const Device& device) const;

    std::map<std::string, Kept> slices_;  // By name.
    std::unordered_map<PoolKey, Pool, PoolHash> pools_;
    std::unordered_map<std::string, KeptByName> by_node_;
    std::map<AllocatedDevice, Use> uses_;
    std::map<std::string, DeviceTaintRule> rules_;                    // By name.
    std::map<KindSet, std::size_t> takers_;                           // How many devices they can take.
    std::map<KindSet, std::size_t> failing_;                          // On how many devices their selectors fail.
    std::map<KindSet, std::size_t> partitions_;                       // Those of `takers_` that take counters.
    std::map<std::pair<Uncounted, KindSet>, std::size_t> uncounted_;  // How many devices.
    std::uint64_t version_ = 0;
};

}  // namespace echelon::model
