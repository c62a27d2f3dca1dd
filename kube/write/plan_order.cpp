#include "kube/write/plan_order.hpp"

#include <utility>

namespace echelon::kube {

namespace {

bool is_record(const WriteLane::Job& job) {
    return std::holds_alternative<model::ApplyPlan>(job.write);
}

WriteLane::Job ticket_for(const std::string& plan, const WriteLane::Job& job) {
    return {.id = job.id, .write = {}, .plan = plan, .tokens = job.tokens, .rank = job.rank, .ns = job.ns};
}

}  // namespace

std::optional<std::uint64_t> PlanOrder::submit(const std::string& plan, WriteLane::Job job, WriteLane& lane) {
    auto ticket = ticket_for(plan, job);
    std::optional<std::uint64_t> replaced;
    {
        const std::lock_guard lock(mutex_);
        auto& writes = writes_[plan];
        if (!writes.empty() && !writes.back().has_begun && is_record(writes.back().job) && is_record(job)) {
            replaced = writes.back().job.id;
            writes.pop_back();
        }
        writes.push_back({std::move(job), &lane});
        if (writes.front().has_begun)
            return replaced;
    }
    lane.submit(std::move(ticket));
    return replaced;
}

std::optional<WriteLane::Job> PlanOrder::begin(const std::string& plan) {
    const std::lock_guard lock(mutex_);
    const auto found = writes_.find(plan);
    if (found == writes_.end() || std::exchange(found->second.front().has_begun, true))
        return std::nullopt;
    return std::move(found->second.front().job);
}

void PlanOrder::ended(const std::string& plan) {
    WriteLane::Job ticket;
    WriteLane* lane = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = writes_.find(plan);
        if (found == writes_.end())
            return;
        found->second.pop_front();
        if (found->second.empty()) {
            writes_.erase(found);
            return;
        }
        const auto& next = found->second.front();
        ticket = ticket_for(plan, next.job);
        lane = next.lane;
    }
    lane->submit(std::move(ticket));
}

}  // namespace echelon::kube
