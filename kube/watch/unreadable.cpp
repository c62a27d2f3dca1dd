#include "kube/watch/unreadable.hpp"

#include <algorithm>
#include <utility>

namespace echelon::kube {

bool UnreadableList::note(UnreadableObject object) {
    // Objects without a name are distinguished by their sentence.
    const auto is_same = [&](const UnreadableObject& entry) {
        return entry.name == object.name && (!object.name.empty() || entry.sentence == object.sentence);
    };
    const auto found = std::ranges::find_if(entries_, is_same);
    const bool is_known = found != entries_.end() && found->version == object.version &&
                          found->sentence == object.sentence && !object.name.empty();
    if (is_known)
        return false;
    if (found != entries_.end())
        entries_.erase(found);
    if (entries_.size() == most_unreadable)
        entries_.erase(entries_.begin());
    entries_.push_back(std::move(object));
    return true;
}

void UnreadableList::remove(std::string_view name) {
    std::erase_if(entries_, [&](const UnreadableObject& entry) { return entry.name == name; });
}

std::vector<std::string> newest_unreadable(std::span<const std::vector<UnreadableObject>> lists) {
    std::vector<UnreadableObject> all;
    for (const auto& list : lists)
        all.insert(all.end(), list.begin(), list.end());
    std::ranges::stable_sort(all, std::ranges::greater{}, &UnreadableObject::since);
    all.resize(std::min(all.size(), most_unreadable));
    std::vector<std::string> sentences;
    for (UnreadableObject& each : all)
        sentences.push_back(std::move(each.sentence));
    return sentences;
}

}  // namespace echelon::kube
