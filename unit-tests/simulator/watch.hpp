#pragma once

// How does a watcher get events? One stream for each kind, ordered and with its own delay. A stream may break and
// resume with a whole list (410), and a first list may be outdated.
//
// Not thread-safe. Deliveries end when the watch is stopped.

#include "unit-tests/simulator/api_server.hpp"
#include "unit-tests/simulator/clock.hpp"
#include "unit-tests/simulator/random.hpp"

#include <array>
#include <functional>
#include <memory>

namespace echelon::simulator {

struct WatchPace {
    Time longest{3};                  // Longest delay of an event.
    std::uint64_t lag_per_mille = 5;  // How often an event takes up to `lag`.
    Time lag{400};
};

class Watch {
public:
    using Deliver = std::function<void(model::Event)>;

    Watch(Clock& clock, ApiServer& api, Random& random, WatchPace pace, Deliver deliver);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Lists everything; each list is followed by its `Synced`. `staleness`: how many entries a list may lack.
    void start(std::uint64_t staleness);
    // Schedules the delivery of new events of a stream.
    void wake(Stream stream);
    // No events for a while. Then a relist (missing objects are delivered as deleted), or the stream goes on.
    void interrupt(Stream stream, Time pause, bool relists);
    // Delivers earlier events again (fault 12).
    void repeat(Stream stream);

private:
    struct Lane {
        std::size_t told = 0;  // Entries of the history.
        View known;
        Time not_before{0};
        bool is_pending = false;
        bool is_listed = false;
        bool relists = false;
    };

    Lane& lane(Stream stream) { return lanes_[static_cast<std::size_t>(stream)]; }
    void tell_next(Stream stream);
    void list(Stream stream, std::size_t length);
    void tell_all(const View& view);
    void tell(Lane& lane, const model::Event& event);
    [[nodiscard]] Time delay();

    Clock& clock_;
    ApiServer& api_;
    Random& random_;
    WatchPace pace_;
    Deliver deliver_;
    std::array<Lane, stream_count> lanes_;
    std::uint64_t staleness_ = 0;
    std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace echelon::simulator
