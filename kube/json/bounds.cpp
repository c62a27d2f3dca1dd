#include "kube/json/bounds.hpp"

#include <fmt/format.h>

namespace echelon::kube {

std::string beyond(std::int64_t found, const Bound& bound, std::string_view unit) {
    return fmt::format("{}{} {} more than the {} {}", found, unit, unit.empty() ? "is" : "are", bound.most, bound.what);
}

}  // namespace echelon::kube
