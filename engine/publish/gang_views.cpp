#include "engine/publish/gang_views.hpp"

namespace echelon::engine {

GangViews::View GangViews::find(std::string_view name) const {
    const auto* entry = table_.find(name);
    return entry != nullptr ? entry->second : nullptr;
}

std::vector<std::pair<std::string, GangViews::View>> GangViews::sorted() const {
    std::vector<std::pair<std::string, View>> views;
    views.reserve(table_.size());
    table_.for_each([&views](const auto& entry) { views.push_back(entry); });
    return views;
}

void GangViews::put(const std::string& name, GangView view) {
    table_.put({name, std::make_shared<const GangView>(std::move(view))});
}

}  // namespace echelon::engine
