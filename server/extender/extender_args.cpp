#include "server/extender/extender_args.hpp"

#include "server/extender/json_walk.hpp"
#include "server/extender/node_names.hpp"
#include "server/extender/pod_reader.hpp"

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace echelon::server {
namespace {

constexpr std::size_t longest_name = 253;

Problem check_name(std::string_view field, const std::string& name) {
    if (name.empty())
        return problem(field, "is missing");
    if (name.size() > longest_name)
        return problem(field, fmt::format("is longer than {} bytes", longest_name));
    return std::nullopt;
}

}  // namespace

base::Result<FilterArgs> parse_filter_args(std::string_view text, const Planned& planned) {
    FilterArgs args;
    JsonBody body;
    auto found = body.for_each_field(text, [&](std::string_view key, ondemand::value value) -> Problem {
        if (is_named(key, "Pod"))
            return read_pod(value, args.pod);
        if (is_named(key, "NodeNames")) {
            // kube-scheduler sends the pod first. If it came last, offers() would search the names.
            if (planned && !args.pod.json.empty())
                args.planned_node = planned(args.pod);
            return read_names(body, value, text, args);
        }
        if (!is_named(key, "Nodes"))
            return skip(key, value);
        args.has_node_list = !is_null(value);
        return std::nullopt;
    });
    if (found)
        return std::unexpected(*found);
    if (args.pod.json.empty())
        return base::failure("Pod is missing");
    return args;
}

base::Result<BindArgs> parse_bind_args(std::string_view text) {
    BindArgs args;
    if (auto found = objection_to(text, "ExtenderBindingArgs"))
        return std::unexpected(*found);
    JsonBody body;
    auto found = body.for_each_field(text, [&](std::string_view key, ondemand::value value) -> Problem {
        if (is_named(key, "PodName"))
            return read_string(value, "PodName", args.pod.name);
        if (is_named(key, "PodNamespace"))
            return read_string(value, "PodNamespace", args.pod.ns);
        if (is_named(key, "PodUID"))
            return read_string(value, "PodUID", args.pod.uid);
        if (is_named(key, "Node"))
            return read_string(value, "Node", args.node);
        return std::nullopt;
    });
    if (!found)
        found = check_name("PodNamespace", args.pod.ns);
    if (!found)
        found = check_name("PodName", args.pod.name);
    if (!found)
        found = check_name("PodUID", args.pod.uid);
    if (!found)
        found = check_name("Node", args.node);
    if (found)
        return std::unexpected(*found);
    return args;
}

}  // namespace echelon::server
