#pragma once

// How do the objects of each dialect get large? One row for each way: what grows, its limit, and the objects.
//
// Shared by tests, benchmarks and fuzzers. Pure and deterministic: equal arguments give equal objects.
// Thread-safe: nothing is shared.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::big_objects {

using Objects = std::vector<nlohmann::json>;

struct Growth {
    std::string_view name;  // "kai/chain": the dialect, then what gets large.
    std::string_view unit;  // What is counted.
    // The largest number that may work: `model::Limits` refuses the next one, or the API server's limit for one object
    // (about 1.5 MB) does, or the number is an int32.
    std::int64_t most;
    // The objects of one tenant in the order in which they come. Objects without a namespace start with its name.
    Objects (*make)(const std::string& ns, std::int64_t count);
};

// Sorted by dialect.
[[nodiscard]] const std::vector<Growth>& all();
// Requires: `name` is one of `all()`.
[[nodiscard]] const Growth& named(std::string_view name);
[[nodiscard]] Objects make(std::string_view name, std::int64_t count, const std::string& ns = "tenant");

}  // namespace echelon::big_objects
