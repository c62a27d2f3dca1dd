#pragma once

// What do the claims of a pod ask of a node, and what does each node offer for it? (DR1 to DR7)
//
// Devices are counted as amounts, so that all that plans, judges and explains room treats them like other room: a node
// offers as many as are free, a pod that waits asks for what its claims will take, and one that runs has its devices,
// which are not free any more. Pure; not thread-safe. Equal sets of facts give equal answers.

#include "model/devices/device_catalog.hpp"
#include "model/facts/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

class DeviceIndex {
public:
    // What an event may have changed.
    struct Delta {
        std::set<std::string> nodes;  // What they offer.
        std::set<std::string> pods;   // UIDs; what they ask for.
    };
    Delta see(const DeviceSlice& slice);
    Delta forget_slice(const std::string& name);
    Delta see(const DeviceClass& device_class);
    Delta forget_class(const std::string& name);
    Delta see(const DeviceClaim& claim);
    Delta forget_claim(const std::string& ns, const std::string& name);
    Delta see(const DeviceClaimTemplate& claim_template);
    Delta forget_template(const std::string& ns, const std::string& name);

    // A pod with claims that waits for a node: kept as it came, until `drop`. Other pods may change then, if
    // they share a claim with it, or if nobody asked for such devices before.
    Delta keep(const PodSeen& event);
    Delta drop(const std::string& uid);
    [[nodiscard]] bool keeps(const std::string& uid) const { return pods_.contains(uid); }
    [[nodiscard]] bool keeps_any() const { return !pods_.empty(); }

    // The pod with what its claims ask for: amounts of devices, nodes that allocated claims pin it to, and terms that
    // keep pods of one claim together. Requires: it is kept.
    [[nodiscard]] PodSeen resolve(const std::string& uid);
    // The same of an event, without keeping it.
    [[nodiscard]] PodSeen resolved(const PodSeen& event) const;

    // Of a kept pod, as of the last `resolve`.
    struct Remarks {
        std::string missing;             // A ResourceClaim or template that doesn't exist; empty: nothing.
        std::set<std::string> warnings;  // What is left to kube-scheduler, one sentence each.
    };
    [[nodiscard]] const Remarks* remarks(const std::string& uid) const;  // Null: it isn't kept.

    // What devices add to a node. `plugin`: what the node says it has of an extended resource, which is all there is of
    // it then (DR6).
    struct Offer {
        Amounts all;    // That it has.
        Amounts taken;  // By claims.

        bool operator==(const Offer&) const = default;
    };
    [[nodiscard]] bool has_devices() const { return !catalog_.is_empty(); }
    [[nodiscard]] Offer offer_of(const std::string& node, const Amounts& plugin) const;

private:
    class Demand;                                      // What one pod asks for (`device_demand.hpp`).
    using Name = std::pair<std::string, std::string>;  // Namespace and name.
    struct PodRow {
        PodSeen told;
        std::vector<std::pair<RequestKey, bool>> asks;  // Kinds, and whether for all devices of a node.
        Remarks remarks;
    };
    struct Askers {
        std::size_t pods = 0;
        std::size_t for_all = 0;  // Of them.
    };
    // What follows from kinds and devices alone.
    struct Counting {
        std::vector<RequestKinds::Counted> sets;
        std::map<std::uint32_t, std::string> for_all;    // Kinds of which somebody asks for all: the amount's name.
        std::map<std::uint32_t, std::string> uncounted;  // Kinds that are left to kube-scheduler, and why.
        std::vector<std::pair<std::uint32_t, std::string>> extended;  // Kinds that classes name as extended resources.

        bool operator==(const Counting&) const = default;
    };

    [[nodiscard]] const DeviceDemand* told_demand(const std::string& ns, const PodClaim& claim) const;
    [[nodiscard]] const DeviceClaim* claim_of(const std::string& ns, const PodClaim& claim) const;
    using Users = std::set<std::pair<std::string, std::string>>;  // Names and UIDs of pods of one namespace.

    [[nodiscard]] static RequestKey key_of(const DeviceClass& device_class, const DeviceRequest* request);
    // Nothing: one of its classes doesn't exist.
    [[nodiscard]] std::optional<RequestKey> key_of(const DeviceRequest& request) const;
    [[nodiscard]] const Users* users_of(const Name& claim) const;  // Null: none.
    [[nodiscard]] static std::set<std::string> pods_of(const std::map<Name, Users>& users, const Name& name);
    void note_user(const PodSeen& event, const std::string& claim, bool comes, Delta& delta);
    void note_users(const PodSeen& event, bool comes, Delta& delta);
    void note_asks(PodRow& row);
    void drop_asks(PodRow& row);
    void note_asks_of(const std::set<std::string>& uids);
    // Brings kinds and sets up to date. If they changed, every node and pod is concerned.
    void refresh(Delta& delta);
    bool refresh_kinds();
    [[nodiscard]] Counting counted() const;
    void add_everybody(Delta& delta) const;
    Delta on_class_changed();
    Delta on_users_changed(Delta delta);

    DeviceCatalog catalog_;
    RequestKinds kinds_;
    std::map<RequestKey, std::string> not_understood_;  // Why.
    Counting counting_;
    std::map<RequestKey, Askers> askers_;
    bool are_kinds_stale_ = false;    // Classes have changed, or the keys of `askers_`.
    std::uint64_t seen_version_ = 0;  // Of the catalog.
    std::map<std::string, DeviceClass> classes_;
    std::map<Name, DeviceClaim> claims_;
    std::map<Name, DeviceClaimTemplate> templates_;
    std::unordered_map<std::string, PodRow> pods_;  // By UID.
    std::map<Name, Users> claim_users_;
    std::map<Name, Users> template_users_;
};

}  // namespace echelon::model
