#pragma once

// What filter, prioritize and preempt answer: a look into the published state, never a wait, never a solve.
//
// Every body gets an answer in its verb's shape with status 200 (kube-scheduler shows nothing of any other status).
// The answers depend on the arguments and the published state alone (R4). Thread-safe as far as the doors are.

#include "engine/publish/published_state.hpp"
#include "server/extender/extender.hpp"
#include "server/extender/extender_args.hpp"
#include "server/extender/metrics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

// The body of an answer, and how the call counts.
struct Spoken {
    std::string body;
    CallResult result = CallResult::ok;
    int status = 200;
    std::string pod = {};  // "namespace/name" of the pod that it was about; empty: not read.
};

class Verbs {
public:
    // `doors` must outlive this.
    explicit Verbs(const Backend& doors) : doors_(doors) {}

    [[nodiscard]] Spoken filter(std::string_view body) const;
    [[nodiscard]] Spoken prioritize(std::string_view body) const;
    [[nodiscard]] Spoken preempt(std::string_view body) const;

private:
    [[nodiscard]] Spoken judge(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] Spoken filter_ours(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] Spoken pin(const FilterArgs& args, const engine::Verdict& verdict) const;
    [[nodiscard]] Spoken refuse(const FilterArgs& args, std::string_view text) const;
    [[nodiscard]] Spoken pass(const FilterArgs& args, bool is_exempt = false) const;
    // A pod of no gang: all names that have room beside what is promised (PR1).
    [[nodiscard]] Spoken offer(const FilterArgs& args, const engine::PublishedState& published) const;
    // Names on which something is promised, with what that is.
    struct Promised {
        std::string_view name;
        const engine::PromisedRoom* room = nullptr;
    };
    [[nodiscard]] std::vector<Promised> promised_among(const FilterArgs& args, const engine::Promises& promises,
                                                       engine::Protection protection) const;
    [[nodiscard]] Spoken leave_out(const FilterArgs& args, const std::vector<std::string_view>& names) const;
    // The body of prioritize.
    [[nodiscard]] std::string scored(const FilterArgs& args, const engine::PublishedState& published) const;
    [[nodiscard]] bool belongs_to_gang(const PodFacts& pod, const engine::PublishedState& published) const;
    void tell(const FilterArgs& args, engine::Filtered::Answer answer, std::string_view node,
              bool is_exempt = false) const;

    const Backend& doors_;
};

// Another echelon leads by now: a caller that asks about our pods gets an Error, and connects to the other one.
[[nodiscard]] bool has_lost_lead(const Backend& doors);
inline constexpr std::string_view lead_is_lost = "this echelon no longer leads";

// `{"Error":"echelon: SENTENCE"}`: the shape of an own fault for filter and bind.
[[nodiscard]] std::string error_body(std::string_view sentence);
// "cache not synced: pods, nodes".
[[nodiscard]] std::string not_synced(const engine::PublishedState& published);

}  // namespace echelon::server
