#include "kube/topology/topograph_instances.hpp"

#include "base/ascii.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr std::size_t most_digits = 9;

struct Bounds {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::size_t width = 0;
};

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= most_digits && std::ranges::all_of(text, base::is_digit);
}

// "001-004" or "7".
bool read_bounds(std::string_view text, Bounds& bounds) {
    const auto dash = text.find('-');
    const auto first = text.substr(0, dash);
    const auto last = dash == std::string_view::npos ? first : text.substr(dash + 1);
    if (!is_number(first) || !is_number(last))
        return false;
    std::from_chars(first.data(), first.data() + first.size(), bounds.first);
    std::from_chars(last.data(), last.data() + last.size(), bounds.last);
    bounds.width = first.size();
    return bounds.first <= bounds.last;
}

}  // namespace

void ReportedAttributes::overlay(const ReportedAttributes& below) {
    for (const auto part : {&ReportedAttributes::region, &ReportedAttributes::zone, &ReportedAttributes::domain,
                            &ReportedAttributes::sub_domain}) {
        if (!(below.*part).empty())
            this->*part = below.*part;
    }
}

void ReportedInstances::drop_duplicates(std::string_view list) {
    std::map<std::string_view, std::size_t> first_of;
    std::map<std::size_t, std::size_t> tiers_of;  // First index of a name -> most tiers of one instance.
    std::vector<bool> is_kept(instances.size(), true);
    for (std::size_t at = 0; at < instances.size(); ++at) {
        const auto [known, is_new] = first_of.try_emplace(instances[at].names.front(), at);
        if (is_new)
            continue;
        is_kept[at] = false;
        const ReportedInstance& first = instances[known->second];
        if (first == instances[at] && is_kept[known->second])
            continue;
        is_kept[known->second] = false;
        auto& tiers = tiers_of[known->second];
        tiers = std::max({tiers, first.layers.size(), instances[at].layers.size()});
    }
    for (const auto& [at, tiers] : tiers_of) {
        ReportedFault& flaw = flaws.emplace_back();
        flaw.sentence = fmt::format("{}: {} is listed twice with different contents, so its entries are ignored", list,
                                    shown(instances[at].names.front()));
        flaw.names = instances[at].names;
        flaw.last_tier = tiers == 0 ? 0 : tiers - 1;
    }
    std::vector<ReportedInstance> kept;
    kept.reserve(instances.size());
    for (std::size_t at = 0; at < instances.size(); ++at) {
        if (is_kept[at])
            kept.push_back(std::move(instances[at]));
    }
    instances = std::move(kept);
}

std::size_t count_names(std::string_view text) {
    const auto open = text.find('[');
    if (open == std::string_view::npos)
        return 1;
    auto rest = text.substr(open + 1);
    if (rest.ends_with(']'))
        rest.remove_suffix(1);
    std::size_t count = 0;
    for (Bounds bounds; read_bounds(rest.substr(0, rest.find(',')), bounds);) {
        count += bounds.last - bounds.first + 1;
        if (!rest.contains(','))
            break;
        rest.remove_prefix(rest.find(',') + 1);
    }
    return count;
}

std::string expand_names(std::string_view text, std::size_t most, std::vector<std::string>& names) {
    const auto open = text.find('[');
    if (open == std::string_view::npos) {
        if (text.empty() || most == 0)
            return text.empty() ? "is empty" : "is one node too many";
        names.emplace_back(text);
        return {};
    }
    if (!text.ends_with(']'))
        return fmt::format("{} isn't a range like \"n[1-4]\"", shown(text));
    const auto prefix = text.substr(0, open);
    if (std::cmp_greater(prefix.size(), word_bound.most))
        return beyond(static_cast<std::int64_t>(prefix.size()), word_bound);
    auto rest = text.substr(open + 1, text.size() - open - 2);
    while (true) {
        const auto comma = rest.find(',');
        Bounds bounds;
        if (!read_bounds(rest.substr(0, comma), bounds))
            return fmt::format("{} isn't a range like \"n[1-4]\"", shown(text));
        const std::size_t count = bounds.last - bounds.first + 1;
        if (count > most)
            return fmt::format("{} are too many nodes", shown(text));
        most -= count;
        for (auto number = bounds.first; number <= bounds.last; ++number)
            names.push_back(fmt::format("{}{:0{}}", prefix, number, bounds.width));
        if (comma == std::string_view::npos)
            return {};
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace echelon::kube
