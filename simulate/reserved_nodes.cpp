#include "simulate/reserved_nodes.hpp"

#include "simulate/limit_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace echelon::simulate {

void ReservedNodes::put(std::uint32_t job, Promise promise) {
    drop(job);
    for (const auto node : promise.nodes)
        machines_->close(node);
    promises_.emplace(job, std::move(promise));
}

void ReservedNodes::drop(std::uint32_t job) {
    const auto found = promises_.find(job);
    if (found == promises_.end())
        return;
    open(found->second);
    promises_.erase(found);
}

bool ReservedNodes::may_pass(const Promise& promise, const Job& job, Seconds now) {
    return job.priority > promise.priority || now + job.limit.value_or(no_limit) <= promise.start;
}

void ReservedNodes::open(const Promise& promise) {
    for (const auto node : promise.nodes)
        machines_->open(node);
}

void ReservedNodes::open_for(std::uint32_t number, const Job& job, Seconds now) {
    for (const auto& [owner, promise] : promises_) {
        if (owner == number || may_pass(promise, job, now))
            open(promise);
    }
}

void ReservedNodes::open_all() {
    for (const auto& [owner, promise] : promises_)
        open(promise);
}

void ReservedNodes::close_all() {
    for (const auto& [owner, promise] : promises_) {
        for (const auto node : promise.nodes)
            machines_->close(node);
    }
}

Seconds ReservedNodes::bound_for(const Job& job, Seconds now) const {
    const auto limit = job.limit.value_or(no_limit);
    Seconds bound = 0;
    for (const auto& [owner, promise] : promises_) {
        // Jobs that end by then may pass one promise more.
        if (!may_pass(promise, job, now))
            bound = std::max(bound, std::nextafter(promise.start - now, LimitTree::any));
    }
    return std::min(bound, limit);
}

}  // namespace echelon::simulate
