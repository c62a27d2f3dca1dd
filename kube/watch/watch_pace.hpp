#pragma once

// How patient a watch is. Plain values; tests make them short.

#include <chrono>

namespace echelon::kube {

struct WatchPace {
    // Bookmarks come about every minute: a watch that is silent for longer hangs.
    std::chrono::milliseconds watch_silence = std::chrono::seconds(90);
    std::chrono::milliseconds list_silence = std::chrono::seconds(60);
    std::chrono::milliseconds backoff_first = std::chrono::milliseconds(800);
    std::chrono::milliseconds backoff_limit = std::chrono::seconds(30);
    std::chrono::milliseconds backoff_quiet = std::chrono::minutes(2);
    // A watch that ends sooner without an event is a failure.
    std::chrono::milliseconds shortest_watch = std::chrono::seconds(1);
    // Least time between the ends of short watches and the next, whatever they brought.
    std::chrono::milliseconds breath = std::chrono::milliseconds(100);
    std::chrono::milliseconds rediscovery = std::chrono::seconds(30);  // Of kinds that aren't served.
    // Pods are listed once it is known which kinds they may name, or after so long.
    std::chrono::milliseconds first_discovery = std::chrono::seconds(3);
};

}  // namespace echelon::kube
