#include "model/cluster/named_pods.hpp"

#include <utility>

namespace echelon::model {

const GroupKey* NamedPods::leaf_of(const std::string& pod) const {
    const auto named = leaves_of_.find(pod);
    return named == leaves_of_.end() ? nullptr : &*named->second.begin();
}

std::set<std::string> NamedPods::assign(const GroupKey& group, Leaves now) {
    std::set<std::string> touched;
    const auto known = of_group_.find(group);
    if (known == of_group_.end() && now.empty())
        return touched;
    const auto before = known == of_group_.end() ? Leaves{} : std::move(known->second);
    for (const auto& [pod, leaf] : before) {
        if (const auto here = now.find(pod); here != now.end() && here->second == leaf)
            continue;
        touched.insert(pod);
        const auto leaves = leaves_of_.find(pod);
        leaves->second.erase(leaf);
        if (leaves->second.empty())
            leaves_of_.erase(leaves);
    }
    for (const auto& [pod, leaf] : now) {
        if (leaves_of_[pod].insert(leaf).second)
            touched.insert(pod);
    }
    if (now.empty()) {
        of_group_.erase(group);
    } else {
        of_group_.insert_or_assign(group, std::move(now));
    }
    return touched;
}

}  // namespace echelon::model
