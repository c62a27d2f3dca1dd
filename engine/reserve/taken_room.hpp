#pragma once

// Room that is taken out of a snapshot for a while. Does the snapshot get it back?
//
// Always: when the object that holds it goes, at the latest. Move-only. The snapshot must outlive it.

#include "engine/reserve/ledger.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace echelon::engine {

class TakenRoom {
public:
    struct Amount {
        model::NodeId node = 0;
        std::size_t resource = 0;
        std::int64_t amount = 0;
    };
    explicit TakenRoom(model::Snapshot& snapshot) : snapshot_(&snapshot) {}
    TakenRoom(TakenRoom&& other) noexcept
        : snapshot_(other.snapshot_),
          pods_(std::exchange(other.pods_, {})),
          amounts_(std::exchange(other.amounts_, {})) {}
    TakenRoom& operator=(TakenRoom&& other) noexcept {
        give_back();
        snapshot_ = other.snapshot_;
        pods_ = std::exchange(other.pods_, {});
        amounts_ = std::exchange(other.amounts_, {});
        return *this;
    }
    TakenRoom(const TakenRoom&) = delete;
    TakenRoom& operator=(const TakenRoom&) = delete;
    ~TakenRoom() { give_back(); }

    // What a pod of the shape needs.
    void take(model::NodeId node, model::PodClassId shape) {
        snapshot_->take(node, shape);
        pods_.emplace_back(node, shape);
    }
    // What was taken last, of a pod.
    void undo() {
        snapshot_->give_back(pods_.back().first, pods_.back().second);
        pods_.pop_back();
    }
    void take(model::NodeId node, std::size_t resource, std::int64_t amount) {
        snapshot_->room[resource][node] -= amount;
        amounts_.push_back({node, resource, amount});
    }
    // What was taken, but for pods.
    [[nodiscard]] const std::vector<Amount>& amounts() const { return amounts_; }
    [[nodiscard]] bool empty() const { return pods_.empty() && amounts_.empty(); }
    // It stays taken.
    void keep() {
        pods_.clear();
        amounts_.clear();
    }
    // All of it, now.
    void give_back() {
        for (const auto& [node, shape] : pods_)
            snapshot_->give_back(node, shape);
        for (const auto& [node, resource, amount] : amounts_)
            snapshot_->room[resource][node] += amount;
        pods_.clear();
        amounts_.clear();
    }

private:
    model::Snapshot* snapshot_;
    std::vector<std::pair<model::NodeId, model::PodClassId>> pods_;
    std::vector<Amount> amounts_;
};

// The holds of one gang, given back to a snapshot while the gang is planned. In the end they are taken as they are
// then.
class OpenedHolds {
public:
    // Requires: the snapshot has every hold taken.
    OpenedHolds(model::Snapshot& snapshot, const Ledger& ledger, const model::GroupKey& owner)
        : snapshot_(snapshot), ledger_(ledger), owner_(owner) {
        ledger_.give_back(snapshot_, owner_);
    }
    OpenedHolds(const OpenedHolds&) = delete;
    OpenedHolds& operator=(const OpenedHolds&) = delete;
    ~OpenedHolds() { ledger_.apply_owner(snapshot_, owner_); }

private:
    model::Snapshot& snapshot_;
    const Ledger& ledger_;
    const model::GroupKey& owner_;
};

}  // namespace echelon::engine
