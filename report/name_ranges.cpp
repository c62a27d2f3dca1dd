#include "report/name_ranges.hpp"

#include "base/natural_order.hpp"
#include "base/whole_number.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace echelon::report {

namespace {

struct Numbered {
    std::string_view stem;
    std::uint64_t number = 0;
};

// "train-12" as "train-" and 12; nullopt: no number at the end, or one with leading zeros.
std::optional<Numbered> split_number(std::string_view name) {
    const auto last = name.find_last_not_of("0123456789");
    const auto begin = last == std::string_view::npos ? 0 : last + 1;
    const auto digits = name.substr(begin);
    if (digits.empty() || (digits.size() > 1 && digits.front() == '0'))
        return std::nullopt;
    const auto number = base::whole_number<std::uint64_t>(digits);
    return number ? std::optional(Numbered{name.substr(0, begin), *number}) : std::nullopt;
}

}  // namespace

std::string name_ranges(std::vector<std::string> names) {
    std::ranges::sort(names, base::NaturalLess{});
    std::string text;
    for (std::size_t at = 0; at < names.size();) {
        std::size_t end = at + 1;
        const auto first = split_number(names[at]);
        while (first && end < names.size()) {
            const auto next = split_number(names[end]);
            if (!next || next->stem != first->stem || next->number != first->number + (end - at))
                break;
            ++end;
        }
        if (!text.empty())
            text.push_back(' ');
        if (first && end - at > 1) {
            text += fmt::format("{}[{}-{}]", first->stem, first->number, first->number + (end - at - 1));
        } else {
            text += names[at];
        }
        at = end;
    }
    return text;
}

}  // namespace echelon::report
