#pragma once

// Is a text a name that Kubernetes accepts? As k8s.io/apimachinery/pkg/util/validation decides.
//
// Pure.

#include <string_view>

namespace echelon::base {

// A DNS subdomain (RFC 1123), as most objects are named: lower case, 253 characters at most.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

// The key of a label or annotation: a name, or a DNS subdomain, a slash and a name.
[[nodiscard]] bool is_label_key(std::string_view text);

}  // namespace echelon::base
