#pragma once

// What does the API server lack for Kubernetes' own groups, as known so far (Z33)?
//
// Thread-safe, except for `log_once`.

#include "kube/watch/watcher.hpp"
#include "model/facts/event.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace echelon::app {

class UpstreamNotice {
public:
    void note(const model::Event& event);
    [[nodiscard]] std::vector<std::string> sentences(const std::vector<kube::WatchStatus>& watched) const;
    // Logs the sentences once, after the first lists. Called by one thread.
    void log_once(const std::vector<kube::WatchStatus>& watched);

private:
    std::atomic<bool> is_named_ = false;  // Some pod names such a group.
    bool has_logged_ = false;
};

}  // namespace echelon::app
