#pragma once

// Which kinds of device requests count, and how many devices must be free on a node to serve all of them? (DR3)
//
// Requests of one kind have equal class, selectors and tolerations, and so take the same devices. Kinds that compete
// for devices are matched exactly, by Hall's theorem. Pods fit if each set of competing kinds requests no more devices
// than at least one of these kinds can take. Each such set is one resource, so that devices are compared and summed
// like any other amount. Pure; not thread-safe.

#include "model/devices/selector.hpp"
#include "model/facts/device.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
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
[[nodiscard]] constexpr KindSet bit(std::size_t kind) {
    return KindSet{1} << kind;
}

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
// Why requests of this kind are left to kube-scheduler; empty: every selector is understood.
[[nodiscard]] std::string why_not_understood(const RequestKey& key);
// How much there is to judge on each device: the parts of selectors, and tolerations. Those of classes don't count.
[[nodiscard]] std::size_t parts_of(const RequestKey& key);

class RequestKinds {
public:
    static constexpr std::size_t most_kinds = 64;
    // Further sets of competing kinds are not counted.
    static constexpr std::size_t most_sets = 128;

    // Selectors of kinds that no longer count are kept up to this many parts.
    static constexpr std::size_t most_idle_parts = 512;

    struct Renewal {
        KindSet begun = 0;                   // These count now, and did not before.
        KindSet fresh = 0;                   // Those of `begun` that no device has been matched against.
        KindSet ended = 0;                   // These no longer count. A fresh kind may have the number now.
        std::vector<RequestKey> ended_keys;  // Those of `ended`.
    };
    // From now on these kinds count, and no others. Requires: at most `most_kinds`, and all are understood. A kind
    // keeps its number while it counts. If it comes back before another kind needs the number, it isn't matched again.
    Renewal renew(const std::set<RequestKey>& wanted);
    // The number of a kind that counts.
    [[nodiscard]] std::optional<std::uint32_t> find(const RequestKey& key) const;
    [[nodiscard]] KindSet all() const { return all_; }          // Those that count.
    [[nodiscard]] KindSet matched() const { return matched_; }  // And those that may come back.
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
    [[nodiscard]] std::vector<Counted> sets_to_count(const std::vector<KindSet>& takers) const;
    // "devices of class gpu.example.com"; the second: "all devices of class gpu.example.com", for allocationMode All.
    [[nodiscard]] const std::string& name_of(std::uint32_t kind) const { return kinds_[kind]->name; }
    [[nodiscard]] std::string name_of_all(std::uint32_t kind) const { return "all " + name_of(kind); }

private:
    struct Kind {
        RequestKey key;
        std::size_t parts = 0;
        std::vector<std::vector<DeviceSelector>> selectors;  // For the key, then for each alternative.
        std::string name;                                    // Unique among those that count.
    };

    void place(const RequestKey& key, Renewal& renewal);
    void drop_idle();
    void name_kinds();
    [[nodiscard]] std::string name_of_set(KindSet kinds) const;

    std::array<std::optional<Kind>, most_kinds> kinds_;
    std::map<RequestKey, std::uint32_t> by_key_;  // Those of `matched_`.
    KindSet all_ = 0;
    KindSet matched_ = 0;
};

}  // namespace echelon::model
