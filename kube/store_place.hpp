#pragma once

// Where are topologies kept that were pushed? In a ConfigMap. A plain value.

#include <string>

namespace echelon::kube {

struct StorePlace {
    std::string ns;
    std::string name;
};

}  // namespace echelon::kube
