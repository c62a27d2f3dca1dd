#include "engine/publish/promises.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace echelon::engine {

namespace {

// Resources that the pod doesn't request don't matter. Both lists are sorted by name, so the next name of one is mostly
// the next of the other.
bool fits(const PromisedRoom::Left& left, const model::PlainPod& pod) {
    const auto& requests = pod.requests.entries();
    auto at = requests.begin();
    return std::ranges::all_of(left.amounts, [&](const auto& entry) {
        if (at == requests.end() || at->first != entry.first)
            at = std::ranges::lower_bound(requests, entry.first, {}, &model::Amounts::Entry::first);
        if (at == requests.end() || at->first != entry.first)
            return true;
        const auto wanted = (at++)->second;
        return wanted <= 0 || wanted <= entry.second;
    });
}

bool ends_before(const model::PlainPod& pod, const PromisedRoom::Reserved& reserved, Time now) {
    const auto left = reserved.free_by - now;
    return pod.active_deadline > 0 && left > Time{0} && pod.active_deadline <= left / Time{1000};
}

}  // namespace

bool PromisedRoom::keep_out(const model::PlainPod& pod, Protection protection, Time now) const {
    if (protection == Protection::none || pod.is_exempt)
        return false;
    const auto above = std::ranges::find_if(left, [&](const Left& one) { return one.priority < pod.priority; });
    if (above != left.begin() && !fits(*(above - 1), pod))
        return true;
    return protection == Protection::promised && std::ranges::any_of(reserved, [&](const Reserved& one) {
               return pod.priority <= one.priority && one.until > now && !ends_before(pod, one, now);
           });
}

Promises::Found Promises::found_in(const Shard& shard, NameHash hash, std::string_view node) {
    const auto* const slots = shard.slots.data();
    const auto* const briefs = shard.briefs.data();
    const auto mask = shard.slots.size() - 1;
    for (auto at = slot_of(shard, hash); slots[at] != free_slot; at = (at + 1) & mask) {
        const auto& brief = briefs[slots[at]];
        if (brief.hash == hash && std::string_view(shard.names.data() + brief.name, brief.name_size) == node)
            return {&shard, slots[at]};
    }
    return {};
}

void Promises::add_brief(const Entry& entry, Shard& shard) {
    const auto& [node, room] = *entry.promises;
    const auto here = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    Brief brief{.hash = entry.hash, .name = here(shard.names), .name_size = here(node), .first = here(shard.amounts)};
    shard.names += node;
    brief.is_simple = room->left.size() == 1 && room->reserved.empty();
    if (const auto* before = shard.briefs.empty() ? nullptr : shard.entries[shard.briefs.size() - 1].promises.get();
        before != nullptr && before->room == room) {
        const auto& same = shard.briefs.back();
        brief.priority = same.priority;
        brief.first = same.first;
        brief.last = same.last;
        return shard.briefs.push_back(brief);
    }
    if (brief.is_simple) {
        brief.priority = room->left.front().priority;
        for (const auto& [resource, left] : room->left.front().amounts) {
            const auto known = std::ranges::find(shard.resources, resource);
            shard.amounts.push_back({static_cast<std::uint32_t>(known - shard.resources.begin()), left});
            if (known == shard.resources.end())
                shard.resources.push_back(resource);
        }
    }
    brief.last = here(shard.amounts);
    shard.briefs.push_back(brief);
}

std::shared_ptr<const Promises::Shard> Promises::made_of(std::vector<Entry> entries) {
    if (entries.empty())
        return nullptr;
    Shard shard;
    for (const auto& entry : entries) {
        const auto [word, bit] = bit_of(entry.hash);
        shard.bits[word] |= bit;
    }
    shard.entries = std::move(entries);
    shard.briefs.reserve(shard.entries.size());
    for (const auto& entry : shard.entries)
        add_brief(entry, shard);
    shard.slots.assign(std::bit_ceil(2 * shard.entries.size()), free_slot);
    for (std::uint32_t place = 0; place < shard.entries.size(); ++place) {
        auto at = slot_of(shard, shard.entries[place].hash);
        while (shard.slots[at] != free_slot)
            at = (at + 1) & (shard.slots.size() - 1);
        shard.slots[at] = place;
    }
    return std::make_shared<const Shard>(std::move(shard));
}

void Promises::set(std::size_t shard, std::vector<Entry> entries) {
    auto& former = shards_.edit()[shard];
    count_ += entries.size() - (former != nullptr ? former->entries.size() : 0);
    former = made_of(std::move(entries));
}

void PodOnPromises::look_at(const Promises::Shard& shard, Wanted& wanted) const {
    for (const auto& resource : shard.resources) {
        const auto amount = pod_.requests.of(resource);
        wanted.push_back(amount > 0 ? amount : std::numeric_limits<std::int64_t>::min());
    }
}

}  // namespace echelon::engine
