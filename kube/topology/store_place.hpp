#pragma once

// Where are topologies kept that were pushed? In a ConfigMap. A plain value.

#include <string>

namespace echelon::kube {

struct ConfigMapRef {
    std::string ns;
    std::string name;
};

}  // namespace echelon::kube
