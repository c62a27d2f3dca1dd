#pragma once

// Which kinds of device requests are there, and how many devices must be free on a node to serve all of them? (DR3)
//
// Requests of one kind have equal class, selectors and tolerations, and so take the same devices. Kinds that compete
// for devices are matched exactly, by Hall's theorem. Pods fit if each set of competing kinds requests no more devices
// than at least one of these kinds can take. Each such set is one resource, so that devices are compared and summed
// like any other amount. Pure; not thread-safe.

#include "model/devices/selector.hpp"
#include "model/facts/device.hpp"

#include <compare>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// Prefix of the resource names that devices are counted under.
inline constexpr std::string_view device_prefix = "devices of class ";

using KindSet = std::uint64_t;  // One bit for each kind.

// What makes two requests alike.
struct RequestKey {
    std::string device_class;
    std::vector<std::string> selectors;         // Those of the class first.
    std::size_t class_selectors = 0;            // How many of `selectors` the class has.
    std::vector<Toleration> tolerations = {};   // Sorted.
    std::vector<RequestKey> alternatives = {};  // A device of any of them serves (firstAvailable).

    // Not defaulted: clang rejects that for a type with a list of itself.
    std::strong_ordering operator<=>(const RequestKey& other) const;
    bool operator==(const RequestKey& other) const { return std::is_eq(*this <=> other); }
};

// The key without its alternatives.
[[nodiscard]] RequestKey first_choice(RequestKey key);

class RequestKinds {
public:
    static constexpr std::size_t most_kinds = 64;
    // Further sets of competing kinds are not counted.
    static constexpr std::size_t most_sets = 128;

    // Returns the number of the kind; a new kind gets a free number. The error says why such requests are left to
    // kube-scheduler.
    [[nodiscard]] std::expected<std::uint32_t, std::string> intern(const RequestKey& key);
    [[nodiscard]] std::optional<std::uint32_t> find(const RequestKey& key) const;
    // Requires: no request of this kind is left.
    void drop(std::uint32_t kind);
    [[nodiscard]] KindSet all() const { return all_; }
    [[nodiscard]] const RequestKey& key_of(std::uint32_t kind) const { return kinds_[kind]->key; }

    struct Judgement {
        KindSet takes = 0;   // Kinds that can take the device.
        KindSet fails = 0;   // Kinds whose selectors end with an error, and that have no alternatives.
        KindSet doubts = 0;  // Kinds with alternatives, some of whose selectors end with an error.
        KindSet repels = 0;  // Kinds whose selectors admit the device, and that don't tolerate its taints.

        void add(const Judgement& more);  // Of other kinds.
        void drop(KindSet kinds);
    };
    // Matches one device against the kinds of a set.
    [[nodiscard]] Judgement judge(std::string_view driver, const Device& device, KindSet kinds) const;

    // The sets to count, given the sets of kinds that can take one device. Each has a unique name: "devices of class
    // gpu.example.com". Sorted by name.
    struct Counted {
        KindSet kinds = 0;
        std::string name;

        bool operator==(const Counted&) const = default;
    };
    [[nodiscard]] std::vector<Counted> sets_to_count(const std::set<KindSet>& takers) const;
    // "devices of class gpu.example.com"; the second: "all devices of class gpu.example.com", for allocationMode All.
    [[nodiscard]] std::string name_of(std::uint32_t kind) const;
    [[nodiscard]] std::string name_of_all(std::uint32_t kind) const { return "all " + name_of(kind); }

private:
    struct Kind {
        RequestKey key;
        std::vector<std::vector<DeviceSelector>> selectors;  // For the key, then for each alternative.
    };

    [[nodiscard]] std::string name_of_set(KindSet kinds) const;

    std::vector<std::optional<Kind>> kinds_;
    std::map<RequestKey, std::uint32_t> by_key_;
    KindSet all_ = 0;
};

}  // namespace echelon::model
