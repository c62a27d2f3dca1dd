#pragma once

// How does a snapshot get back room that was taken for a while?
//
// The object that has taken it gives it back, at the latest in its destructor. Move-only. The snapshot must outlive it.

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

    // Takes what a pod of the class needs.
    void take(model::NodeId node, model::PodClassId pod_class) {
        snapshot_->take(node, pod_class);
        pods_.emplace_back(node, pod_class);
    }
    // Gives back what the last pod took.
    void undo() {
        snapshot_->give_back(pods_.back().first, pods_.back().second);
        pods_.pop_back();
    }
    void take(model::NodeId node, std::size_t resource, std::int64_t amount) {
        snapshot_->room[resource][node] -= amount;
        amounts_.push_back({node, resource, amount});
    }
    // What was taken, apart from pods.
    [[nodiscard]] const std::vector<Amount>& amounts() const { return amounts_; }
    [[nodiscard]] bool empty() const { return pods_.empty() && amounts_.empty(); }
    // Leaves the room taken for good.
    void keep() {
        pods_.clear();
        amounts_.clear();
    }
    // Gives back everything, now.
    void give_back() {
        for (const auto& [node, pod_class] : pods_)
            snapshot_->give_back(node, pod_class);
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

// Gives the holds of one gang back to a snapshot while the gang is planned. The destructor takes the holds that the
// gang has then.
class OpenedHolds {
public:
    // Requires: every hold is taken in the snapshot.
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
