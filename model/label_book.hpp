#pragma once

// What labels does a pod carry? Each text is kept once, so that the labels of a pod cost eight bytes each.
//
// Single-threaded. Numbers follow the order of arrival: they name texts, and are never sorted by.

#include "model/node.hpp"
#include "model/pod_term.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

class LabelBook {
public:
    // Keys and values by number, in the order of the keys.
    using Entry = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    [[nodiscard]] Entry enter(const Labels& labels);
    // Requires: `entry` came from `enter` and wasn't dropped before.
    void drop(const Entry& entry);
    [[nodiscard]] bool says(const Entry& entry, const Labels& labels) const;
    // Valid until the entry is dropped.
    [[nodiscard]] LabelViews read(const Entry& entry) const;
    [[nodiscard]] std::size_t text_count() const { return numbers_.size(); }

private:
    struct Text {
        const std::string* text = nullptr;  // The key in `numbers_`, which doesn't move.
        std::size_t users = 0;
    };
    [[nodiscard]] std::uint32_t number_of(const std::string& text);
    void release(std::uint32_t number);

    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<Text> texts_;
    std::vector<std::uint32_t> free_;
};

}  // namespace echelon::model
