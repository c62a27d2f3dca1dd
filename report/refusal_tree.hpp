#pragma once

// How is the tree of a refusal drawn? Each group has its best domains, and each domain the pods in the way. Pure.

#include "model/facts/amounts.hpp"
#include "model/gang/explanation.hpp"
#include "report/style.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::report {

// Empty: the sentence of the refusal says everything.
[[nodiscard]] std::string draw_refusal(const model::Explanation& explanation, Style style);

// "8 nvidia.com/gpu", "500m cpu", "64Gi memory".
[[nodiscard]] std::string amount_text(std::string_view resource, std::int64_t amount);
// "8 nvidia.com/gpu, 16 cpu, 64Gi memory"; the pod itself isn't mentioned.
[[nodiscard]] std::string amounts_text(const model::Amounts& amounts);

}  // namespace echelon::report
