#include "simulate/figures.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace echelon::simulate {

namespace {

constexpr std::size_t spans_of_text = 60;

struct Size {
    std::string_view name;
    std::uint32_t most;  // Pods.
};
constexpr std::array<Size, 4> sizes = {{{"1", 1}, {"2-8", 8}, {"9-32", 32}, {"33+", UINT32_MAX}}};

std::size_t size_of(std::uint32_t pods) {
    const auto found = std::ranges::find_if(sizes, [&](const Size& size) { return pods <= size.most; });
    return static_cast<std::size_t>(found - sizes.begin());
}

// Nearest rank; the waits are sorted.
Seconds percentile(std::span<const Seconds> waits, std::size_t percent) {
    const auto rank = (percent * waits.size() + 99) / 100;
    return waits[std::max<std::size_t>(rank, 1) - 1];
}

std::optional<WaitFigures> wait_figures(std::vector<Seconds> waits) {
    if (waits.empty())
        return std::nullopt;
    std::ranges::sort(waits);
    const auto sum = std::accumulate(waits.begin(), waits.end(), 0.0);
    return WaitFigures{.mean = sum / static_cast<double>(waits.size()),
                       .p50 = percentile(waits, 50),
                       .p90 = percentile(waits, 90),
                       .p99 = percentile(waits, 99),
                       .max = waits.back()};
}

}  // namespace

Figures::Figures(const World& world, const Machines& machines)
    : domains_(world),
      levels_(domains_.keys().size()),
      of_resource_(machines.snapshot().resources.size(), SIZE_MAX),
      waits_(sizes.size()) {
    add_resources(world, machines);
}

void Figures::add_resources(const World& world, const Machines& machines) {
    const auto& snapshot = machines.snapshot();
    for (const auto& kind : machines.device_kinds()) {
        of_kind_.push_back(resources_.size());
        Resource& resource = resources_.emplace_back(Resource{.name = kind.resource, .timeline = {}});
        for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
            if (snapshot.usable[node] == 0)
                continue;
            const auto all = std::ssize(kind.free.free_of(node)) * Devices::whole;
            resource.capacity += all;
            resource.used += all - kind.free.free_milli(node);
        }
    }
    const auto is_device = [&](std::size_t id) {
        return std::ranges::any_of(machines.device_kinds(),
                                   [&](const auto& kind) { return kind.whole == id || kind.shared == id; });
    };
    for (std::size_t id = 0; id < snapshot.resources.size(); ++id) {
        if (is_device(id))
            continue;
        Resource resource{.name = snapshot.resources[id], .timeline = {}};
        for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
            if (snapshot.usable[node] != 0)
                resource.capacity += world.nodes[node].allocatable.of(resource.name);
        }
        for (const auto& pod : world.running) {
            if (snapshot.usable[pod.node] != 0)
                resource.used += pod.requests.of(resource.name);
        }
        if (resource.capacity == 0)
            continue;
        of_resource_[id] = resources_.size();
        resources_.push_back(std::move(resource));
    }
}

void Figures::pass(Seconds from, Seconds to) {
    const auto length = to - from;
    if (length <= 0)
        return;
    for (auto& resource : resources_) {
        const auto share = resource.share();
        resource.sum += share * length;
        if (does_gang_wait_)
            resource.sum_while_gangs_wait += share * length;
        resource.timeline.add(from, to, share);
    }
    for (std::size_t key = 0; key < levels_.size(); ++key) {
        levels_[key].whole += static_cast<double>(domains_.whole_domains(key)) * length;
        levels_[key].largest += static_cast<double>(domains_.most_empty_nodes(key)) * length;
    }
    waited_ += does_gang_wait_ ? length : 0;
    blocked_ += is_gang_blocked_ ? length : 0;
}

void Figures::use(const Demand& demand, std::int64_t sign) {
    for (const auto& [id, amount] : demand.amounts) {
        if (of_resource_[id] != SIZE_MAX)
            resources_[of_resource_[id]].used += sign * amount;
    }
    if (demand.devices != SIZE_MAX) {
        const auto amount = demand.share > 0 ? demand.share : demand.whole * Devices::whole;
        resources_[of_kind_[demand.devices]].used += sign * amount;
    }
}

void Figures::on_start(model::NodeId node, const Demand& demand) {
    use(demand, 1);
    domains_.add_usage(node);
}

void Figures::on_end(model::NodeId node, const Demand& demand) {
    use(demand, -1);
    domains_.remove_usage(node);
}

void Figures::set_waiting(bool does_gang_wait, bool is_gang_blocked) {
    does_gang_wait_ = does_gang_wait;
    is_gang_blocked_ = is_gang_blocked;
}

void Figures::on_placed(std::uint32_t pods, Seconds wait) {
    waits_[size_of(pods)].push_back(wait);
}

AllocatedFigures Figures::figures_of(const Resource& resource, Seconds end) const {
    AllocatedFigures figures{.mean = resource.share(),
                             .while_gangs_wait = {},
                             .last = resource.share(),
                             .over_time = resource.timeline.means(end, spans_of_text)};
    if (end > 0)
        figures.mean = resource.sum / end;
    if (waited_ > 0)
        figures.while_gangs_wait = resource.sum_while_gangs_wait / waited_;
    return figures;
}

Report Figures::report(Seconds end) const {
    Report report;
    report.end = end;
    for (const auto& resource : resources_)
        report.allocated.emplace(resource.name, figures_of(resource, end));
    report.blocked = end > 0 ? blocked_ / end : 0;
    std::vector<Seconds> all;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        all.insert(all.end(), waits_[i].begin(), waits_[i].end());
        report.by_pods.emplace_back(sizes[i].name, wait_figures(waits_[i]));
    }
    report.wait = wait_figures(std::move(all));
    for (std::size_t key = 0; key < levels_.size(); ++key) {
        DomainFigures whole{.mean = 0, .last = static_cast<double>(domains_.whole_domains(key))};
        DomainFigures largest{.mean = 0, .last = static_cast<double>(domains_.most_empty_nodes(key))};
        whole.mean = end > 0 ? levels_[key].whole / end : whole.last;
        largest.mean = end > 0 ? levels_[key].largest / end : largest.last;
        report.whole_domains.emplace_back(domains_.keys()[key], whole);
        report.largest_gang.emplace_back(domains_.keys()[key], largest);
    }
    return report;
}

}  // namespace echelon::simulate
