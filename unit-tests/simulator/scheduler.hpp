#pragma once

// What does a stock kube-scheduler do with its extender? One scheduling cycle at a time: filter with a whole list, a
// sample or the one nominated name; assume; bind calls in parallel, each with a client time-out; forget on failure; and
// the queue that decides when a refused pod is tried again (docs/rules.md, the extender protocol). Not thread-safe. It
// knows what its watch delivered, and what it has assumed.

#include "unit-tests/simulator/process.hpp"
#include "unit-tests/simulator/watch.hpp"
#include "unit-tests/simulator/world.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::simulator {

struct SchedulerHabits {
    Time http_timeout{60'000};
    bool samples = false;             // Offers a sample of the nodes only.
    bool pops_from_backoff = true;    // At once when nothing else is to do.
    std::uint64_t repeats = 20;       // Per mille of filter calls that are made twice (22).
    std::uint64_t slow_prebinds = 5;  // Per mille of bindings that take up to `slowness` before they call (29).
    Time slowness{30'000};
};

// Refusals by kube-scheduler's own filters, for reasons unknown to echelon: (leaf of the pod, node).
using OwnRefusals = std::set<std::pair<std::string, std::string>>;

class Scheduler {
public:
    Scheduler(World& world, Process& neighbour, SchedulerHabits habits, const OwnRefusals& refusals, std::string name);

    // Only the holder of the Lease schedules; the other one only watches.
    void lead(bool leads);
    // Loses memory and connections; lists pods again (31).
    void restart();
    // The echelon beside it died: every call fails.
    void lose_neighbour();
    // The client of one waiting bind call gives up (29).
    void time_out(Random& random);
    void be_calm() { is_calm_ = true; }  // Injects no more faults.
    void wake(Stream stream);
    [[nodiscard]] std::size_t attempts() const { return attempts_; }
    [[nodiscard]] Watch* watch() { return watch_.get(); }

private:
    enum class Place : std::uint8_t { active, backoff, error_backoff, parked, binding };
    struct Entry {
        Place place = Place::active;
        std::uint64_t order = 0;
        std::uint32_t failures = 0;
        Time ready_at{0};
        Time parked_at{0};
        std::uint64_t call = 0;
        std::string said;  // The message on the pod.
    };

    void hear(const model::Event& event);
    void hear_of(const model::Pod& pod, bool is_news);
    void hear_of(const model::DeviceClaim& claim);
    void take_devices_back(const model::Pod& pod);
    void move_parked(bool only_old);
    void move(Entry& entry);
    void cycle_soon();
    void cycle();
    [[nodiscard]] std::optional<std::string> pop();
    void attempt(const std::string& uid, Entry& entry);
    // The nodes that pass its own filters. `unavailable`: the pod's claim has devices elsewhere than on some node.
    [[nodiscard]] std::vector<std::string> feasible(const model::Pod& pod, bool& unavailable) const;
    [[nodiscard]] bool passes_own_filters(const model::Pod& pod, const std::string& node, const Room& room) const;
    [[nodiscard]] std::map<std::string, Room> rooms_for(const model::Pod& pod) const;
    void refuse(const std::string& uid, Entry& entry, const std::string& message, bool is_error);
    void assume(const std::string& uid, Entry& entry, const std::string& node);
    void call_bind(const std::string& uid, const std::string& node);
    void bind_ended(const std::string& uid, std::uint64_t attempt, const std::string& error);
    void patch(const std::string& uid, bool is_new_message);
    void flush();
    template <typename Callback>
    void later(Time delay, Callback callback);

    World& world_;
    Process& neighbour_;
    const SchedulerHabits habits_;
    const OwnRefusals& refusals_;
    const std::string name_;
    std::unique_ptr<Watch> watch_;
    std::shared_ptr<int> memory_;  // Changes with every restart, so that pending callbacks are dropped.
    View view_;
    std::map<std::string, Entry> entries_;        // By UID.
    std::map<std::string, std::string> assumed_;  // UID -> node.
    bool leads_ = false;
    bool is_calm_ = false;
    bool is_cycle_due_ = false;
    std::uint64_t last_order_ = 0;
    std::size_t attempts_ = 0;
};

}  // namespace echelon::simulator
