#pragma once

// How long does a watch wait, and how often does it retry? Plain values; tests make them short.

#include <chrono>

namespace echelon::kube {

struct WatchPace {
    // Bookmarks come about every minute: a watch that is silent for longer hangs.
    std::chrono::milliseconds watch_silence = std::chrono::seconds(90);
    std::chrono::milliseconds list_silence = std::chrono::seconds(60);
    std::chrono::milliseconds backoff_first = std::chrono::milliseconds(800);
    std::chrono::milliseconds backoff_limit = std::chrono::seconds(30);
    std::chrono::milliseconds backoff_quiet = std::chrono::minutes(2);
    // A watch that ends sooner, without an event, is a failure.
    std::chrono::milliseconds shortest_watch = std::chrono::seconds(1);
    // Minimum pause after a short watch that had events.
    std::chrono::milliseconds breath = std::chrono::milliseconds(100);
    std::chrono::milliseconds rediscovery = std::chrono::seconds(30);  // For kinds that aren't served.
    // A kind that may be broken counts as listed after so long a time of answers with 5xx.
    std::chrono::milliseconds broken = std::chrono::minutes(1);
    // Pods are listed once all kinds that they may name are discovered, or after this time.
    std::chrono::milliseconds first_discovery = std::chrono::seconds(3);
};

}  // namespace echelon::kube
