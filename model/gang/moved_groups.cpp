#include "model/gang/moved_groups.hpp"

#include "model/gang/forest.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace echelon::model {

void MovedGroups::note(const GroupKey& key) {
    if (noted_.size() > most) {
        is_unknown_ = true;
    } else {
        noted_.push_back(key);
    }
}

std::optional<std::vector<GroupKey>> MovedGroups::take(const GroupForest& forest) {
    auto found = std::exchange(noted_, {});
    const bool is_unknown = std::exchange(is_unknown_, false);
    std::set<GroupKey> known;  // Groups may form a cycle.
    for (std::size_t at = 0; at < found.size() && found.size() <= 2 * most && known.size() <= most; ++at) {
        if (!known.insert(found[at]).second)
            continue;
        const auto& children = forest.children(found[at]);
        const auto rest = std::min(children.size(), most);
        found.insert(found.end(), children.begin(), std::next(children.begin(), static_cast<std::ptrdiff_t>(rest)));
    }
    if (is_unknown || found.size() > 2 * most || known.size() > most)
        return std::nullopt;
    return std::vector<GroupKey>(known.begin(), known.end());
}

}  // namespace echelon::model
