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
    is_refused_.resize(classes_.size());
}

void WaitingJobs::add(std::uint32_t job) {
    const auto its_class = class_of_[job];
    auto& waiting = waiting_[its_class];
    const bool is_open = is_refused_[its_class] == 0;
    if (is_open && !waiting.empty())
        open_.erase(place_of(its_class));
    waiting.insert(ranks_[job]);
    if (is_open)
        open_.insert(place_of(its_class));
    if (classes_[its_class].is_gang)
        waiting_gangs_.insert(its_class);
    ++size_;
}

void WaitingJobs::remove(std::uint32_t job) {
    const auto its_class = class_of_[job];
    auto& waiting = waiting_[its_class];
    open_.erase(place_of(its_class));
    waiting.erase(ranks_[job]);
    --size_;
    if (waiting.empty()) {
        waiting_gangs_.erase(its_class);
    } else if (is_refused_[its_class] == 0) {
        open_.insert(place_of(its_class));
    }
}

std::optional<std::uint32_t> WaitingJobs::next() const {
    if (open_.empty())
        return std::nullopt;
    return by_rank_[open_.begin()->first];
}

void WaitingJobs::refuse(std::uint32_t job_class) {
    open_.erase(place_of(job_class));
    is_refused_[job_class] = 1;
    refused_.push_back(job_class);
}

void WaitingJobs::on_room_freed() {
    for (const auto its_class : refused_) {
        is_refused_[its_class] = 0;
        if (!waiting_[its_class].empty())
            open_.insert(place_of(its_class));
    }
    refused_.clear();
}

}  // namespace echelon::simulate
