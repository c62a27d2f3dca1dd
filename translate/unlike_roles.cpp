#include "translate/unlike_roles.hpp"

#include "base/quoted.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::translate {

std::string unlike_roles_sentence(std::string_view a, std::string_view b) {
    const std::string groups = a == b ? fmt::format("group {}", base::quoted(a))
                                      : fmt::format("group {} and group {}", base::quoted(a), base::quoted(b));
    return fmt::format("pods of {} ask for different amounts: Koordinator may refuse the gang although it fits",
                       groups);
}

std::optional<std::string> MixedRoles::notice(const model::Pod& pod) {
    if (!pod.membership || pod.membership->leaf.kind != "grove-podgroup")
        return std::nullopt;
    if (pod.deleting || pod.is_finished()) {
        notice_gone(pod.uid);  // It no longer waits; its replacement may request other amounts.
        return std::nullopt;
    }
    const std::string& leaf = pod.membership->leaf.name;
    std::string name = leaf.substr(0, leaf.rfind('/'));
    if (const auto known = gang_of_.find(pod.uid); known != gang_of_.end() && known->second != name)
        notice_gone(pod.uid);
    Gang& gang = gangs_[name];
    if (gang_of_.try_emplace(pod.uid, name).second && gang.pods++ == 0) {
        gang.leaf = leaf;
        gang.requests = pod.pod_class.requests;
    }
    if (!gang.other.empty() || pod.pod_class.requests == gang.requests)
        return std::nullopt;
    gang.other = leaf;
    return name;
}

void MixedRoles::notice_gone(const std::string& uid) {
    const auto pod = gang_of_.find(uid);
    if (pod == gang_of_.end())
        return;
    if (const auto gang = gangs_.find(pod->second); gang != gangs_.end() && --gang->second.pods == 0)
        gangs_.erase(gang);
    gang_of_.erase(pod);
}

std::string MixedRoles::warning_of(const std::string& gang) const {
    const auto found = gangs_.find(gang);
    if (found == gangs_.end() || found->second.other.empty())
        return {};
    const auto [first, second] = std::minmax(found->second.leaf, found->second.other);
    return unlike_roles_sentence(first, second);
}

}  // namespace echelon::translate
