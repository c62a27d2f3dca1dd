#pragma once

// How is a port of the host counted? Every node has each port once, and a pod with a `hostPort` takes it.
//
// Pods with one port then keep apart as pods do that share any other resource. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace echelon::model {

inline constexpr std::string_view host_port_prefix = "host port ";  // No resource of Kubernetes has spaces.

// "host port TCP 8080".
[[nodiscard]] inline std::string host_port(std::string_view protocol, std::int64_t port) {
    return fmt::format("{}{} {}", host_port_prefix, protocol, port);
}

[[nodiscard]] inline bool is_host_port(std::string_view resource) {
    return resource.starts_with(host_port_prefix);
}

}  // namespace echelon::model
