#pragma once

// Which write about a GangPlan may start now? Those about one plan run one after the other, in the order of their
// arrival, whichever lane carries them: a deletion neither overtakes a record nor is overtaken by one.
//
// Thread-safe. Holds only what waits behind another one.

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace echelon::kube {

class PlanOrder {
public:
    using Start = std::function<void()>;

    // Starts it, at once or when those before it have ended.
    void submit(const std::string& plan, Start start) {
        {
            const std::lock_guard lock(mutex_);
            const auto [found, is_first] = under_way_.try_emplace(plan);
            if (!is_first) {
                found->second.push_back(std::move(start));
                return;
            }
        }
        start();
    }

    // The one under way has ended: the next one starts.
    void ended(const std::string& plan) {
        Start next;
        {
            const std::lock_guard lock(mutex_);
            const auto found = under_way_.find(plan);
            if (found == under_way_.end())
                return;
            if (found->second.empty()) {
                under_way_.erase(found);
                return;
            }
            next = std::move(found->second.front());
            found->second.pop_front();
        }
        next();
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::deque<Start>> under_way_;  // Guarded by mutex_; by plan: what waits behind its write.
};

}  // namespace echelon::kube
