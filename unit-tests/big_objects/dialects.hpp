#pragma once

// Which rows does each dialect add to `all()`? The parts of that list, and helpers that build them.
//
// Pure.

#include "unit-tests/big_objects/growth.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::big_objects {

using nlohmann::json;
using Rows = std::vector<Growth>;

[[nodiscard]] Rows upstream_rows();
[[nodiscard]] Rows volcano_rows();
[[nodiscard]] Rows koordinator_rows();
[[nodiscard]] Rows kai_rows();
[[nodiscard]] Rows grove_rows();
[[nodiscard]] Rows kueue_rows();
[[nodiscard]] Rows job_set_rows();
[[nodiscard]] Rows leader_worker_set_rows();
[[nodiscard]] Rows gang_rows();       // Our own Gang, gangs by labels, and GangPlan.
[[nodiscard]] Rows small_api_rows();  // scheduler-plugins.
[[nodiscard]] Rows pod_rows();        // What any pod may say, of a gang or not.
[[nodiscard]] Rows device_claim_rows();
[[nodiscard]] Rows node_rows();
[[nodiscard]] Rows hypernode_rows();
[[nodiscard]] Rows topology_rows();  // Topology objects of every kind, and Topograph.

inline constexpr std::int64_t largest_object = 1'500'000;  // Bytes that etcd takes.
inline constexpr std::int64_t largest_int32 = 2'147'483'647;

// "big" of the tenant, so that no two tenants share a name, not even of objects without a namespace.
[[nodiscard]] std::string name_in(const std::string& ns, std::string_view what = "big");
// "what-7".
[[nodiscard]] std::string numbered(std::string_view what, std::int64_t number);
[[nodiscard]] json object(std::string_view api_version, std::string_view kind, const std::string& ns,
                          const std::string& name);
// As `object`, in no namespace.
[[nodiscard]] json cluster_object(std::string_view api_version, std::string_view kind, const std::string& name);
// A pod of ours that asks for one CPU.
[[nodiscard]] json pod(const std::string& ns, const std::string& name);
// The list `make(0)`, `make(1)` ... `make(count - 1)`.
template <class Make>
[[nodiscard]] json list(std::int64_t count, Make make) {
    json out = json::array();
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(make(i));
    return out;
}
// `open` repeated `depth` times, then `close` as often.
[[nodiscard]] std::string nested_text(std::string_view open, std::string_view close, std::int64_t depth);

}  // namespace echelon::big_objects
