#pragma once

// What is said of thousands of objects alike: labels and amounts. Each text is kept once, so that a label costs eight
// bytes and an amount sixteen.
//
// Single-threaded. Numbers follow the order of arrival: they name texts, and are never sorted by.

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
    // The same, faster where the labels are those of `like`, an entry that stands.
    [[nodiscard]] LabelEntry enter(const Labels& labels, const LabelEntry& like);
    [[nodiscard]] AmountEntry enter(const Amounts& amounts);
    // Requires: `entry` came from `enter` and wasn't dropped before.
    void drop(const LabelEntry& entry);
    void drop(const AmountEntry& entry);

    [[nodiscard]] bool says(const LabelEntry& entry, const Labels& labels) const;
    [[nodiscard]] bool says(const AmountEntry& entry, const Amounts& amounts) const;
    // Views are valid until the entry is dropped.
    [[nodiscard]] LabelViews read(const LabelEntry& entry) const;
    [[nodiscard]] Amounts read(const AmountEntry& entry) const;
    [[nodiscard]] std::optional<std::string_view> value_of(const LabelEntry& entry, std::string_view key) const;
    [[nodiscard]] std::int64_t amount_of(const AmountEntry& entry, std::string_view name) const;  // 0: isn't listed.
    [[nodiscard]] const std::string& text(Number number) const { return *texts_[number].text; }
    [[nodiscard]] std::size_t text_count() const { return numbers_.size(); }

private:
    struct Text {
        const std::string* text = nullptr;  // The key in `numbers_`, which doesn't move.
        std::size_t users = 0;
    };
    [[nodiscard]] Number number_of(const std::string& text);
    // One more user of a text that stands.
    [[nodiscard]] Number again(Number number);
    void release(Number number);

    std::unordered_map<std::string, Number> numbers_;
    std::vector<Text> texts_;
    std::vector<Number> free_;
};

}  // namespace echelon::model
