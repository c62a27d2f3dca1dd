#pragma once

// Does the API server serve a kind, and in which version?
//
// Asks the group for its versions, then each version for its resources until one has the kind. Thread-safe with a
// client per thread.

#include "base/result.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/watched_kind.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

struct Discovery {
    enum class Kind : std::uint8_t {
        served,
        unserved,   // The server doesn't serve the kind.
        unknown,    // Served, but only in versions that echelon doesn't know.
        forbidden,  // echelon may not ask (403); ask again, since RBAC rules may change.
        failed,     // The server gave no usable answer; ask again.
    };
    Kind kind = Kind::failed;
    std::string version = {};   // If served: the preferred one.
    std::string sentence = {};  // If failed, forbidden or unknown: the reason.
    std::optional<std::chrono::seconds> retry_after = {};
    bool is_broken = false;  // If failed: the answer was a 5xx, or a document that can't be read.
};

[[nodiscard]] Discovery discover(HttpClient& client, const WatchedKind& kind);

// The versions in an APIGroup document.
[[nodiscard]] base::Result<std::vector<std::string>> served_versions(std::string_view api_group);
// Is a resource in an APIResourceList document?
[[nodiscard]] base::Result<bool> lists_resource(std::string_view api_resource_list, std::string_view resource);

}  // namespace echelon::kube
