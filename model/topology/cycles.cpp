#include "model/topology/cycles.hpp"

#include <algorithm>

namespace echelon::model {

Cycles::Cycles(std::size_t count, const Children& children)
    : number_(count, 0), low_(count, 0), is_open_(count, 0), on_cycle_(count, 0), component_(count, 0) {
    for (std::uint32_t each = 0; each < count; ++each) {
        if (number_[each] == 0)
            walk(each, children);
    }
}

void Cycles::enter(std::uint32_t vertex, std::vector<Step>& path) {
    number_[vertex] = low_[vertex] = ++last_number_;
    open_.push_back(vertex);
    is_open_[vertex] = 1;
    path.push_back({vertex, 0});
}

void Cycles::walk(std::uint32_t start, const Children& children) {
    std::vector<Step> path;
    enter(start, path);
    while (!path.empty()) {
        auto& step = path.back();
        const auto vertex = step.vertex;
        if (const auto& below = children(vertex); step.next < below.size()) {
            const auto child = below[step.next++];
            if (number_[child] == 0) {
                enter(child, path);
            } else if (is_open_[child] != 0) {
                low_[vertex] = std::min(low_[vertex], number_[child]);
            }
            continue;
        }
        path.pop_back();
        if (!path.empty())
            low_[path.back().vertex] = std::min(low_[path.back().vertex], low_[vertex]);
        if (low_[vertex] == number_[vertex])
            close(vertex, children);
    }
}

// Closes the component of all vertices opened since `first`.
void Cycles::close(std::uint32_t first, const Children& children) {
    const bool is_cycle = open_.back() != first || std::ranges::binary_search(children(first), first);
    for (auto each = first + 1; each != first;) {
        each = open_.back();
        open_.pop_back();
        is_open_[each] = 0;
        on_cycle_[each] = is_cycle ? 1 : 0;
        component_[each] = first;
    }
}

}  // namespace echelon::model
