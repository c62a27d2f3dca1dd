#pragma once

// Is a text a name that Kubernetes accepts? As k8s.io/apimachinery/pkg/util/validation decides.
//
// Pure.

#include <string_view>

namespace echelon::base {

// A DNS subdomain (RFC 1123), as most objects are named: lower case, 253 characters at most.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

// The name in a label key: letters, digits, "-", "_" and ".", of which the first and the last are letters or digits; 63
// characters at most.
[[nodiscard]] bool is_label_name(std::string_view text);

// The key of a label or annotation: such a name, maybe behind a DNS subdomain and a slash.
[[nodiscard]] bool is_label_key(std::string_view text);

}  // namespace echelon::base
