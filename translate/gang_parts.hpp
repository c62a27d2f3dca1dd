#pragma once

// What do all translations ask of a gang? Names of its parts, and what most dialects have no field for.
//
// Pure.

#include "model/gang/gang_facts.hpp"
#include "translate/translation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::translate {

// The one namespace of all groups and pods; empty: there are several.
[[nodiscard]] std::string namespace_of(const model::GangFacts& facts);
// What the gang is called, without its namespace; parts joined by "-".
[[nodiscard]] std::string gang_name(const model::GangFacts& facts);
// What a group is called below its parent.
[[nodiscard]] std::string part_name(const model::GangFacts& facts, const model::GroupFacts& group);
// The same below the root, joined by "-"; of the root the gang's name.
[[nodiscard]] std::string path_name(const model::GangFacts& facts, const model::GroupFacts& group);

[[nodiscard]] std::vector<const model::GroupFacts*> leaves_of(const model::GangFacts& facts);
// Pods that no part counts: a leaf that no object declares and that needs nobody.
[[nodiscard]] bool is_rest(const model::GroupFacts& group);
[[nodiscard]] bool needs_all(const model::GroupFacts& composite);
[[nodiscard]] bool has_levels(const model::GroupFacts& group);
// Fewest pods with which the group is satisfied.
[[nodiscard]] std::int64_t fewest_pods(const model::GangFacts& facts, const model::GroupFacts& group);
// Alike in everything that a dialect may say of a leaf.
[[nodiscard]] bool are_alike(const model::GroupFacts& a, const model::GroupFacts& b);

// `group "ns/a/b"`.
[[nodiscard]] std::string titled(const model::GroupFacts& group);

// What a target has fields for, beside minimums and levels.
struct TargetFeatures {
    bool priority_class = false;
    bool priority_number = false;  // Beside a class.
    bool preemption = false;
    bool disruption = false;
    bool protection = false;  // From every eviction.
    bool expected = false;
    bool late_members = false;
    bool ranks = false;
    bool timeout = false;
    bool only_waiting = false;  // Members that run don't count.
};
// Refuses a gang that makes no sense or isn't known whole, and says what is lost of it by what the target lacks.
void judge(const model::GangFacts& facts, const TargetFeatures& can, Translation& out);

// For a dialect that counts each group alone: a group that needs more pods in all is refused.
void judge_floor(const model::GangFacts& facts, const model::GroupFacts& group, std::string_view dialect,
                 Translation& out);
// For one that has no limits and no pairs for each domain: a group with any is refused.
void judge_domain_rules(const model::GroupFacts& group, std::string_view dialect, Translation& out);
// For one that has none of these and no multiples, and one required level for each group: others are refused.
void judge_required(const model::GroupFacts& group, std::string_view dialect, Translation& out);
// For one that has one preferred level for each group: further ones are lost.
void judge_preferred(const model::GroupFacts& group, std::string_view dialect, Translation& out);
// For one without pods beside the groups (`is_rest`).
void judge_rest(const model::GroupFacts& group, Translation& out);

// The first refusal stays.
void refuse(Translation& out, std::string sentence);
[[nodiscard]] nlohmann::json metadata_of(const std::string& ns, const std::string& name);
// The PodGroup of the whole gang, in an API that has one for it.
[[nodiscard]] nlohmann::json whole_pod_group(const model::GangFacts& facts, std::string_view api_version,
                                             const std::string& name, nlohmann::json spec);

}  // namespace echelon::translate
