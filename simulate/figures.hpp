#pragma once

// How are the figures of a report computed? As sums over time of allocated resources, whole domains and waits.
//
// Pure; the caller says what changes and when time passes.

#include "simulate/domain_use.hpp"
#include "simulate/machines.hpp"
#include "simulate/report.hpp"
#include "simulate/timeline.hpp"
#include "simulate/world.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace echelon::simulate {

class Figures {
public:
    Figures(const World& world, const Machines& machines);

    // Adds a span of time in which nothing changes.
    void pass(Seconds from, Seconds to);
    void on_start(model::NodeId node, const Demand& demand);
    void on_end(model::NodeId node, const Demand& demand);
    // To be called after all decisions of a moment.
    void set_waiting(bool does_gang_wait, bool is_gang_blocked);
    void on_placed(std::uint32_t pods, Seconds wait);

    // The part of the report that this class computes.
    [[nodiscard]] Report report(Seconds end) const;

private:
    struct Resource {
        std::string name;
        std::int64_t capacity = 0;  // Capacity of usable nodes; devices in thousandths.
        std::int64_t used = 0;
        double sum = 0;
        double sum_while_gangs_wait = 0;
        Timeline timeline;

        [[nodiscard]] double share() const {
            return capacity == 0 ? 0 : static_cast<double>(used) / static_cast<double>(capacity);
        }
    };
    struct LevelSums {
        double whole = 0;
        double largest = 0;
    };

    void add_resources(const World& world, const Machines& machines);
    void use(const Demand& demand, std::int64_t sign);
    [[nodiscard]] AllocatedFigures figures_of(const Resource& resource, Seconds end) const;

    DomainUse domains_;
    std::vector<LevelSums> levels_;
    std::vector<Resource> resources_;
    std::vector<std::size_t> of_resource_;     // [resource id] Index into resources_; SIZE_MAX: not reported.
    std::vector<std::size_t> of_kind_;         // [kind of device] The same.
    std::vector<std::vector<Seconds>> waits_;  // By size of the job.
    bool does_gang_wait_ = false;
    bool is_gang_blocked_ = false;
    double waited_ = 0;  // Time in which a gang waits.
    double blocked_ = 0;
};

}  // namespace echelon::simulate
