#include "unit-tests/big_objects/growth.hpp"

#include "unit-tests/big_objects/dialects.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace echelon::big_objects {

const std::vector<Growth>& all() {
    static const std::vector<Growth> rows = [] {
        Rows out;
        for (auto* part : {upstream_rows, volcano_rows, koordinator_rows, kai_rows, grove_rows, kueue_rows,
                           job_set_rows, leader_worker_set_rows, gang_rows, small_api_rows, pod_rows, device_claim_rows,
                           node_rows, hypernode_rows, topology_rows})
            std::ranges::move(part(), std::back_inserter(out));
        return out;
    }();
    return rows;
}

const Growth& named(std::string_view name) {
    const auto found = std::ranges::find(all(), name, &Growth::name);
    if (found == all().end())
        throw std::invalid_argument("no object grows as " + std::string(name));
    return *found;
}

Objects make(std::string_view name, std::int64_t count, const std::string& ns) {
    return named(name).make(ns, count);
}

std::string name_in(const std::string& ns, std::string_view what) {
    return ns + "-" + std::string(what);
}

std::string numbered(std::string_view what, std::int64_t number) {
    return std::string(what) + "-" + std::to_string(number);
}

json cluster_object(std::string_view api_version, std::string_view kind, const std::string& name) {
    return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}, {"uid", "uid-" + name}}}};
}

json object(std::string_view api_version, std::string_view kind, const std::string& ns, const std::string& name) {
    json out = cluster_object(api_version, kind, name);
    out["metadata"]["namespace"] = ns;
    out["metadata"]["uid"] = "uid-" + ns + "-" + std::string(kind) + "-" + name;
    return out;
}

json pod(const std::string& ns, const std::string& name) {
    json out = object("v1", "Pod", ns, name);
    out["spec"] = {{"schedulerName", "default-scheduler"},
                   {"containers", json::array({{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}}})}};
    return out;
}

std::string nested_text(std::string_view open, std::string_view close, std::int64_t depth) {
    std::string out;
    out.reserve((open.size() + close.size()) * static_cast<std::size_t>(depth));
    for (std::int64_t i = 0; i < depth; ++i)
        out += open;
    for (std::int64_t i = 0; i < depth; ++i)
        out += close;
    return out;
}

}  // namespace echelon::big_objects
