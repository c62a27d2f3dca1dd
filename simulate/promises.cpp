#include "simulate/promises.hpp"

#include "simulate/gang_placer.hpp"
#include "solver/backfill/earliest_start.hpp"

#include <algorithm>
#include <utility>

namespace echelon::simulate {

namespace {

constexpr std::size_t nodes_per_pod = 100;  // A gang of more pods than nodes / 100 may reserve.

}  // namespace

Promises::Promises(const World& world, const Trace& trace, PromiseOptions options, Machines& machines,
                   const RunningPods& running, WaitingJobs& waiting)
    : world_(&world),
      trace_(&trace),
      options_(std::move(options)),
      machines_(&machines),
      running_(&running),
      waiting_(&waiting),
      reserved_(machines),
      is_used_(options_.claim_after > 0 &&
               std::ranges::any_of(trace.jobs, [](const Job& job) { return job.limit.has_value(); })),
      placed_(trace.jobs.size()),
      job_of_(trace.jobs.size()) {
    for (std::uint32_t job = 0; job < trace.jobs.size(); ++job)
        job_of_[waiting.rank_of(job)] = job;
}

void Promises::on_arrival(std::uint32_t job) {
    const Job& its = trace_->jobs[job];
    const auto& request = trace_->requests[its.request];
    const bool is_large = its.pods * nodes_per_pod > machines_->node_count();
    // Which shares of devices become whole devices is not foreseen.
    if (is_used_ && its.is_gang && is_large && request.gpu_share == 0)
        aging_.push_back(job);
}

void Promises::on_placed(std::uint32_t job) {
    placed_[job] = 1;
    broken_.erase(job);
    due_.erase(waiting_->rank_of(job));
    if (!reserved_.contains(job))
        return;
    reserved_.drop(job);
    retry_at_ = 0;
    waiting_->on_room_freed();
}

void Promises::on_started(std::uint32_t job, std::span<const model::NodeId> nodes, Seconds now) {
    const auto end = now + trace_->jobs[job].limit.value_or(no_limit);
    for (const auto& [owner, promise] : reserved_.all()) {
        const auto is_its = [&](model::NodeId node) { return std::ranges::binary_search(promise.nodes, node); };
        if (owner != job && end > promise.start && std::ranges::any_of(nodes, is_its))
            broken_.insert(owner);
    }
}

void Promises::put(std::uint32_t job, Promise promise, Seconds now) {
    if (options_.on_promise)
        options_.on_promise(job, promise, now);
    reserved_.put(job, std::move(promise));
}

// They are due again, like gangs that have none.
void Promises::make_broken_anew() {
    for (const auto job : std::exchange(broken_, {})) {
        reserved_.drop(job);
        due_.insert(waiting_->rank_of(job));
        retry_at_ = 0;
        waiting_->on_room_freed();
    }
}

void Promises::update(Seconds now) {
    make_broken_anew();
    for (; !aging_.empty() && trace_->jobs[aging_.front()].submit + options_.claim_after <= now; aging_.pop_front()) {
        if (placed_[aging_.front()] == 0) {
            due_.insert(waiting_->rank_of(aging_.front()));
            retry_at_ = 0;
        }
    }
    if (had_early_end_ && now >= renew_at_ && !reserved_.empty())
        renew(now);
    if (!due_.empty() && now >= retry_at_)
        make(now);
}

void Promises::make(Seconds now) {
    retry_at_ = now + options_.claim_after;
    for (auto at = due_.begin(); at != due_.end();) {
        const auto job = job_of_[*at];
        auto promise = earliest(job, now);
        if (!promise) {
            ++at;
            continue;
        }
        at = due_.erase(at);
        waiting_->set_apart(job);
        put(job, std::move(*promise), now);
    }
}

void Promises::renew(Seconds now) {
    renew_at_ = now + options_.claim_after;
    had_early_end_ = false;
    std::set<std::uint32_t> ranks;
    for (const auto& [job, promise] : reserved_.all())
        ranks.insert(waiting_->rank_of(job));
    bool is_any_better = false;
    for (const auto rank : ranks) {
        const auto job = job_of_[rank];
        auto before = reserved_.all().at(job);
        reserved_.drop(job);
        auto promise = earliest(job, now);
        const bool is_better = promise && promise->start < before.start;
        is_any_better = is_any_better || is_better;
        if (is_better) {
            put(job, std::move(*promise), now);
        } else {
            reserved_.put(job, std::move(before));
        }
    }
    if (is_any_better)
        waiting_->on_room_freed();
}

std::optional<Promise> Promises::earliest(std::uint32_t job, Seconds now) {
    std::vector<solver::backfill::Release> releases;
    for (const auto& started : running_->all()) {
        if (!started.declared_end)
            continue;
        const auto amounts = machines_->release_of(machines_->demand(trace_->jobs[started.job].request));
        for (const auto& pod : started.pods)
            releases.push_back({.at = *started.declared_end, .node = pod.node, .amounts = amounts});
    }
    const Job& its = trace_->jobs[job];
    const auto gang = gang_of(waiting_->classes()[waiting_->class_of(job)], *world_);
    auto& view = machines_->solver_view(machines_->demand(its.request));
    auto found = solver::backfill::earliest_start(view, gang, std::move(releases), now, options_.budget);
    if (!found.start)
        return std::nullopt;
    Promise promise{.start = found.start->at, .nodes = {}, .priority = its.priority};
    for (const auto& seat : found.start->plan.seats)
        promise.nodes.push_back(seat.node);
    std::ranges::sort(promise.nodes);
    const auto twice = std::ranges::unique(promise.nodes);
    promise.nodes.erase(twice.begin(), twice.end());
    return promise;
}

}  // namespace echelon::simulate
