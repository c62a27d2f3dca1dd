#pragma once

// What is measured? Every metric of /metrics in one table: the help that a scrape shows, and docs/metrics.md.
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

// A label and the values that it has; none listed: `meaning` says where they come from.
struct MetricLabel {
    std::string_view name;
    std::span<const std::string_view> values = {};
    std::string_view meaning = {};
};

struct MetricRow {
    std::string_view name;
    MetricKind kind = MetricKind::gauge;
    std::string_view help;
    std::array<MetricLabel, 2> labels = {};  // An empty name: there are no further ones.
    std::string_view buckets = {};           // Of a histogram: seconds.
};

[[nodiscard]] std::span<const MetricRow> metric_table();
// Null: the table doesn't have it.
[[nodiscard]] const MetricRow* metric_row(std::string_view name);
// docs/metrics.md.
[[nodiscard]] std::string metrics_document();

}  // namespace echelon::server
