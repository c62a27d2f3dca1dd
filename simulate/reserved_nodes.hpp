#pragma once

// Which nodes are kept for gangs that have waited too long, and which jobs may use them meanwhile? (Q5, Q6, Q15, Q17)
//
// A reserved node is closed, but for its gang, for jobs that end before the gang's promised start, and for jobs of
// higher priority. No node is reserved twice. Pure.

#include "model/topology/snapshot.hpp"
#include "simulate/machines.hpp"
#include "simulate/trace.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace echelon::simulate {

struct Promise {
    Seconds start = 0;  // At the latest.
    std::vector<model::NodeId> nodes;
    std::int64_t priority = 0;  // Of the gang.
};

class ReservedNodes {
public:
    explicit ReservedNodes(Machines& machines) : machines_(&machines) {}

    [[nodiscard]] bool empty() const { return promises_.empty(); }
    [[nodiscard]] bool contains(std::uint32_t job) const { return promises_.contains(job); }
    [[nodiscard]] const std::map<std::uint32_t, Promise>& all() const { return promises_; }  // By job.
    // Requires: the nodes are not reserved for another job.
    void put(std::uint32_t job, Promise promise);
    void drop(std::uint32_t job);

    // Opens the nodes that a job may use which starts now.
    void open_for(std::uint32_t number, const Job& job, Seconds now);
    void open_all();
    void close_all();
    // If the job doesn't fit now, no job of the class fits behind it, unless its limit is below this.
    [[nodiscard]] Seconds bound_for(const Job& job, Seconds now) const;

private:
    [[nodiscard]] static bool may_pass(const Promise& promise, const Job& job, Seconds now);
    void open(const Promise& promise);

    Machines* machines_;
    std::map<std::uint32_t, Promise> promises_;
};

}  // namespace echelon::simulate
