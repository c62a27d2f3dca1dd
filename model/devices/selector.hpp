#pragma once

// Which devices does a CEL selector of a DeviceClass or a request admit? (DR2)
//
// The subset that is evaluated exactly: comparisons, `&&`, `||`, `!`, `in`, lists and parentheses over `device.driver`,
// `device.allowMultipleAllocations`, `device.attributes["DOMAIN"].NAME` and `device.capacity["DOMAIN"].NAME`, with
// `has()`, `compareTo()`, `isGreaterThan()` and `isLessThan()` of quantities and semantic versions. Anything else is an
// error of `parse`. Pure.

#include "model/facts/device.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace echelon::model {

class DeviceSelector {
public:
    // The error says what isn't understood: `matches()`, `a text that does not end` ...
    [[nodiscard]] static std::expected<DeviceSelector, std::string> parse(std::string_view text);
    // How many constants, parts of the device and operators are in a text? At least 1, and at most 512. What follows
    // something that isn't understood doesn't count.
    [[nodiscard]] static std::size_t parts_of(std::string_view text);

    enum class Answer : std::uint8_t {
        no,
        yes,
        fails,  // CEL ends with an error: an attribute is missing, or values can't be compared.
    };
    [[nodiscard]] Answer judge(std::string_view driver, const Device& device) const;

    // ---- The parsed form: a tree in a list, children before parents, the root last.
    enum class Operation : std::uint8_t {
        constant,
        driver,
        allows_multiple,
        attribute,      // `key`.
        capacity,       // `key`.
        has_attribute,  // True if the device has it.
        has_capacity,
        list,        // Of the children.
        compare_to,  // Two children: -1, 0 or 1.
        logical_and,
        logical_or,
        logical_not,
        equal,
        unequal,
        less,
        less_or_equal,
        greater,
        greater_or_equal,
        in,
    };
    struct Quantity {
        std::int64_t thousandths = 0;
    };
    struct Version {
        std::string text;
    };
    using Constant = std::variant<bool, std::int64_t, std::string, Quantity, Version>;
    struct Step {
        Operation operation = Operation::constant;
        Constant constant = false;
        std::string key = {};  // "DOMAIN/NAME".
        std::vector<std::uint32_t> children = {};
    };

private:
    explicit DeviceSelector(std::vector<Step> steps) : steps_(std::move(steps)) {}

    std::vector<Step> steps_;
};

}  // namespace echelon::model
