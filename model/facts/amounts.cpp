#include "model/facts/amounts.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace echelon::model {

namespace {

auto place_of(auto& entries, std::string_view name) {
    return std::ranges::lower_bound(entries, name, {},
                                    [](const Amounts::Entry& e) { return std::string_view(e.first); });
}

// Merges `theirs` into `ours` in linear time: `both(ours, theirs)` gives the new amount, and an amount that only
// `theirs` lists meets 0. Entries that both list are changed in place, which is the usual case.
void merge(std::vector<Amounts::Entry>& ours, const std::vector<Amounts::Entry>& theirs, const auto& both) {
    auto our = ours.begin();
    auto their = theirs.begin();
    for (; their != theirs.end(); ++their, ++our) {
        our = std::find_if(our, ours.end(), [&](const Amounts::Entry& entry) { return entry.first >= their->first; });
        if (our == ours.end() || our->first != their->first)
            break;
        our->second = both(our->second, their->second);
    }
    if (their == theirs.end())
        return;
    std::vector<Amounts::Entry> out;
    out.reserve(ours.size() + static_cast<std::size_t>(theirs.end() - their));
    std::move(ours.begin(), our, std::back_inserter(out));
    for (; their != theirs.end(); ++their) {
        for (; our != ours.end() && our->first < their->first; ++our)
            out.push_back(std::move(*our));
        const bool is_ours = our != ours.end() && our->first == their->first;
        out.emplace_back(their->first, both(is_ours ? our->second : 0, their->second));
        our += is_ours ? 1 : 0;
    }
    std::move(our, ours.end(), std::back_inserter(out));
    ours = std::move(out);
}

}  // namespace

Amounts::Amounts(std::initializer_list<Entry> entries) {
    for (const auto& [name, amount] : entries)
        add(name, amount);
}

std::int64_t Amounts::of(std::string_view name) const {
    const auto at = place_of(entries(), name);
    return at != entries().end() && at->first == name ? at->second : 0;
}

void Amounts::set(std::string_view name, std::int64_t amount) {
    auto& entries = entries_.edit();
    const auto at = place_of(entries, name);
    if (at != entries.end() && at->first == name) {
        at->second = amount;
    } else {
        entries.insert(at, {std::string(name), amount});
    }
}

void Amounts::add(std::string_view name, std::int64_t amount) {
    set(name, saturating_sum(of(name), amount));
}

void Amounts::add(const Amounts& other) {
    if (empty()) {
        entries_ = other.entries_;
    } else if (!other.empty()) {
        merge(entries_.edit(), other.entries(), saturating_sum);
    }
}

void Amounts::raise_to(const Amounts& other) {
    merge(entries_.edit(), other.entries(), [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

std::size_t hash_of(const Amounts& amounts) {
    std::uint64_t hash = 0;
    for (const auto& [name, amount] : amounts.entries()) {
        hash = (hash ^ static_cast<std::uint64_t>(amount) ^ name.size()) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32U;
    }
    return hash;
}

}  // namespace echelon::model
