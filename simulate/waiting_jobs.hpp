#pragma once

// Which job is decided next? The waiting jobs in the order of the queue (Q1): priority, submit, name.
//
// Jobs with equal requests are of one class. Once a job is refused, its class is left out until room is freed: other
// jobs of the class would be refused, too. Pure.

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

    void add(std::uint32_t job);
    void remove(std::uint32_t job);
    // The next job to decide; nullopt: every waiting job is refused for now.
    [[nodiscard]] std::optional<std::uint32_t> next() const;
    void refuse(std::uint32_t job_class);
    void on_room_freed();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool does_gang_wait() const { return !waiting_gangs_.empty(); }
    // Classes of waiting gangs.
    [[nodiscard]] const std::set<std::uint32_t>& waiting_gangs() const { return waiting_gangs_; }

private:
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // Rank of the first job, class.

    [[nodiscard]] Place place_of(std::uint32_t job_class) const { return {*waiting_[job_class].begin(), job_class}; }

    std::vector<std::uint32_t> ranks_;    // [job]
    std::vector<std::uint32_t> by_rank_;  // Jobs.
    std::vector<JobClass> classes_;
    std::vector<std::uint32_t> class_of_;           // [job]
    std::vector<std::set<std::uint32_t>> waiting_;  // [class] Ranks.
    std::set<Place> open_;                          // Classes that may be decided.
    std::vector<std::uint32_t> refused_;            // Classes that were refused since room came last.
    std::vector<std::uint8_t> is_refused_;          // [class]
    std::set<std::uint32_t> waiting_gangs_;
    std::size_t size_ = 0;
};

}  // namespace echelon::simulate
