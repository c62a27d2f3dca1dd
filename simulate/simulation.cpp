#include "simulate/simulation.hpp"

#include "simulate/figures.hpp"
#include "simulate/gang_placer.hpp"
#include "simulate/machines.hpp"
#include "simulate/pack_scorer.hpp"
#include "simulate/plain_placer.hpp"
#include "simulate/promises.hpp"
#include "simulate/running_pods.hpp"
#include "simulate/seat_counts.hpp"
#include "simulate/waiting_jobs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace echelon::simulate {

namespace {

constexpr std::string_view impossible = "Impossible";
constexpr std::size_t most_cells = 50'000'000;  // Seat counts of requests, over all nodes: 200 MB.

class Simulation {
public:
    Simulation(const World& world, const Trace& trace, const Options& options, const OnPodEvent& on_event)
        : world_(world),
          trace_(trace),
          options_(options),
          on_event_(on_event),
          machines_(world, trace),
          figures_(world, machines_),
          waiting_(trace),
          promises_(world, trace, {options.claim_after, options.budget, options.on_promise}, machines_, running_,
                    waiting_),
          gangs_(world, options.budget, options.gang_rule),
          plain_(machines_, options.scoring, options.plain_rule),
          seats_(trace.requests.size()),
          may_ever_fit_(waiting_.classes().size()),
          started_pods_(trace.jobs.size()),
          ended_pods_(trace.jobs.size()) {
        if (options.packs)
            packing_.emplace(world, machines_);
    }

    Report run() {
        for (auto next = next_time(); next && !is_over(*next); next = next_time()) {
            figures_.pass(now_, *next);
            now_ = *next;
            handle_moment();
        }
        const auto end = next_time() ? *options_.until : now_;
        figures_.pass(now_, end);
        Report report = figures_.report(end);
        report.arrived = next_job_;
        report.placed = placed_;
        report.finished = finished_;
        report.waiting = waiting_.size();
        if (refused_ > 0)
            report.refused.emplace(impossible, refused_);
        report.decisions = decisions_;
        return report;
    }

private:
    [[nodiscard]] bool is_over(Seconds time) const { return options_.until && time > *options_.until; }

    [[nodiscard]] std::optional<Seconds> next_time() const {
        auto next = running_.next_end();
        if (next_job_ < trace_.jobs.size())
            next = std::min(next.value_or(trace_.jobs[next_job_].submit), trace_.jobs[next_job_].submit);
        return next;
    }

    // Ends come before starts. A pod that starts now and runs for no time also ends now.
    void handle_moment() {
        do {
            end_pods();
            arrive();
            promises_.update(now_);
            while (const auto job = waiting_.next())
                decide(*job);
        } while (running_.next_end() && *running_.next_end() <= now_);
        figures_.set_waiting(waiting_.does_gang_wait(), is_gang_blocked());
    }

    void end_pods() {
        bool is_any = false;
        for (; running_.next_end() && *running_.next_end() <= now_; is_any = true) {
            const Started started = running_.take_next();
            const Job& job = trace_.jobs[started.job];
            const Demand& demand = machines_.demand(job.request);
            if (started.declared_end && *started.declared_end > now_)
                promises_.on_early_end();
            for (const auto& pod : started.pods) {
                machines_.give_back(pod.node, demand, pod.devices);
                figures_.on_end(pod.node, demand);
                if (packing_)
                    packing_->on_end(pod.node);
                report(PodEvent::Kind::end, job, pod.pod, name_of(pod.node), pod.devices);
            }
            ended_pods_[started.job] += static_cast<std::uint32_t>(started.pods.size());
            finished_ += ended_pods_[started.job] == job.pods ? 1U : 0U;
        }
        if (is_any)
            waiting_.on_room_freed();
    }

    void arrive() {
        for (; next_job_ < trace_.jobs.size() && trace_.jobs[next_job_].submit <= now_; ++next_job_) {
            const auto job = static_cast<std::uint32_t>(next_job_);
            if (packing_)
                packing_->on_arrival(trace_.jobs[job]);
            if (may_ever_fit(waiting_.class_of(job))) {
                waiting_.add(job);
                promises_.on_arrival(job);
                continue;
            }
            ++refused_;
            ++decisions_;
            for (std::uint32_t pod = 0; pod < trace_.jobs[job].pods; ++pod)
                report(PodEvent::Kind::refused, trace_.jobs[job], pod, impossible, {});
        }
    }

    [[nodiscard]] bool may_ever_fit(std::uint32_t job_class) {
        auto& known = may_ever_fit_[job_class];
        if (!known)
            known = gangs_.may_ever_fit(waiting_.classes()[job_class], machines_);
        return *known;
    }

    void decide(std::uint32_t job) {
        ++decisions_;
        auto& reserved = promises_.reserved();
        reserved.open_for(job, trace_.jobs[job], now_);
        const auto nodes = nodes_for(waiting_.classes()[waiting_.class_of(job)]);
        reserved.close_all();
        if (nodes) {
            start(job, *nodes);
        } else {
            waiting_.refuse(job, reserved.bound_for(trace_.jobs[job], now_));
        }
    }

    [[nodiscard]] std::optional<std::vector<model::NodeId>> nodes_for(const JobClass& asked) {
        auto& seats = seats_of(asked.request);
        if (asked.is_gang)
            return gangs_.place(asked, machines_, seats);
        const auto node = node_for_plain(asked.request, seats);
        return node ? std::optional(std::vector{*node}) : std::nullopt;
    }

    [[nodiscard]] std::optional<model::NodeId> node_for_plain(std::uint32_t request, const SeatCounts& seats) {
        if (seats.total() == 0)
            return std::nullopt;
        std::vector<std::uint8_t> packing;
        if (packing_)
            packing = packing_->scores(request, machines_);
        return plain_.place(machines_.demand(request), machines_, seats, packing);
    }

    void start(std::uint32_t number, const std::vector<model::NodeId>& nodes) {
        const Job& job = trace_.jobs[number];
        const Demand& demand = machines_.demand(job.request);
        Started started{.job = number, .pods = {}};
        started.pods.reserve(nodes.size());
        for (const auto node : nodes) {
            started.pods.push_back({started_pods_[number]++, node, machines_.take(node, demand)});
            const auto& pod = started.pods.back();
            figures_.on_start(node, demand);
            if (packing_)
                packing_->on_start(node);
            report(PodEvent::Kind::start, job, pod.pod, name_of(node), pod.devices);
        }
        promises_.on_started(number, nodes, now_);
        if (started_pods_[number] == job.pods) {
            waiting_.remove(number);
            promises_.on_placed(number);
            figures_.on_placed(job.pods, now_ - job.submit);
            ++placed_;
        }
        if (job.limit)
            started.declared_end = now_ + *job.limit;
        const auto run_time = job.run_time();
        running_.add(std::move(started), run_time ? std::optional(now_ + *run_time) : std::nullopt);
    }

    // True if some waiting gang has seats for all pods, but not in one domain of a required level.
    [[nodiscard]] bool is_gang_blocked() {
        promises_.reserved().open_all();
        const bool is_blocked = std::ranges::any_of(waiting_.waiting_gangs(), [this](std::uint32_t its_class) {
            const auto& asked = waiting_.classes()[its_class];
            return seats_of(asked.request).total() >= static_cast<std::int64_t>(asked.pods);
        });
        promises_.reserved().close_all();
        return is_blocked;
    }

    [[nodiscard]] SeatCounts& seats_of(std::uint32_t request) {
        auto& seats = seats_[request];
        if (!seats) {
            if (++counted_ > most_cells / std::max<std::size_t>(1, machines_.node_count())) {
                std::ranges::fill(seats_, std::nullopt);
                counted_ = 1;
            }
            seats.emplace(machines_.demand(request));
        }
        seats->update(machines_);
        return *seats;
    }

    [[nodiscard]] std::string_view name_of(model::NodeId node) const { return world_.snapshot.node_names[node]; }

    void report(PodEvent::Kind kind, const Job& job, std::uint32_t pod, std::string_view node,
                std::span<const std::uint32_t> devices) const {
        if (on_event_)
            on_event_({.kind = kind, .time = now_, .job = job.name, .pod = pod, .node = node, .devices = devices});
    }

    const World& world_;
    const Trace& trace_;
    const Options& options_;
    const OnPodEvent& on_event_;
    Machines machines_;
    Figures figures_;
    WaitingJobs waiting_;
    RunningPods running_;
    Promises promises_;
    GangPlacer gangs_;
    PlainPlacer plain_;
    std::optional<PackScorer> packing_;
    std::vector<std::optional<SeatCounts>> seats_;   // [request]
    std::vector<std::optional<bool>> may_ever_fit_;  // [class]
    std::vector<std::uint32_t> started_pods_;        // [job]
    std::vector<std::uint32_t> ended_pods_;          // [job]
    std::size_t counted_ = 0;                        // How many of `seats_` are computed.
    Seconds now_ = 0;
    std::size_t next_job_ = 0;
    std::uint64_t placed_ = 0;
    std::uint64_t finished_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t decisions_ = 0;
};

}  // namespace

Report simulate(const World& world, const Trace& trace, const Options& options, const OnPodEvent& on_event) {
    return Simulation(world, trace, options, on_event).run();
}

}  // namespace echelon::simulate
