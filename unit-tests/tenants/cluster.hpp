#pragma once

// What happens to tenants in one cluster? Objects go through the decoders into an engine, and a fake API server carries
// out its writes.
//
// Time passes only in `run`. Not thread-safe.

#include "engine/engine.hpp"
#include "kube/decode.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::tenants {

class Cluster {
public:
    Cluster();

    // One object as it is received. Unreadable objects are skipped, as by the watch.
    void see(std::string_view text, kube::Change change = kube::Change::seen);
    void see(const nlohmann::json& object) { see(std::string_view(object.dump())); }
    // Every resource has been listed.
    void listed();
    // Lets time pass; ends early once nothing is due.
    void run(engine::Time time);

    // What filter answers for a pod: "pinned NODE", "refused SENTENCE", or "passed".
    [[nodiscard]] std::string filter(const std::string& uid);
    // kube-scheduler binds the pod where `filter` pinned it, or to `node`. The answer comes while time passes.
    void bind(const model::PodRef& pod, const std::string& node);
    // Pod -> the error of the bind call; "" for success.
    [[nodiscard]] const std::map<std::string, std::string>& answers() const { return answers_; }
    // Where the API server has pods, by "namespace/name".
    [[nodiscard]] const std::map<std::string, std::string>& bound() const { return bound_; }

    // The longest text that was written into a GangPlan, an event or an answer.
    [[nodiscard]] std::size_t longest_text() const { return longest_text_; }
    // Most allocations that one step made, since the last call.
    [[nodiscard]] std::int64_t heaviest_step();
    // What the record of a gang says, for messages of tests.
    [[nodiscard]] std::string record_of(const std::string& name) const;

private:
    void queue(const model::Event& event) { inputs_.emplace_back(engine::Observed{event}); }
    void step(const std::vector<engine::Input>& inputs);
    void take(const engine::Action& action);
    model::Outcome carry_out(const model::Write& write);
    void note_text(std::string_view text) { longest_text_ = std::max(longest_text_, text.size()); }

    engine::Engine engine_;
    engine::Time now_{1'000};
    std::vector<engine::Input> inputs_;
    std::map<std::uint64_t, std::string> calls_;     // Pods that wait for an answer.
    std::map<std::string, nlohmann::json> objects_;  // By kind and "namespace/name", as they were seen last.
    std::map<std::string, std::string> bound_;
    std::map<std::string, std::string> answers_;
    std::map<std::string, std::string> records_;
    std::size_t longest_text_ = 0;
    std::int64_t heaviest_ = 0;
    std::uint64_t last_call_ = 0;
};

}  // namespace echelon::tenants
