#pragma once

// Which write of a GangPlan may start now? Writes of one plan run one after another in the order of arrival, even
// across lanes. A deletion and a record never overtake each other.
//
// Thread-safe. Keeps only plans with a write under way.

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

    // Calls `start` at once, or when the earlier writes of the plan have ended.
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

    // The write under way has ended: starts the next one.
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
    std::map<std::string, std::deque<Start>> under_way_;  // Guarded by mutex_. Plan -> writes that wait.
};

}  // namespace echelon::kube
