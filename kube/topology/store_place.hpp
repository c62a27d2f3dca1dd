#pragma once

// In which ConfigMap are pushed topologies stored? A plain value.

#include <string>

namespace echelon::kube {

struct ConfigMapRef {
    std::string ns;
    std::string name;
};

}  // namespace echelon::kube
