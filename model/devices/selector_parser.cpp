// How the text of a selector is read: a recursive descent over the subset of CEL that is evaluated exactly.

#include "base/ascii.hpp"
#include "base/quantity.hpp"
#include "model/devices/selector.hpp"
#include "model/devices/versions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace echelon::model {

namespace {

using Operation = DeviceSelector::Operation;
using Step = DeviceSelector::Step;

constexpr std::size_t longest_text = 10 * 1024;  // As in the API server's validation.
constexpr std::size_t most_steps = 512;
constexpr int deepest = 32;

bool is_word_start(char c) {
    return c == '_' || base::is_letter(c);
}

// Reads words, numbers and quoted texts one by one.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() {
        skip_space();
        return rest_.empty();
    }
    [[nodiscard]] char next() {
        skip_space();
        return rest_.empty() ? '\0' : rest_.front();
    }
    // Consumes `symbol` if the rest begins with it.
    bool accept(std::string_view symbol) {
        skip_space();
        if (!rest_.starts_with(symbol))
            return false;
        rest_.remove_prefix(symbol.size());
        return true;
    }
    bool accept_word(std::string_view word) {
        skip_space();
        const auto length = word_length();
        if (rest_.substr(0, length) != word)
            return false;
        rest_.remove_prefix(length);
        return true;
    }
    [[nodiscard]] std::string_view word() {
        skip_space();
        const auto found = rest_.substr(0, word_length());
        rest_.remove_prefix(found.size());
        return found;
    }
    [[nodiscard]] std::optional<std::int64_t> number() {
        skip_space();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{})
            return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        const char after = rest_.empty() ? ' ' : rest_.front();
        if (base::is_digit(after) || is_word_start(after) || after == '.')  // A real, hexadecimal or unsigned number.
            return std::nullopt;
        return value;
    }
    // A quoted text; nullopt: it isn't closed, or has an escape.
    [[nodiscard]] std::optional<std::string_view> text() {
        skip_space();
        const char mark = rest_.front();
        const auto end = rest_.find(mark, 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        const auto inside = rest_.substr(1, end - 1);
        const bool is_of_three = inside.empty() && rest_.size() > end + 1 && rest_[end + 1] == mark;
        if (is_of_three || inside.find('\\') != std::string_view::npos)
            return std::nullopt;
        rest_.remove_prefix(end + 1);
        return inside;
    }

private:
    void skip_space() {
        while (!rest_.empty() && std::string_view(" \t\r\n").contains(rest_.front()))
            rest_.remove_prefix(1);
    }
    [[nodiscard]] std::size_t word_length() const {
        if (rest_.empty() || !is_word_start(rest_.front()))
            return 0;
        std::size_t length = 1;
        while (length < rest_.size() && (is_word_start(rest_[length]) || base::is_digit(rest_[length])))
            ++length;
        return length;
    }

    std::string_view rest_;
};

}  // namespace

// The first construct outside the subset ends parsing; all functions return at once after it.
class DeviceSelectorParser {
public:
    explicit DeviceSelectorParser(std::string_view text) : scanner_(text) {}

    // The construct that is outside the subset; empty: `steps` are complete.
    [[nodiscard]] std::string parse() {
        const auto root = disjunction();
        if (problem_.empty() && !scanner_.at_end())
            note("what follows the expression");
        if (problem_.empty() && root + 1 != steps_.size())
            steps_.push_back(Step(steps_[root]));
        return problem_;
    }
    [[nodiscard]] std::vector<Step>& steps() { return steps_; }

private:
    using Place = std::uint32_t;

    Place note(std::string what) {
        if (problem_.empty())
            problem_ = std::move(what);
        return 0;
    }
    Place add(Step step) {
        if (steps_.size() == most_steps)
            return note("an expression of more than " + std::to_string(most_steps) + " parts");
        steps_.push_back(std::move(step));
        return static_cast<Place>(steps_.size() - 1);
    }
    Place add(Operation operation, std::vector<Place> children) {
        return add(Step{.operation = operation, .children = std::move(children)});
    }
    Place add(DeviceSelector::Constant constant) { return add(Step{.constant = std::move(constant)}); }

    Place disjunction() {
        if (++depth_ > deepest)
            return note("an expression that is nested so deeply");
        std::vector<Place> operands{conjunction()};
        while (problem_.empty() && scanner_.accept("||"))
            operands.push_back(conjunction());
        --depth_;
        return operands.size() == 1 ? operands.front() : add(Operation::logical_or, std::move(operands));
    }

    Place conjunction() {
        std::vector<Place> operands{relation()};
        while (problem_.empty() && scanner_.accept("&&"))
            operands.push_back(relation());
        return operands.size() == 1 ? operands.front() : add(Operation::logical_and, std::move(operands));
    }

    Place relation() {
        static constexpr std::array operators{
            std::pair<std::string_view, Operation>{"==", Operation::equal},
            std::pair<std::string_view, Operation>{"!=", Operation::unequal},
            std::pair<std::string_view, Operation>{"<=", Operation::less_or_equal},
            std::pair<std::string_view, Operation>{">=", Operation::greater_or_equal},
            std::pair<std::string_view, Operation>{"<", Operation::less},
            std::pair<std::string_view, Operation>{">", Operation::greater},
        };
        auto left = unary();
        while (problem_.empty()) {
            if (scanner_.accept_word("in")) {
                left = membership(left);
                continue;
            }
            std::optional<Operation> found;
            for (const auto& [symbol, operation] : operators) {
                if (!found && scanner_.accept(symbol))
                    found = operation;
            }
            if (!found)
                break;
            left = add(*found, {left, unary()});
        }
        return left;
    }

    // `"name" in device.attributes["domain"]`, or a value in a list.
    Place membership(Place left) {
        if (scanner_.next() == '[')
            return add(Operation::in, {left, list()});
        const auto* name = std::get_if<std::string>(&steps_[left].constant);
        if (!scanner_.accept_word("device") || name == nullptr || steps_[left].operation != Operation::constant)
            return note("`in` beside anything but a list or the attributes of a domain");
        const auto is_capacity = map_of_domains();
        if (!is_capacity || !problem_.empty())
            return note("`in` beside anything but a list or the attributes of a domain");
        const auto domain = subscript();
        return add(Step{.operation = *is_capacity ? Operation::has_capacity : Operation::has_attribute,
                        .key = domain + "/" + *name});
    }

    Place list() {
        scanner_.accept("[");
        std::vector<Place> items;
        while (problem_.empty() && !scanner_.accept("]")) {
            if (!items.empty() && !scanner_.accept(","))
                return note("a list that does not end");
            items.push_back(disjunction());
        }
        return add(Operation::list, std::move(items));
    }

    Place unary() {
        if (scanner_.accept("!"))
            return negation();
        auto left = primary();
        while (problem_.empty() && scanner_.accept("."))
            left = method(left);
        return left;
    }

    Place negation() {
        if (++depth_ > deepest)
            return note("an expression that is nested so deeply");
        const auto operand = unary();
        --depth_;
        return add(Operation::logical_not, {operand});
    }

    Place primary() {
        const char next = scanner_.next();
        if (next == '"' || next == '\'') {
            const auto text = scanner_.text();
            return text ? add(std::string(*text)) : note("a text with escapes, or one that does not end");
        }
        if (base::is_digit(next) || next == '-') {
            const auto number = scanner_.number();
            return number ? add(*number) : note("a number that is no integer");
        }
        if (scanner_.accept("("))
            return inside(disjunction());
        if (next == '[')
            return list();
        return named();
    }

    Place inside(Place expression) {
        if (problem_.empty() && !scanner_.accept(")"))
            return note("a parenthesis that does not end");
        return expression;
    }

    Place named() {
        const auto word = scanner_.word();
        if (word == "true" || word == "false")
            return add(word == "true");
        if (word == "device")
            return device_part();
        if (word == "quantity" || word == "semver" || word == "has") {
            if (!scanner_.accept("("))
                return note("`" + std::string(word) + "` without an argument");
            return word == "has" ? inside(presence()) : inside(conversion(word == "quantity"));
        }
        return note(word.empty() ? std::string("an operator or a character") : "`" + std::string(word) + "`");
    }

    Place presence() {
        if (!scanner_.accept_word("device"))
            return note("`has()` of anything but a part of the device");
        const auto place = device_part();
        if (!problem_.empty())
            return 0;
        auto& step = steps_[place];
        if (step.operation == Operation::attribute) {
            step.operation = Operation::has_attribute;
        } else if (step.operation == Operation::capacity) {
            step.operation = Operation::has_capacity;
        } else {
            return note("`has()` of anything but an attribute or a capacity");
        }
        return place;
    }

    Place conversion(bool is_quantity) {
        const char next = scanner_.next();
        const auto text = next == '"' || next == '\'' ? scanner_.text() : std::nullopt;
        if (!text)
            return note("a quantity or version that isn't a text");
        if (!is_quantity)
            return is_version(*text) ? add(DeviceSelector::Version{std::string(*text)}) : note("such a version");
        const auto amount = base::quantity_in(*text, base::Unit::thousandth);
        const bool is_exact = amount && *amount < std::numeric_limits<std::int64_t>::max();
        return is_exact ? add(DeviceSelector::Quantity{*amount}) : note("such a quantity");
    }

    // True for capacity, false for attributes; nullopt: neither, which is a parse error.
    std::optional<bool> map_of_domains() {
        if (!scanner_.accept(".")) {
            note("`device` by itself");
            return std::nullopt;
        }
        const auto part = scanner_.word();
        if (part == "attributes" || part == "capacity")
            return part == "capacity";
        note("`device." + std::string(part) + "`");
        return std::nullopt;
    }

    // Parses ["TEXT"]; empty: it is missing, which is a parse error.
    std::string subscript() {
        const bool opens = scanner_.accept("[");
        const char next = scanner_.next();
        const auto text = opens && (next == '"' || next == '\'') ? scanner_.text() : std::nullopt;
        if (!text || !scanner_.accept("]")) {
            note("a map that isn't looked up by a text");
            return {};
        }
        return std::string(*text);
    }

    Place device_part() {
        Scanner ahead = scanner_;
        if (ahead.accept(".")) {
            const auto part = ahead.word();
            if (part == "driver" || part == "allowMultipleAllocations") {
                scanner_ = ahead;
                return add(part == "driver" ? Operation::driver : Operation::allows_multiple, {});
            }
        }
        const auto is_capacity = map_of_domains();
        if (!is_capacity)
            return 0;
        auto key = subscript();
        if (!problem_.empty())
            return 0;
        std::string name;
        if (scanner_.next() == '[') {
            name = subscript();
        } else if (scanner_.accept(".")) {
            name = scanner_.word();
        }
        if (name.empty())
            return note("a domain of attributes by itself");
        key += '/';
        key += name;
        return add(Step{.operation = *is_capacity ? Operation::capacity : Operation::attribute, .key = std::move(key)});
    }

    Place method(Place left) {
        const auto name = scanner_.word();
        const bool is_greater = name == "isGreaterThan";
        if (name != "compareTo" && !is_greater && name != "isLessThan")
            return note("`" + std::string(name) + "()`");
        if (!scanner_.accept("("))
            return note("`" + std::string(name) + "` without an argument");
        const auto right = inside(disjunction());
        const auto order = add(Operation::compare_to, {left, right});
        if (name == "compareTo")
            return order;
        return add(is_greater ? Operation::greater : Operation::less, {order, add(std::int64_t{0})});
    }

    Scanner scanner_;
    std::vector<Step> steps_;
    std::string problem_;
    int depth_ = 0;
};

std::expected<DeviceSelector, std::string> DeviceSelector::parse(std::string_view text) {
    if (text.size() > longest_text)
        return std::unexpected("an expression of more than 10 KiB");
    DeviceSelectorParser parser(text);
    if (auto problem = parser.parse(); !problem.empty())
        return std::unexpected(std::move(problem));
    return DeviceSelector(std::move(parser.steps()));
}

std::size_t DeviceSelector::parts_of(std::string_view text) {
    DeviceSelectorParser parser(text.substr(0, longest_text));
    static_cast<void>(parser.parse());
    return std::max<std::size_t>(1, parser.steps().size());
}

}  // namespace echelon::model
