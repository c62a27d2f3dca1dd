#include "config/limits_section.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace echelon::config {

namespace {

// One integer limit and its range. Below the minimum, ordinary objects of every dialect would be refused. At the
// maximum, an object still fits into the memory and time of the service.
struct Count {
    std::string_view key;
    std::int64_t Limits::* value;
    std::int64_t least;
    std::int64_t most;
};

constexpr std::array counts = {
    Count{"members", &Limits::members, 1, 200'000},
    Count{"groups", &Limits::groups, 1, 65'536},
    Count{"depth", &Limits::depth, 4, 256},
    Count{"declaredGroups", &Limits::declared_groups, 4, 1'024},
    Count{"annotationBytes", &Limits::annotation_bytes, 1'024, 262'144},  // The API server allows 256 KiB in all.
    Count{"annotationDepth", &Limits::annotation_depth, 4, 64},
    Count{"topologyNodes", &Limits::topology_nodes, 1, 1'000'000},
    Count{"patternBytes", &Limits::pattern_bytes, 262'144, 67'108'864},
    Count{"resources", &Limits::resources, 8, 1'024},
    Count{"messageBytes", &Limits::message_bytes, 256, 32'768},  // The API server allows 32 KiB in a condition.
};

constexpr std::chrono::seconds shortest_hold{1};
constexpr std::chrono::hours longest_hold{24};

void read_count(Section& section, const Count& count, Limits& out) {
    auto number = static_cast<double>(out.*count.value);
    section.read_rate(count.key, number, true);
    if (number < static_cast<double>(count.least) || number > static_cast<double>(count.most)) {
        return section.complain(*section.find(count.key),
                                fmt::format("must be from {} to {}", count.least, count.most));
    }
    out.*count.value = static_cast<std::int64_t>(number);
}

}  // namespace

void read_limits(const Value& value, Limits& out, Faults& faults) {
    Section section(value, "limits",
                    {"members", "groups", "depth", "declaredGroups", "annotationBytes", "annotationDepth",
                     "topologyNodes", "patternBytes", "resources", "messageBytes", "longestHold", "freePriority"},
                    faults);
    for (const Count& count : counts)
        read_count(section, count, out);
    auto hold = out.longest_hold;
    section.read_duration("longestHold", hold);
    if (hold < shortest_hold || hold > longest_hold || hold % std::chrono::seconds(1) != hold.zero()) {
        section.complain(*section.find("longestHold"), "must be whole seconds from 1s to 24h");
    } else {
        out.longest_hold = hold;
    }
    section.read_flag("freePriority", out.free_priority);
}

}  // namespace echelon::config
