#include "model/amounts.hpp"

#include <algorithm>
#include <limits>

namespace echelon::model {

namespace {

auto place_of(std::vector<Amounts::Entry>& entries, std::string_view name) {
    return std::ranges::lower_bound(entries, name, {},
                                    [](const Amounts::Entry& e) { return std::string_view(e.first); });
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace

Amounts::Amounts(std::initializer_list<Entry> entries) {
    for (const auto& [name, amount] : entries)
        add(name, amount);
}

std::int64_t Amounts::of(std::string_view name) const {
    auto at = std::ranges::lower_bound(entries_, name, {}, [](const Entry& e) { return std::string_view(e.first); });
    return at != entries_.end() && at->first == name ? at->second : 0;
}

void Amounts::set(std::string_view name, std::int64_t amount) {
    auto at = place_of(entries_, name);
    if (at != entries_.end() && at->first == name) {
        at->second = amount;
    } else {
        entries_.insert(at, {std::string(name), amount});
    }
}

void Amounts::add(std::string_view name, std::int64_t amount) {
    set(name, saturating_sum(of(name), amount));
}

void Amounts::add(const Amounts& other) {
    for (const auto& [name, amount] : other.entries_)
        add(name, amount);
}

void Amounts::raise_to(const Amounts& other) {
    for (const auto& [name, amount] : other.entries_)
        set(name, std::max(of(name), amount));
}

}  // namespace echelon::model
