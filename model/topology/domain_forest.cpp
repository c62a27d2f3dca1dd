#include "model/topology/domain_forest.hpp"

#include "model/topology/domain_graph.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

bool has_pattern(const DomainMember& member) {
    return !member.pattern.text.empty() && member.problem.empty();
}

}  // namespace

bool DomainForest::see(const DeclaredDomain& domain) {
    const auto known = domains_.find(domain.name);
    if (known != domains_.end() && known->second == domain)
        return false;
    forget(domain.name);
    for (const auto& member : domain.members) {
        for (const auto& requirement : member.labels.labels) {
            ++labels_read_[requirement.key];
        }
        if (has_pattern(member))
            ++patterns_.try_emplace(member.pattern.text, PatternUse{member.pattern, 0}).first->second.members;
    }
    domains_.emplace(domain.name, domain);
    return true;
}

bool DomainForest::forget(std::string_view name) {
    const auto known = domains_.find(name);
    if (known == domains_.end())
        return false;
    for (const auto& member : known->second.members) {
        for (const auto& requirement : member.labels.labels) {
            if (const auto read = labels_read_.find(requirement.key); --read->second == 0)
                labels_read_.erase(read);
        }
        if (!has_pattern(member))
            continue;
        if (const auto pattern = patterns_.find(member.pattern.text); --pattern->second.members == 0)
            patterns_.erase(pattern);
    }
    domains_.erase(known);
    return true;
}

bool DomainForest::reads(std::string_view label) const {
    return labels_read_.contains(label);
}

// Updates the cache: each pattern is applied to each name once.
void DomainForest::cached_resolution(std::span<const NodeView> nodes) {
    if (memory_.judged.size() > 2 * nodes.size() + 64)
        memory_ = {};  // Most of it belongs to nodes that are gone.
    std::erase_if(memory_.names_of, [&](const auto& known) { return !patterns_.contains(known.first); });
    std::vector<std::string_view> unjudged;
    for (const auto& node : nodes) {
        if (!patterns_.empty() && !memory_.judged.contains(node.name()))
            unjudged.push_back(node.name());
    }
    for (const auto& [text, use] : patterns_) {
        const auto [known, is_new] = memory_.names_of.try_emplace(text);
        auto& names = known->second;
        const auto judge = [&names, &matches = use.pattern.matches](std::string_view name) {
            if (matches(name))
                names.emplace_back(name);
        };
        if (is_new) {
            std::ranges::for_each(memory_.judged, judge);
        }
        std::ranges::for_each(unjudged, judge);
        std::ranges::sort(names);
    }
    memory_.judged.insert(unjudged.begin(), unjudged.end());
}

DeclaredTrees DomainForest::resolve(std::span<const NodeView> nodes) {
    cached_resolution(nodes);
    DomainGraph graph(domains_, memory_.names_of, nodes);
    return graph.trees();
}

}  // namespace echelon::model
