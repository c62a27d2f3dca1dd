#pragma once

// What does the API server lack for Kubernetes' own groups, as far as it has shown until now (Z33)?
//
// Thread-safe, but for `tell`.

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
    // Once, when the first lists are there: into the log. From one thread.
    void tell(const std::vector<kube::WatchStatus>& watched);

private:
    std::atomic<bool> is_named_ = false;  // By some pod.
    bool has_told_ = false;
};

}  // namespace echelon::app
