#include "translate/pod_group_diff.hpp"

#include "model/gang/forest.hpp"
#include "model/gang/gang_facts.hpp"
#include "translate/targets.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace echelon::translate {

namespace {

using nlohmann::json;

// Annotations that echelon writes in some cases only, and otherwise removes.
constexpr std::array passing_annotations = {"gang.scheduling.koordinator.sh/total-number",
                                            "gang.scheduling.koordinator.sh/network-topology-spec"};

// The value at a path; nullptr: there is none.
json value_at(const json& object, std::initializer_list<const char*> path) {
    const json* here = &object;
    for (const char* key : path) {
        if (!here->is_object() || !here->contains(key))
            return {};
        here = &(*here)[key];
    }
    return *here;
}

// The parts of `wanted` that differ from `existing`, key by key.
json differences(const json& existing, const json& wanted) {
    json changed = json::object();
    for (const auto& [key, value] : wanted.items()) {
        if (value_at(existing, {key.c_str()}) != value)
            changed[key] = value;
    }
    return changed;
}

}  // namespace

Translation pod_groups_of(const model::GroupSet& pod_gang, const TranslationOptions& options,
                          const TranslationTarget& known) {
    static const model::PriorityClasses no_classes;
    model::GroupForest forest;
    for (const model::Group& group : pod_gang.groups)
        forest.see(group);
    model::GangFacts facts;
    facts.classes = &no_classes;
    for (model::Branch& branch : forest.tree(pod_gang.owner)) {
        const auto index = static_cast<std::uint32_t>(facts.groups.size());
        if (index > 0)
            facts.groups[branch.parent].children.push_back(index);
        facts.groups.emplace_back().branch = std::move(branch);
    }
    return to_koordinator(facts, options, known);
}

bool is_controlled_by(const json& object, std::string_view uid) {
    const json owners = value_at(object, {"metadata", "ownerReferences"});
    return owners.is_array() && std::ranges::any_of(owners, [&](const json& owner) {
               return value_at(owner, {"controller"}) == true && value_at(owner, {"uid"}) == uid;
           });
}

std::optional<json> pod_group_patch(const json& existing, const json& wanted) {
    json metadata = json::object();
    for (const char* key : {"labels", "annotations"}) {
        const json want = value_at(wanted, {"metadata", key});
        const json have = value_at(existing, {"metadata", key});
        json changed = want.is_object() ? differences(have, want) : json::object();
        for (const char* passing : passing_annotations) {
            if (std::string_view(key) == "annotations" && !want.contains(passing) && have.contains(passing))
                changed[passing] = nullptr;
        }
        if (!changed.empty())
            metadata[key] = std::move(changed);
    }
    json patch = json::object();
    if (json spec = differences(value_at(existing, {"spec"}), wanted["spec"]); !spec.empty())
        patch["spec"] = std::move(spec);
    if (patch.empty() && metadata.empty())
        return std::nullopt;
    for (const char* key : {"uid", "resourceVersion"}) {
        if (json value = value_at(existing, {"metadata", key}); !value.is_null())
            metadata[key] = std::move(value);
    }
    patch["metadata"] = std::move(metadata);
    return patch;
}

}  // namespace echelon::translate
