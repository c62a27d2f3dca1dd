#pragma once

// Which queued write goes next? One of the first rank, and within a rank the namespaces take turns: many writes of one
// namespace delay that one alone. Writes of one namespace and rank keep their order.
//
// One write in eight is of the later ranks by turns: they go on, slowly, however many writes go ahead of them.
// Not thread-safe.

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace echelon::kube {

inline constexpr std::size_t job_ranks = 3;

// `Job`: has `rank` and `ns`.
template <typename Job>
class JobQueue {
public:
    // Requires: job.rank < job_ranks.
    void push(Job job) {
        auto& rank = by_rank_[job.rank];
        auto& jobs = rank.jobs[job.ns];
        if (jobs.empty())
            rank.turns.push_back(job.ns);
        jobs.push_back(std::move(job));
        ++size_;
    }
    // Requires: not empty.
    Job pop() {
        const bool is_turn_of_later = ++pops_ % turn_of_later == 0;
        std::size_t rank = is_turn_of_later ? 1 + pops_ / turn_of_later % (job_ranks - 1) : 0;
        while (by_rank_[rank].turns.empty())
            rank = (rank + 1) % job_ranks;
        --size_;
        return take(by_rank_[rank]);
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

private:
    static constexpr std::size_t turn_of_later = 8;

    struct Rank {
        std::map<std::string, std::deque<Job>> jobs;  // By namespace; none is empty.
        std::deque<std::string> turns;                // The namespaces with jobs.
    };

    static Job take(Rank& rank) {
        auto ns = std::move(rank.turns.front());
        rank.turns.pop_front();
        const auto found = rank.jobs.find(ns);
        auto job = std::move(found->second.front());
        found->second.pop_front();
        if (found->second.empty()) {
            rank.jobs.erase(found);
        } else {
            rank.turns.push_back(std::move(ns));
        }
        return job;
    }

    std::array<Rank, job_ranks> by_rank_;
    std::size_t size_ = 0;
    std::size_t pops_ = 0;
};

}  // namespace echelon::kube
