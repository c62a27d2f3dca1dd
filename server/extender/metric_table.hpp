#pragma once

// Which metrics exist? All metrics of /metrics in one table, for the help texts and docs/metrics.md.
//
// Constant data and pure functions.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace echelon::server {

enum class MetricKind : std::uint8_t { counter, gauge, histogram };
[[nodiscard]] std::string_view to_string(MetricKind kind);

// A label and its values; if none are listed, `meaning` says where they come from.
struct MetricLabel {
    std::string_view name;
    std::span<const std::string_view> values = {};
    std::string_view meaning = {};
};

struct MetricRow {
    std::string_view name;
    MetricKind kind = MetricKind::gauge;
    std::string_view help;
    std::array<MetricLabel, 2> labels = {};  // An empty name ends the list.
    std::string_view buckets = {};           // Buckets of a histogram, in seconds.
};

[[nodiscard]] std::span<const MetricRow> metric_table();
// Nullptr: the table doesn't have it.
[[nodiscard]] const MetricRow* metric_row(std::string_view name);
// The text of docs/metrics.md.
[[nodiscard]] std::string metrics_document();

}  // namespace echelon::server
