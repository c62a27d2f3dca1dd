#pragma once

// What do filter, prioritize and preempt answer? filter and prioritize read the published state alone, and never wait.
// preempt also asks the engine, which may be in the middle of a step. None of them plans.
//
// Every body gets an answer of the verb's type with status 200, since kube-scheduler ignores the body of any other
// status. What filter answers depends on the arguments and the published state alone (R4). As thread-safe as the
// backend.

#include "engine/publish/published_state.hpp"
#include "server/extender/extender.hpp"
#include "server/extender/extender_args.hpp"
#include "server/extender/metrics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

// The body of an answer, and its result in metrics.
struct VerbAnswer {
    std::string body;
    CallResult result = CallResult::ok;
    int status = 200;
    std::string pod = {};  // "namespace/name" of the pod; empty: not read.
};

class Verbs {
public:
    // `backend` must outlive this.
    explicit Verbs(const Backend& backend) : backend_(backend) {}

    [[nodiscard]] VerbAnswer filter(std::string_view body) const;
    [[nodiscard]] VerbAnswer prioritize(std::string_view body) const;
    [[nodiscard]] VerbAnswer preempt(std::string_view body) const;

private:
    [[nodiscard]] VerbAnswer decide(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] VerbAnswer filter_ours(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] VerbAnswer pin_to_plan(const FilterArgs& args, const engine::Verdict& verdict) const;
    [[nodiscard]] VerbAnswer refuse(const FilterArgs& args, std::string_view text) const;
    [[nodiscard]] VerbAnswer pass(const FilterArgs& args, bool is_exempt = false) const;
    // For a plain pod: all nodes with room besides promised room (PR1).
    [[nodiscard]] VerbAnswer offer(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] VerbAnswer leave_out(const FilterArgs& args, const std::vector<std::string_view>& names) const;
    // The body of prioritize.
    [[nodiscard]] std::string scored(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] bool belongs_to_gang(const PodFacts& pod, const engine::PublishedState& published) const;
    void report_filtered(const FilterArgs& args, engine::Filtered::Answer answer, std::string_view node,
                         bool is_exempt = false) const;

    const Backend& backend_;
};

// True if this echelon needs a lead and has none. A caller that asks about our pods gets an Error, and connects anew.
[[nodiscard]] bool has_lost_lead(const Backend& backend);
inline constexpr std::string_view lead_is_lost = "this echelon no longer leads";

// `{"Error":"echelon: SENTENCE"}`: the body of an error of echelon in filter and bind.
[[nodiscard]] std::string error_body(std::string_view sentence);
// "cache not synced: pods, nodes".
[[nodiscard]] std::string not_synced(const engine::PublishedState& published);

}  // namespace echelon::server
