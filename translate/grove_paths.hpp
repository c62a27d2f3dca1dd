#pragma once

// Where does the API server have Grove's PodGangs and PodCliqueSets, and Koordinator's PodGroups?
//
// Pure and thread-safe.

#include "kube/client/http_client.hpp"

#include <string>

#include <fmt/format.h>

namespace echelon::translate {

[[nodiscard]] inline std::string pod_gang_path(const std::string& ns, const std::string& name) {
    return fmt::format("/apis/scheduler.grove.io/v1alpha1/namespaces/{}/podgangs/{}", kube::percent_encoded(ns),
                       kube::percent_encoded(name));
}

[[nodiscard]] inline std::string clique_set_path(const std::string& ns, const std::string& name) {
    return fmt::format("/apis/grove.io/v1alpha1/namespaces/{}/podcliquesets/{}", kube::percent_encoded(ns),
                       kube::percent_encoded(name));
}

[[nodiscard]] inline std::string pod_groups_path(const std::string& ns) {
    return fmt::format("/apis/scheduling.sigs.k8s.io/v1alpha1/namespaces/{}/podgroups", kube::percent_encoded(ns));
}

[[nodiscard]] inline std::string pod_group_path(const std::string& ns, const std::string& name) {
    return pod_groups_path(ns) + "/" + kube::percent_encoded(name);
}

}  // namespace echelon::translate
