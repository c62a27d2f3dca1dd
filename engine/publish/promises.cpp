#include "engine/publish/promises.hpp"

#include <algorithm>

namespace echelon::engine {

namespace {

// Of what the pod doesn't ask for, the node may lack any amount.
bool fits(const NodePromises::Left& left, const model::PlainPod& pod) {
    return std::ranges::all_of(left.amounts, [&](const auto& entry) {
        const auto wanted = pod.requests.of(entry.first);
        return wanted <= 0 || wanted <= entry.second;
    });
}

bool ends_before(const model::PlainPod& pod, const NodePromises::Reserved& reserved, Time now) {
    const auto left = reserved.until - now;
    return pod.active_deadline > 0 && left > Time{0} && pod.active_deadline <= left / Time{1000};
}

}  // namespace

bool NodePromises::keep_out(const model::PlainPod& pod, Protection protection, Time now) const {
    if (protection == Protection::none || pod.is_exempt)
        return false;
    const auto above = std::ranges::find_if(left, [&](const Left& one) { return one.priority < pod.priority; });
    if (above != left.begin() && !fits(*(above - 1), pod))
        return true;
    return protection == Protection::promised && std::ranges::any_of(reserved, [&](const Reserved& one) {
               return pod.priority <= one.priority && one.until > now && !ends_before(pod, one, now);
           });
}

std::shared_ptr<const Promises::Shard> Promises::made_of(std::vector<Entry> entries) {
    if (entries.empty())
        return nullptr;
    Shard shard;
    for (const auto& entry : entries) {
        const auto [word, bit] = bit_of(entry.hash);
        shard.bits[word] |= bit;
    }
    std::ranges::sort(entries, {}, &Entry::hash);
    shard.entries = std::move(entries);
    return std::make_shared<const Shard>(std::move(shard));
}

const NodePromises* Promises::found_in(const Shard& shard, NameHash hash, std::string_view node) {
    for (const auto& entry : std::ranges::equal_range(shard.entries, hash, {}, &Entry::hash)) {
        if (entry.promises->node == node)
            return entry.promises.get();
    }
    return nullptr;
}

}  // namespace echelon::engine
