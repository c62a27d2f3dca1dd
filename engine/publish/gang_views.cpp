#include "engine/publish/gang_views.hpp"

#include "engine/publish/name_hash.hpp"

#include <algorithm>

namespace echelon::engine {

std::size_t GangViews::place_of(std::string_view name) {
    return name_hash(name) % shard_count;
}

const GangViews::Shard* GangViews::shard_of(std::string_view name) const {
    return table_ != nullptr ? (*table_)[place_of(name)].get() : nullptr;
}

GangViews::View GangViews::find(std::string_view name) const {
    const auto* shard = shard_of(name);
    if (shard == nullptr)
        return nullptr;
    const auto found = shard->find(name);
    return found == shard->end() ? nullptr : found->second;
}

std::size_t GangViews::size() const {
    std::size_t size = 0;
    for (std::size_t place = 0; table_ != nullptr && place < shard_count; ++place) {
        if (const auto& shard = (*table_)[place])
            size += shard->size();
    }
    return size;
}

std::vector<std::pair<std::string, GangViews::View>> GangViews::sorted() const {
    std::vector<std::pair<std::string, View>> views;
    for (std::size_t place = 0; table_ != nullptr && place < shard_count; ++place) {
        if (const auto& shard = (*table_)[place])
            views.insert(views.end(), shard->begin(), shard->end());
    }
    std::ranges::sort(views, {}, &std::pair<std::string, View>::first);
    return views;
}

// The shard, ready to be written to.
GangViews::Shard& GangViews::opened(std::size_t place) {
    if (!std::exchange(is_open_, true))
        table_ = table_ != nullptr ? std::make_shared<Table>(*table_) : std::make_shared<Table>();
    auto& shard = (*table_)[place];
    if (!open_shards_.test(place))
        shard = shard != nullptr ? std::make_shared<Shard>(*shard) : std::make_shared<Shard>();
    open_shards_.set(place);
    return *shard;
}

void GangViews::put(const std::string& name, GangView view) {
    opened(place_of(name))[name] = std::make_shared<const GangView>(std::move(view));
}

void GangViews::erase(std::string_view name) {
    const auto* known = shard_of(name);
    if (known == nullptr || !known->contains(name))
        return;
    auto& shard = opened(place_of(name));
    shard.erase(shard.find(name));
}

GangViews GangViews::shared() {
    is_open_ = false;
    open_shards_.reset();
    return *this;
}

}  // namespace echelon::engine
