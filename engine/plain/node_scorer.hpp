#pragma once

// How good is each node for the plain pods of profiles with `scores: pack`? (SC2 to SC4)
//
// Computes scores at most every 100 ms, only after room has changed, and with a bounded amount of work. Scores have no
// influence on plans. Not thread-safe; what it publishes is.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/plain/node_use.hpp"
#include "engine/plain/promised_nodes.hpp"
#include "engine/publish/node_scores.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/time.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/event.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/scores/node_room.hpp"
#include "solver/scores/request_window.hpp"
#include "solver/scores/room_value.hpp"
#include "solver/scores/score_bands.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

class NodeScorer {
public:
    NodeScorer(const Facts& facts, const Ledger& ledger, NodeRoom& room, const PromisedNodes& promised)
        : facts_(facts), ledger_(ledger), room_(room), promised_(promised) {}

    // Must be called before the event is applied. Pods alone are looked at.
    void note(const model::Event& event);
    // Nodes have come, gone or changed, or their devices have.
    void note_nodes() { is_stale_ = is_stale_ || packs_any(); }
    // When `refresh` has something to do; never: nothing has changed.
    [[nodiscard]] Time due() const;
    // Computes the scores, if that is due. True: it took a snapshot.
    bool refresh();
    [[nodiscard]] std::shared_ptr<const NodeScores> publish() const { return published_; }
    // Which requests came lately, by the numbers of their classes.
    [[nodiscard]] const solver::RequestWindow& window() const { return window_; }

private:
    static constexpr Time interval{100};
    static constexpr std::size_t most_classes = 32;  // Classes of requests; the oldest goes first.
    static constexpr std::size_t most_losses = 256;  // Computed in one refresh; the rest follows in the next.

    using Losses = std::map<std::pair<std::vector<std::int64_t>, std::size_t>, double>;  // By room and free devices.
    struct RequestClass {
        std::uint32_t number = 0;  // In `window_`.
        std::uint64_t last = 0;    // When its last pod came, counted in pods.
        solver::PodNeed need;
        Losses losses;
    };

    void note_request(const model::Pod& pod);
    // For a class without pods in `window_`.
    [[nodiscard]] std::uint32_t free_number();
    // Requires: there is a class.
    void forget_oldest_class();
    [[nodiscard]] bool packs(const model::Pod& pod) const;
    [[nodiscard]] bool packs_any() const;
    void choose_resources(const model::Snapshot& snapshot);
    void learn_mix();
    [[nodiscard]] solver::PodNeed need_of(const model::Amounts& requests) const;
    [[nodiscard]] solver::NodeRoom room_of(const model::Snapshot& snapshot, model::NodeId node) const;
    // Nullopt: left to the next refresh.
    [[nodiscard]] std::optional<double> loss(RequestClass& request_class, const solver::NodeRoom& room,
                                             std::size_t& budget);
    // Null: some scores could not be computed yet.
    [[nodiscard]] NodeScores::Scores scores(RequestClass& request_class, const model::Snapshot& snapshot,
                                            const std::vector<std::uint32_t>& breaks, std::size_t& budget);

    const Facts& facts_;
    const Ledger& ledger_;
    NodeRoom& room_;
    const PromisedNodes& promised_;
    NodeUse use_;
    bool is_stale_ = false;
    std::uint64_t ledger_seen_ = 0;  // Version at the last refresh.
    Time next_{0};
    std::map<model::Amounts, RequestClass> classes_;
    std::uint32_t numbers_ = 0;  // The first class number that was never given out.
    // Numbers of forgotten classes, in the order of their last pods. So those at the front leave `window_` first.
    std::deque<std::uint32_t> retired_;
    std::uint64_t pods_seen_ = 0;  // Number of pods so far.
    solver::RequestWindow window_;
    std::vector<std::size_t> resources_;  // Ids in the snapshot, in the order of the amounts in rooms and needs.
    std::vector<std::string> names_;      // Names of the same resources.
    std::size_t scarce_ = 0;              // Id of the scarce resource.
    std::string scarce_name_;
    bool is_device_ = false;  // The scarce resource is counted in whole devices.
    std::optional<solver::RoomValue> room_value_;
    std::shared_ptr<const NodePlaces> places_;
    std::vector<base::Text> nodes_;  // As in `places_`.
    NodeScores::ByRequests scores_;
    std::shared_ptr<const NodeScores> published_;
};

}  // namespace echelon::engine
