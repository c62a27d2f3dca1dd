#pragma once

// What does kube-scheduler ask? The arguments of its four callbacks, read in place from the body.
//
// Field names are taken in any casing, unknown fields and bytes behind the value are ignored, as Go does. Views point
// into the body, which must be followed by `body_padding` readable bytes. A body that can't be used is an Error whose
// sentence names the field. Thread-safe: each thread keeps a parser of its own.

#include "base/result.hpp"
#include "model/facts/write.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

// What is needed of a Pod; missing fields are empty.
struct PodFacts {
    std::string uid;
    std::string ns;
    std::string name;
    std::string scheduler_name;
    std::string_view json;  // The whole object, at most 64 levels deep; empty: there was none.
};

// ExtenderArgs.
struct FilterArgs {
    PodFacts pod;
    bool has_node_list = false;  // `Nodes` came: the entry lacks nodeCacheCapable.
    // The array of NodeNames as it came, without escapes; "[]" for null. Strings only. `name_list_padding` bytes behind
    // it are readable if there are names.
    std::string_view names_json = "[]";
    std::uint32_t count = 0;  // Names in it.
    std::string_view first;   // The first name, in quotes; empty: none.

    std::string planned_node;  // The node that `Planned` named while the names were read; empty: none.
    bool is_planned_node_offered = false;
    std::unique_ptr<const std::string> rewritten;  // What the views point into when names were escaped needlessly.

    [[nodiscard]] bool offers(std::string_view node) const;
};

// Victims of one node in a preemption; all that the answer needs.
struct Victims {
    std::string node;
    std::vector<std::string> uids = {};
    std::int64_t pdb_violations = 0;
};

// ExtenderPreemptionArgs. Both forms of victims end up here; the meta form wins where a node is in both.
struct PreemptArgs {
    PodFacts pod;
    std::vector<Victims> candidates;  // In the order they came.
};

struct BindArgs {
    model::PodRef pod;
    std::string node;
};

// The planned node of a pod; empty: none. Asked at most once, so that offers() of it costs no second pass.
using Planned = std::function<std::string(const PodFacts&)>;

[[nodiscard]] base::Result<FilterArgs> parse_filter_args(std::string_view body, const Planned& planned = {});
[[nodiscard]] base::Result<PreemptArgs> parse_preempt_args(std::string_view body);
[[nodiscard]] base::Result<BindArgs> parse_bind_args(std::string_view body);

}  // namespace echelon::server
