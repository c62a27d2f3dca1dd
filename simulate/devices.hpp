#pragma once

// Which devices of each node are free, and how much of each?
//
// A device is given whole, or in thousandths to several pods; no pod has parts of two. A share goes to the device with
// the least free part that is large enough. Of equals, and for whole devices, the lowest number comes first. Pure.

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::simulate {

class Devices {
public:
    static constexpr std::int32_t whole = 1000;  // Thousandths.

    // [node] How many there are.
    explicit Devices(std::span<const std::int64_t> counts);

    [[nodiscard]] std::int64_t free_whole(std::uint32_t node) const { return free_whole_[node]; }
    // How many shares of this size fit beside what is taken.
    [[nodiscard]] std::int64_t free_shares(std::uint32_t node, std::int64_t share) const;
    [[nodiscard]] std::int64_t free_milli(std::uint32_t node) const;
    [[nodiscard]] std::span<const std::int32_t> free_of(std::uint32_t node) const;

    // Requires: as many are free whole. Returns their numbers.
    std::vector<std::uint32_t> take(std::uint32_t node, std::int64_t count);
    // Requires: one share fits.
    std::uint32_t take_share(std::uint32_t node, std::int64_t share);
    // `amount`: thousandths of each.
    void give_back(std::uint32_t node, std::span<const std::uint32_t> devices, std::int64_t amount);

private:
    std::int32_t& at(std::uint32_t node, std::uint32_t device) { return free_[first_[node] + device]; }

    std::vector<std::size_t> first_;  // [node] Index into `free_`; one more at the end.
    std::vector<std::int32_t> free_;
    std::vector<std::int64_t> free_whole_;
};

}  // namespace echelon::simulate
