#pragma once

// Which job is decided next? The waiting jobs in the order of the queue (Q1): priority, submit, name.
//
// Jobs with equal requests are of one class. Once a job is refused, its class is left out until room is freed: other
// jobs of the class would be refused, too. Those that end sooner may pass reservations that refused the first one (Q6),
// so a class is closed from a limit on. Pure.

#include "simulate/limit_tree.hpp"
#include "simulate/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace echelon::simulate {

// What decides whether a job fits.
struct JobClass {
    std::uint32_t request = 0;
    std::uint32_t levels = 0;  // Levels of a gang.
    std::uint32_t pods = 1;    // Size of a gang; plain pods are decided one by one.
    bool is_gang = true;

    auto operator<=>(const JobClass&) const = default;
};

class WaitingJobs {
public:
    explicit WaitingJobs(const Trace& trace);

    [[nodiscard]] const std::vector<JobClass>& classes() const { return classes_; }
    [[nodiscard]] std::uint32_t class_of(std::uint32_t job) const { return class_of_[job]; }
    [[nodiscard]] std::uint32_t rank_of(std::uint32_t job) const { return ranks_[job]; }

    void add(std::uint32_t job);
    void remove(std::uint32_t job);
    // From now on the job is decided apart from its class, since it may use what is reserved for it.
    void set_apart(std::uint32_t job);
    // The next job to decide; nullopt: every waiting job is refused for now.
    [[nodiscard]] std::optional<std::uint32_t> next() const;
    // The job, and those of the class behind it whose limit is not below `bound`, don't fit for now.
    void refuse(std::uint32_t job, Seconds bound);
    void on_room_freed();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool does_gang_wait() const { return !waiting_gangs_.empty(); }
    // Classes of waiting gangs.
    [[nodiscard]] const std::set<std::uint32_t>& waiting_gangs() const { return waiting_gangs_; }

private:
    struct Waiting {
        std::vector<std::uint32_t> ranks;   // Of all jobs of the class, sorted.
        LimitTree tree{0};                  // By place in `ranks`: those that wait, but for those set apart.
        std::size_t count = 0;              // Those set apart, too.
        std::optional<std::uint32_t> open;  // Rank of the first that may be decided, as in `open_`.
        Seconds bound = LimitTree::any;     // Refused from this limit on, since room came last.
        std::uint32_t refused_rank = 0;     // The job that was.
    };
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // Rank of the first job, class.

    [[nodiscard]] std::size_t place_of(std::uint32_t job) const;
    // After a change of the class: which job of it is the next.
    void refresh(std::uint32_t job_class);

    std::vector<Seconds> limits_;         // [job]
    std::vector<std::uint32_t> ranks_;    // [job]
    std::vector<std::uint32_t> by_rank_;  // Jobs.
    std::vector<JobClass> classes_;
    std::vector<std::uint32_t> class_of_;  // [job]
    std::vector<Waiting> waiting_;         // [class]
    std::set<Place> open_;                 // Classes that may be decided.
    std::vector<std::uint32_t> refused_;   // Classes that were refused since room came last.
    std::set<std::uint32_t> apart_;        // Ranks of jobs that are set apart.
    std::set<std::uint32_t> open_apart_;   // Those that may be decided.
    std::set<std::uint32_t> waiting_gangs_;
    std::size_t size_ = 0;
};

}  // namespace echelon::simulate
