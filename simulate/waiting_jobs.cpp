#include "simulate/waiting_jobs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace echelon::simulate {

WaitingJobs::WaitingJobs(const Trace& trace) : ranks_(trace.jobs.size()), by_rank_(trace.jobs.size()) {
    std::iota(by_rank_.begin(), by_rank_.end(), 0U);
    std::ranges::sort(by_rank_, {}, [&](std::uint32_t job) {
        const Job& its = trace.jobs[job];
        return std::tuple<std::int64_t, Seconds, const std::string&>(-its.priority, its.submit, its.name);
    });
    std::map<JobClass, std::uint32_t> known;
    class_of_.reserve(trace.jobs.size());
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank)
        ranks_[by_rank_[rank]] = rank;
    for (const auto& job : trace.jobs) {
        limits_.push_back(job.limit.value_or(no_limit));
        JobClass asked{.request = job.request, .is_gang = job.is_gang};
        if (job.is_gang) {
            asked.levels = job.levels;
            asked.pods = job.pods;
        }
        const auto [found, is_new] = known.emplace(asked, static_cast<std::uint32_t>(classes_.size()));
        if (is_new)
            classes_.push_back(asked);
        class_of_.push_back(found->second);
    }
    waiting_.resize(classes_.size());
    for (const auto job : by_rank_)
        waiting_[class_of_[job]].ranks.push_back(ranks_[job]);
    for (auto& waiting : waiting_)
        waiting.tree = LimitTree(waiting.ranks.size());
}

std::size_t WaitingJobs::place_of(std::uint32_t job) const {
    const auto& ranks = waiting_[class_of_[job]].ranks;
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks, ranks_[job]) - ranks.begin());
}

void WaitingJobs::refresh(std::uint32_t job_class) {
    auto& waiting = waiting_[job_class];
    if (waiting.open)
        open_.erase({*waiting.open, job_class});
    const auto first = waiting.tree.first_below(waiting.bound);
    waiting.open = first ? std::optional(waiting.ranks[*first]) : std::nullopt;
    if (waiting.open)
        open_.emplace(*waiting.open, job_class);
}

void WaitingJobs::add(std::uint32_t job) {
    const auto its_class = class_of_[job];
    auto& waiting = waiting_[its_class];
    waiting.tree.put(place_of(job), limits_[job]);
    if (ranks_[job] < waiting.refused_rank)
        waiting.bound = LimitTree::any;  // It may pass reservations that the refused one may not (Q15).
    refresh(its_class);
    if (classes_[its_class].is_gang)
        waiting_gangs_.insert(its_class);
    ++waiting.count;
    ++size_;
}

void WaitingJobs::remove(std::uint32_t job) {
    const auto its_class = class_of_[job];
    auto& waiting = waiting_[its_class];
    if (apart_.erase(ranks_[job]) > 0) {
        open_apart_.erase(ranks_[job]);
    } else {
        waiting.tree.remove(place_of(job));
        refresh(its_class);
    }
    --size_;
    if (--waiting.count == 0)
        waiting_gangs_.erase(its_class);
}

void WaitingJobs::set_apart(std::uint32_t job) {
    waiting_[class_of_[job]].tree.remove(place_of(job));
    refresh(class_of_[job]);
    apart_.insert(ranks_[job]);
    open_apart_.insert(ranks_[job]);
}

std::optional<std::uint32_t> WaitingJobs::next() const {
    std::optional<std::uint32_t> rank;
    if (!open_.empty())
        rank = open_.begin()->first;
    if (!open_apart_.empty())
        rank = std::min(rank.value_or(*open_apart_.begin()), *open_apart_.begin());
    return rank ? std::optional(by_rank_[*rank]) : std::nullopt;
}

void WaitingJobs::refuse(std::uint32_t job, Seconds bound) {
    if (open_apart_.erase(ranks_[job]) > 0)
        return;
    const auto its_class = class_of_[job];
    auto& waiting = waiting_[its_class];
    waiting.bound = std::min(waiting.bound, bound);
    waiting.refused_rank = ranks_[job];
    refused_.push_back(its_class);
    refresh(its_class);
}

void WaitingJobs::on_room_freed() {
    for (const auto its_class : refused_) {
        waiting_[its_class].bound = LimitTree::any;
        waiting_[its_class].refused_rank = 0;
        refresh(its_class);
    }
    refused_.clear();
    open_apart_ = apart_;
}

}  // namespace echelon::simulate
