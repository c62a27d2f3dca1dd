#pragma once

// What do all translations need from a gang? Names of groups, and checks for what the target dialect can't express.
//
// Pure.

#include "model/gang/gang_facts.hpp"
#include "translate/translation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::translate {

// The namespace of all groups and pods; empty: there are several.
[[nodiscard]] std::string namespace_of(const model::GangFacts& facts);
// The name of the gang without its namespace; parts are joined by "-".
[[nodiscard]] std::string gang_name(const model::GangFacts& facts);
// The name of a group within its parent.
[[nodiscard]] std::string part_name(const model::GangFacts& facts, const model::GroupFacts& group);
// The name of a group within the root, parts joined by "-"; for the root the gang's name.
[[nodiscard]] std::string path_name(const model::GangFacts& facts, const model::GroupFacts& group);

[[nodiscard]] std::vector<const model::GroupFacts*> leaves_of(const model::GangFacts& facts);
// True for the leaf of extras outside all declared groups: no object declares it, and its minimum is 0.
[[nodiscard]] bool is_rest(const model::GroupFacts& group);
[[nodiscard]] bool needs_all(const model::GroupFacts& composite);
// For a dialect that writes no group for `is_rest`: the minimum counts that group as always satisfied.
[[nodiscard]] std::int64_t minimum_without_rest(const model::GangFacts& facts, const model::GroupFacts& group);
[[nodiscard]] bool has_levels(const model::GroupFacts& group);
// The smallest number of pods that satisfies the group.
[[nodiscard]] std::int64_t fewest_pods(const model::GangFacts& facts, const model::GroupFacts& group);
// True if the leaves are equal in everything that a dialect can state.
[[nodiscard]] bool are_alike(const model::GroupFacts& a, const model::GroupFacts& b);

// `group "ns/a/b"`.
[[nodiscard]] std::string titled(const model::GroupFacts& group);

// True if pods of the group are never evicted, as the gang's priority is now.
[[nodiscard]] bool is_protected(const model::GangFacts& facts, const model::GroupFacts& group);

// What the target dialect can express besides minimums and levels.
struct TargetFeatures {
    bool priority_class = false;
    bool priority_number = false;  // In addition to a class.
    bool preemption = false;
    bool disruption = false;
    bool protection = false;      // Of a whole gang from all evictions.
    bool pod_protection = false;  // Of single pods.
    bool expected = false;
    bool late_members = false;
    bool ranks = false;
    bool timeout = false;
    bool counts_only_waiting = false;  // Running members don't count.
};
// Refuses a gang that is Invalid or incomplete, and adds the losses that follow from `can`.
void check_gang(const model::GangFacts& facts, const TargetFeatures& can, Translation& out);

// For a dialect without floors: refuses a group that has one.
void check_floor(const model::GangFacts& facts, const model::GroupFacts& group, std::string_view dialect,
                 Translation& out);
// For a dialect without maxPerDomain and pairedTopology: refuses a group that has one.
void check_domain_rules(const model::GroupFacts& group, std::string_view dialect, Translation& out);
// For a dialect that also lacks multiples and has one required level per group: refuses other groups.
void check_required_levels(const model::GroupFacts& group, std::string_view dialect, Translation& out);
// For a dialect with one preferred level per group: further ones are losses.
void check_preferred_levels(const model::GroupFacts& group, std::string_view dialect, Translation& out);
// For a dialect without pods outside of the groups (`is_rest`).
void check_rest(const model::GroupFacts& group, Translation& out);

// Sets the refusal, unless there is one.
void refuse(Translation& out, std::string sentence);
[[nodiscard]] nlohmann::json metadata_of(const std::string& ns, const std::string& name);
// The PodGroup for the whole gang, in an API with one PodGroup per gang.
[[nodiscard]] nlohmann::json whole_pod_group(const model::GangFacts& facts, std::string_view api_version,
                                             const std::string& name, nlohmann::json spec);

}  // namespace echelon::translate
