// How a parsed selector is evaluated.

#include "model/devices/selector.hpp"

#include "model/devices/versions.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <span>

namespace echelon::model {

namespace {

using Answer = DeviceSelector::Answer;
using Operation = DeviceSelector::Operation;
using Step = DeviceSelector::Step;

struct Failure {};  // CEL ends with an error.
// Texts belong to the device or to the selector, and outlive the value.
struct Version {
    std::string_view text;
};
using Value = std::variant<Failure, bool, std::int64_t, std::string_view, DeviceSelector::Quantity, Version,
                           const std::vector<std::uint32_t>*>;

Value value_of(const DeviceSelector::Constant& constant) {
    struct Reader {
        Value operator()(bool truth) const { return truth; }
        Value operator()(std::int64_t number) const { return number; }
        Value operator()(const std::string& text) const { return std::string_view(text); }
        Value operator()(DeviceSelector::Quantity quantity) const { return quantity; }
        Value operator()(const DeviceSelector::Version& version) const { return Version{version.text}; }
    };
    return std::visit(Reader{}, constant);
}

Value value_of(const DeviceAttribute& attribute) {
    switch (attribute.kind) {
        case DeviceAttribute::Kind::truth:
            return attribute.number != 0;
        case DeviceAttribute::Kind::number:
            return attribute.number;
        case DeviceAttribute::Kind::text:
            return std::string_view(attribute.text);
        case DeviceAttribute::Kind::version:
            return Version{attribute.text};
    }
    return Failure{};
}

// nullopt: values of these kinds have no order.
std::optional<int> order_of(const Value& a, const Value& b) {
    const auto compare = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    if (a.index() != b.index())
        return std::nullopt;
    if (const auto* truth = std::get_if<bool>(&a))
        return compare(*truth, std::get<bool>(b));
    if (const auto* number = std::get_if<std::int64_t>(&a))
        return compare(*number, std::get<std::int64_t>(b));
    if (const auto* text = std::get_if<std::string_view>(&a))
        return compare(*text, std::get<std::string_view>(b));
    return std::nullopt;
}

// For quantities and versions, which the operators < and > don't take.
std::optional<int> compare_to(const Value& a, const Value& b) {
    if (const auto* left = std::get_if<DeviceSelector::Quantity>(&a)) {
        const auto* right = std::get_if<DeviceSelector::Quantity>(&b);
        if (right == nullptr)
            return std::nullopt;
        return left->thousandths < right->thousandths ? -1 : left->thousandths > right->thousandths ? 1 : 0;
    }
    const auto* left = std::get_if<Version>(&a);
    const auto* right = std::get_if<Version>(&b);
    return left != nullptr && right != nullptr ? compare_versions(left->text, right->text) : std::nullopt;
}

// Values of different kinds are unequal. nullopt: for `==` CEL ends with an error, since a quantity or version is
// compared with something else.
std::optional<bool> are_equal(const Value& a, const Value& b) {
    const bool takes_its_kind =
        std::holds_alternative<DeviceSelector::Quantity>(a) || std::holds_alternative<Version>(a);
    if (takes_its_kind && a.index() != b.index())
        return std::nullopt;
    if (const auto order = compare_to(a, b))
        return *order == 0;
    return order_of(a, b) == 0;
}

class Evaluation {
public:
    Evaluation(const std::vector<Step>& steps, std::string_view driver, const Device& device)
        : steps_(steps), driver_(driver), device_(device) {}

    [[nodiscard]] Value result_of(std::size_t at) const {
        const auto& step = steps_[at];
        switch (step.operation) {
            case Operation::constant:
                return value_of(step.constant);
            case Operation::driver:
                return driver_;
            case Operation::allows_multiple:
                return device_.is_shared;
            case Operation::attribute: {
                const auto found = device_.attributes.find(step.key);
                return found == device_.attributes.end() ? Value(Failure{}) : value_of(found->second);
            }
            case Operation::capacity: {
                const auto found = device_.capacity.find(step.key);
                return found == device_.capacity.end() ? Value(Failure{}) : DeviceSelector::Quantity{found->second};
            }
            case Operation::has_attribute:
                return device_.attributes.contains(step.key);
            case Operation::has_capacity:
                return device_.capacity.contains(step.key);
            case Operation::list:
                return &step.children;
            case Operation::logical_and:
                return junction(step, false);
            case Operation::logical_or:
                return junction(step, true);
            case Operation::logical_not: {
                const auto operand = result_of(step.children.front());
                const auto* truth = std::get_if<bool>(&operand);
                return truth == nullptr ? Value(Failure{}) : !*truth;
            }
            case Operation::in:
                return contains(step);
            case Operation::compare_to:
            case Operation::equal:
            case Operation::unequal:
            case Operation::less:
            case Operation::less_or_equal:
            case Operation::greater:
            case Operation::greater_or_equal:
                return comparison(step);
        }
        return Failure{};
    }

private:
    // As in CEL, an operand that decides the result outweighs the failure of the other.
    [[nodiscard]] Value junction(const Step& step, bool deciding) const {
        bool fails = false;
        for (const auto child : step.children) {
            const auto operand = result_of(child);
            const auto* truth = std::get_if<bool>(&operand);
            if (truth != nullptr && *truth == deciding)
                return deciding;
            fails = fails || truth == nullptr;
        }
        return fails ? Value(Failure{}) : !deciding;
    }

    // As in CEL, nothing is in an empty list, not even what fails. Values that can't be compared are not equal here,
    // but a version can't be looked up among literals alone.
    [[nodiscard]] Value contains(const Step& step) const {
        const auto list = result_of(step.children[1]);
        const auto* const* items = std::get_if<const std::vector<std::uint32_t>*>(&list);
        if (items == nullptr)
            return Failure{};
        if ((*items)->empty())
            return false;
        const auto wanted = result_of(step.children[0]);
        const auto is_literal = [this](auto item) {
            const auto& constant = steps_[item].constant;
            return steps_[item].operation == Operation::constant &&
                   !std::holds_alternative<DeviceSelector::Quantity>(constant) &&
                   !std::holds_alternative<DeviceSelector::Version>(constant);
        };
        bool fails = std::holds_alternative<Failure>(wanted) ||
                     (std::holds_alternative<Version>(wanted) && std::ranges::all_of(**items, is_literal));
        bool is_found = false;
        for (const auto at : **items) {
            const auto item = result_of(at);
            fails = fails || std::holds_alternative<Failure>(item);
            is_found = is_found || are_equal(wanted, item).value_or(false);
        }
        return fails ? Value(Failure{}) : is_found;
    }

    [[nodiscard]] Value comparison(const Step& step) const {
        const auto left = result_of(step.children[0]);
        const auto right = result_of(step.children[1]);
        if (std::holds_alternative<Failure>(left) || std::holds_alternative<Failure>(right))
            return Failure{};
        const auto equal = are_equal(left, right);
        if (step.operation == Operation::unequal)
            return !equal.value_or(false);
        if (step.operation == Operation::equal)
            return equal ? Value(*equal) : Failure{};
        const auto order = step.operation == Operation::compare_to ? compare_to(left, right) : order_of(left, right);
        if (!order)
            return Failure{};
        return outcome(step.operation, *order);
    }

    [[nodiscard]] static Value outcome(Operation operation, int order) {
        if (operation == Operation::less)
            return order < 0;
        if (operation == Operation::less_or_equal)
            return order <= 0;
        if (operation == Operation::greater)
            return order > 0;
        if (operation == Operation::greater_or_equal)
            return order >= 0;
        return std::int64_t{order};
    }

    const std::vector<Step>& steps_;
    std::string_view driver_;
    const Device& device_;
};

}  // namespace

DeviceSelector::Answer DeviceSelector::judge(std::string_view driver, const Device& device) const {
    const auto result = Evaluation(steps_, driver, device).result_of(steps_.size() - 1);
    const auto* truth = std::get_if<bool>(&result);
    return truth == nullptr ? Answer::fails : *truth ? Answer::yes : Answer::no;
}

}  // namespace echelon::model
