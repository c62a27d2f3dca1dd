#include "engine/publish/gang_views.hpp"

#include "engine/publish/name_hash.hpp"

#include <algorithm>

namespace echelon::engine {

namespace {

auto is(std::string_view name) {
    return [name](const auto& entry) { return entry.first == name; };
}

}  // namespace

GangViews::View GangViews::find(std::string_view name) const {
    const auto* entry = table_.find(name_hash(name), is(name));
    return entry != nullptr ? entry->second : nullptr;
}

std::vector<std::pair<std::string, GangViews::View>> GangViews::sorted() const {
    std::vector<Entry> views;
    views.reserve(table_.size());
    table_.for_each([&views](const Entry& entry) { views.push_back(entry); });
    std::ranges::sort(views, {}, &Entry::first);
    return views;
}

void GangViews::put(const std::string& name, GangView view) {
    table_.put(name_hash(name), is(name), {name, std::make_shared<const GangView>(std::move(view))});
}

void GangViews::erase(std::string_view name) {
    table_.erase(name_hash(name), is(name));
}

}  // namespace echelon::engine
