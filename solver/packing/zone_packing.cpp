#include "solver/packing/zone_packing.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace echelon::solver {
namespace {

using Amount = std::int64_t;
using Zones = std::vector<std::vector<Amount>>;

// A node of 8 zones and three kinds of parts needs some thousands at worst.
constexpr std::uint64_t most_steps = 20'000;

// How many of these parts one zone holds.
Amount most_in(const std::vector<Amount>& zone, const EqualParts& parts) {
    Amount most = parts.count;
    for (std::size_t r = 0; r < zone.size(); ++r) {
        if (parts.needs[r] > 0) {
            most = std::min(most, std::max<Amount>(zone[r], 0) / parts.needs[r]);
        }
    }
    return most;
}

class ZonePacking {
public:
    ZonePacking(Zones zones, std::vector<EqualParts> parts) : zones_(std::move(zones)), parts_(std::move(parts)) {
        std::erase_if(parts_, [](const EqualParts& each) { return each.count <= 0; });
        std::ranges::stable_sort(parts_, std::ranges::greater{}, [&](const EqualParts& each) { return share(each); });
    }

    Feasibility run() {
        const bool fits = place(0);
        if (fits) {
            return Feasibility::fits;
        }
        return is_cut_ ? Feasibility::unknown : Feasibility::proved_not_to_fit;
    }
    [[nodiscard]] Operations work() const { return steps_ * (4 + zones_.size() * width()); }

private:
    [[nodiscard]] std::size_t width() const { return zones_.empty() ? 0 : zones_.front().size(); }

    // The largest share of a zone that one part takes.
    [[nodiscard]] double share(const EqualParts& each) const {
        double most = 0;
        for (std::size_t r = 0; r < each.needs.size(); ++r) {
            Amount largest = 1;
            for (const auto& zone : zones_) {
                largest = std::max(largest, zone[r]);
            }
            most = std::max(most, static_cast<double>(each.needs[r]) / static_cast<double>(largest));
        }
        return most;
    }

    [[nodiscard]] bool may_fit(std::size_t from) const {
        for (std::size_t p = from; p < parts_.size(); ++p) {
            Amount slots = 0;
            for (const auto& zone : zones_) {
                slots += most_in(zone, parts_[p]);
            }
            if (slots < parts_[p].count) {
                return false;
            }
        }
        return true;
    }

    // All parts from the kind `at` on.
    bool place(std::size_t at) {
        if (at == parts_.size()) {
            return true;
        }
        is_cut_ = is_cut_ || ++steps_ > most_steps;
        if (is_cut_ || !may_fit(at)) {
            return false;
        }
        Zones state = zones_;
        std::ranges::sort(state);  // Zones have no names here.
        if (failed_.contains({at, state})) {
            return false;
        }
        if (spread(at, 0, parts_[at].count)) {
            return true;
        }
        failed_.emplace(at, std::move(state));
        return false;
    }

    // `left` parts of one kind over the zones from `zone` on.
    bool spread(std::size_t at, std::size_t zone, Amount left) {
        if (left == 0) {
            return place(at + 1);
        }
        if (zone == zones_.size()) {
            return false;
        }
        is_cut_ = is_cut_ || ++steps_ > most_steps;
        if (is_cut_) {
            return false;
        }
        const EqualParts here{.needs = parts_[at].needs, .count = left};
        Amount later = 0;
        for (std::size_t other = zone + 1; other < zones_.size(); ++other) {
            later += most_in(zones_[other], here);
        }
        for (Amount count = most_in(zones_[zone], here); count >= 0 && count + later >= left; --count) {
            shift(zone, here.needs, -count);
            const bool fits = spread(at, zone + 1, left - count);
            shift(zone, here.needs, count);
            if (fits || is_cut_) {
                return fits;
            }
        }
        return false;
    }

    void shift(std::size_t zone, const std::vector<Amount>& needs, Amount count) {
        for (std::size_t r = 0; r < needs.size(); ++r) {
            zones_[zone][r] += count * needs[r];
        }
    }

    Zones zones_;
    std::vector<EqualParts> parts_;  // Large ones first.
    std::set<std::pair<std::size_t, Zones>> failed_;
    std::uint64_t steps_ = 0;
    bool is_cut_ = false;
};

}  // namespace

Feasibility fit_into_zones(Zones zones, std::vector<EqualParts> parts, Operations& work) {
    ZonePacking packing(std::move(zones), std::move(parts));
    const Feasibility fit = packing.run();
    work += packing.work();
    return fit;
}

}  // namespace echelon::solver
