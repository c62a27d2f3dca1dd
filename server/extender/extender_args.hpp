#pragma once

// What are the arguments of kube-scheduler's four callbacks? They are read in place from the body.
//
// As in Go, field names match in any case, and unknown fields are ignored. Views point into
// the body, which must be followed by `body_padding` readable bytes. For an invalid body the Error names the field.
// Thread-safe: each thread has its own parser.

#include "base/result.hpp"
#include "model/facts/write.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

// The fields of a Pod that are needed; missing ones are empty.
struct PodFacts {
    std::string uid;
    std::string ns;
    std::string name;
    std::string scheduler_name;
    std::string_view json;  // The whole object, at most 64 levels deep; empty: no pod was sent.
};

// ExtenderArgs.
struct FilterArgs {
    PodFacts pod;
    bool has_node_list = false;  // `Nodes` was sent: the extender's configuration lacks nodeCacheCapable.
    // The JSON array of NodeNames, strings without escapes; "[]" for null. If there are names, `name_list_padding`
    // bytes after it are readable.
    std::string_view names_json = "[]";
    std::uint32_t count = 0;  // Names in it.
    std::string_view first;   // The first name, in quotes; empty: none.

    std::string planned_node;  // The node that `Planned` returned; empty: none.
    bool is_planned_node_offered = false;
    std::unique_ptr<const std::string> rewritten;  // Set if names had escapes; the views then point into it.

    [[nodiscard]] bool offers(std::string_view node) const;
};

// The victims on one node in a preemption, as far as the answer needs them.
struct Victims {
    std::string node;
    std::vector<std::string> uids = {};
    std::int64_t pdb_violations = 0;
};

// ExtenderPreemptionArgs. Victims come in two forms; for a node in both, NodeNameToMetaVictims wins.
struct PreemptArgs {
    PodFacts pod;
    std::vector<Victims> candidates;  // In the order of the body.
};

struct BindArgs {
    model::PodRef pod;
    std::string node;
};

// Returns the planned node of a pod; empty: none. Called at most once, before the names are read, so that offers()
// needs no second pass.
using Planned = std::function<std::string(const PodFacts&)>;

[[nodiscard]] base::Result<FilterArgs> parse_filter_args(std::string_view body, const Planned& planned = {});
[[nodiscard]] base::Result<PreemptArgs> parse_preempt_args(std::string_view body);
[[nodiscard]] base::Result<BindArgs> parse_bind_args(std::string_view body);

}  // namespace echelon::server
