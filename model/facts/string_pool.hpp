#pragma once

// How are labels and amounts of thousands of similar objects stored? Each text is stored once, so that a label costs
// eight bytes and an amount sixteen.
//
// Single-threaded. Numbers follow the order of arrival, so they identify texts and never decide an order.

#include "model/facts/amounts.hpp"
#include "model/facts/node.hpp"
#include "model/facts/pod_term.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

class StringPool {
public:
    using Number = std::uint32_t;
    using LabelEntry = std::vector<std::pair<Number, Number>>;         // Keys and values, in the order of the keys.
    using AmountEntry = std::vector<std::pair<Number, std::int64_t>>;  // In the order of the names.

    [[nodiscard]] LabelEntry enter(const Labels& labels) { return enter(labels, {}); }
    // The same, but faster if the labels equal those of `like`, an entry in use.
    [[nodiscard]] LabelEntry enter(const Labels& labels, const LabelEntry& like);
    [[nodiscard]] AmountEntry enter(const Amounts& amounts);
    // Requires: `entry` came from `enter` and wasn't dropped yet.
    void drop(const LabelEntry& entry);
    void drop(const AmountEntry& entry);

    [[nodiscard]] bool says(const LabelEntry& entry, const Labels& labels) const;
    [[nodiscard]] bool says(const AmountEntry& entry, const Amounts& amounts) const;
    // Views are valid until the entry is dropped.
    [[nodiscard]] LabelViews read(const LabelEntry& entry) const;
    [[nodiscard]] Amounts read(const AmountEntry& entry) const;
    [[nodiscard]] std::optional<std::string_view> value_of(const LabelEntry& entry, std::string_view key) const;
    [[nodiscard]] std::int64_t amount_of(const AmountEntry& entry, std::string_view name) const;  // 0: not listed.
    [[nodiscard]] const std::string& text(Number number) const { return *texts_[number].text; }
    [[nodiscard]] std::size_t text_count() const { return numbers_.size(); }

private:
    struct Text {
        const std::string* text = nullptr;  // The key in `numbers_`, which doesn't move.
        std::size_t users = 0;
    };
    [[nodiscard]] Number number_of(const std::string& text);
    // Adds a user to a text that is in the pool.
    [[nodiscard]] Number again(Number number);
    void release(Number number);

    std::unordered_map<std::string, Number> numbers_;
    std::vector<Text> texts_;
    std::vector<Number> free_;
};

}  // namespace echelon::model
