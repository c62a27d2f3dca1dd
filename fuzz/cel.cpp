#include "fuzz/targets.hpp"
#include "model/devices/selector.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

namespace echelon::fuzz {
namespace {

using model::Device;
using model::DeviceAttribute;
using model::DeviceSelector;
using Answer = DeviceSelector::Answer;

std::array<Device, 2> devices() {
    std::array<Device, 2> made;
    made[0].attributes = {{"d/model", {.kind = DeviceAttribute::Kind::text, .text = "H100"}},
                          {"d/index", {.kind = DeviceAttribute::Kind::number, .text = {}, .number = 3}},
                          {"d/healthy", {.kind = DeviceAttribute::Kind::truth, .text = {}, .number = 1}},
                          {"d/firmware", {.kind = DeviceAttribute::Kind::version, .text = "1.2.3"}}};
    made[0].capacity = {{"d/memory", 80'000}};
    return made;
}

Answer opposite(Answer answer) {
    return answer == Answer::yes ? Answer::no : answer == Answer::no ? Answer::yes : Answer::fails;
}

}  // namespace

std::string cel(std::string_view bytes) {
    const auto selector = DeviceSelector::parse(bytes);
    if (!selector)
        return selector.error().empty() ? "what isn't understood isn't named" : "";
    // One level deeper, perhaps too deep.
    const auto negated = DeviceSelector::parse(fmt::format("!({})", bytes));
    const auto certain = DeviceSelector::parse(fmt::format("({}) || true", bytes));
    for (const auto& device : devices()) {
        const auto answer = selector->judge("d", device);
        if (negated && negated->judge("d", device) != opposite(answer))
            return "a negation has not the opposite answer";
        if (certain && certain->judge("d", device) != Answer::yes)
            return "what is certain is doubted";
    }
    return {};
}

}  // namespace echelon::fuzz
