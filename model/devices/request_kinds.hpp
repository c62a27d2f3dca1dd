#pragma once

// Which kinds of requests for devices are there, and how many devices must be free on a node so that all of them are
// served? (DR3)
//
// Requests of one kind take the same devices: same class, selectors and tolerations. Devices that several kinds can
// take are matched exactly: by Hall's theorem, pods fit if for each set of kinds that compete, the devices that any of
// them can take are at least as many as they ask for together. Each such set is counted as one resource, so that room
// for devices is compared and summed as any other room. Pure; not thread-safe.

#include "model/devices/selector.hpp"
#include "model/facts/device.hpp"

#include <compare>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// How the amounts of devices are called.
inline constexpr std::string_view device_prefix = "devices of class ";

using KindSet = std::uint64_t;  // One bit for each kind.

// What makes two requests alike.
struct RequestKey {
    std::string device_class;
    std::vector<std::string> selectors;         // Of the class first.
    std::size_t class_selectors = 0;            // So many of them are the class's.
    std::vector<Toleration> tolerations = {};   // Sorted.
    std::vector<RequestKey> alternatives = {};  // A device of any of them does as well (firstAvailable).

    std::strong_ordering operator<=>(const RequestKey&) const = default;
};

class RequestKinds {
public:
    static constexpr std::size_t most_kinds = 64;
    // Sets of competing kinds beyond these are not counted.
    static constexpr std::size_t most_sets = 128;

    // The kind of these requests; a new one uses a number that is free. The error says why they are left to
    // kube-scheduler.
    [[nodiscard]] std::expected<std::uint32_t, std::string> intern(const RequestKey& key);
    [[nodiscard]] std::optional<std::uint32_t> find(const RequestKey& key) const;
    // Requires: nobody asks for this kind any more.
    void drop(std::uint32_t kind);
    [[nodiscard]] KindSet all() const { return all_; }
    [[nodiscard]] const RequestKey& key_of(std::uint32_t kind) const { return kinds_[kind]->key; }

    struct Judgement {
        KindSet takes = 0;  // Kinds that can take the device.
        KindSet fails = 0;  // Kinds whose selectors end with an error.
    };
    // For the kinds of a set.
    [[nodiscard]] Judgement judge(std::string_view driver, const Device& device, KindSet kinds) const;

    // The sets that have to be counted, given the sets of kinds that can take one device. Each has its own name:
    // "devices of class gpu.example.com". Sorted by name.
    struct Counted {
        KindSet kinds = 0;
        std::string name;

        bool operator==(const Counted&) const = default;
    };
    [[nodiscard]] std::vector<Counted> sets_to_count(const std::map<KindSet, std::size_t>& takers) const;
    // "devices of class gpu.example.com"; all of them that a node has.
    [[nodiscard]] std::string name_of(std::uint32_t kind) const;
    [[nodiscard]] std::string name_of_all(std::uint32_t kind) const { return "all " + name_of(kind); }

private:
    struct Kind {
        RequestKey key;
        std::vector<std::vector<DeviceSelector>> selectors;  // Of the key, then of its alternatives.
    };

    [[nodiscard]] std::string name_of_set(KindSet kinds) const;
    [[nodiscard]] static DeviceSelector::Answer judge(const RequestKey& key,
                                                      const std::vector<DeviceSelector>& selectors,
                                                      std::string_view driver, const Device& device);

    std::vector<std::optional<Kind>> kinds_;
    std::map<RequestKey, std::uint32_t> by_key_;
    KindSet all_ = 0;
};

}  // namespace echelon::model
