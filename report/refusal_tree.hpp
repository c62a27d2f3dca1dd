#pragma once

// The tree of a refusal as people read it: each group, its best domains, and the pods in the way there. Pure.

#include "model/facts/amounts.hpp"
#include "model/gang/explanation.hpp"
#include "report/style.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::report {

// Empty when there is nothing to tell beyond the sentence.
[[nodiscard]] std::string draw_refusal(const model::Explanation& explanation, Ink ink);

// "8 nvidia.com/gpu", "500m cpu", "64Gi memory".
[[nodiscard]] std::string amount_text(std::string_view resource, std::int64_t amount);
// "8 nvidia.com/gpu, 16 cpu, 64Gi memory"; the pod itself isn't mentioned.
[[nodiscard]] std::string amounts_text(const model::Amounts& amounts);

}  // namespace echelon::report
