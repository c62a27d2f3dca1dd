#pragma once

// Where would gangs of new manifests go, beside all running pods? One question at a time, on a separate thread (Z40).
//
// The engine's thread only copies its facts and promises. Here they and the manifests become a cluster, and gangs are
// decided as by `echelon plan`. Nothing is held, nothing is written. Thread-safe.

#include "app/engine_loop.hpp"
#include "base/result.hpp"
#include "engine/running_state.hpp"
#include "kube/manifests.hpp"
#include "kube/reading.hpp"
#include "server/extender/extender.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace echelon::app {

// The most gangs that are planned for one question.
inline constexpr std::size_t most_planned_gangs = 256;

// Answers one question whose manifests were read. `first_profile`: the schedulerName of pods that name none. `is_over`:
// asked between gangs; true: the answer isn't needed any more. Pure, apart from the milliseconds of the report.
[[nodiscard]] server::Backend::PlanReply planned_beside(engine::RunningState state, kube::Manifests manifests,
                                                        const server::Backend::PlanCall& call,
                                                        const std::string& first_profile,
                                                        const std::function<bool()>& is_over);

// Why nothing can be planned now; empty: it can.
[[nodiscard]] std::string why_no_plan(const engine::PublishedState& published, bool leads);

class LivePlans {
public:
    using Reply = std::function<void(server::Backend::PlanReply)>;
    struct Sources {
        std::function<kube::Reading()> reading;      // How manifests are read now.
        std::function<std::string()> why_not;        // Why nothing can be planned now; empty: it can.
        std::function<std::string()> first_profile;  // Its schedulerName now; empty: there is no profile.
    };

    // Requires: `loop` outlives it.
    LivePlans(EngineLoop& loop, Sources sources);
    ~LivePlans() { end(); }
    LivePlans(const LivePlans&) = delete;
    LivePlans& operator=(const LivePlans&) = delete;

    // Stops the thread. A question that still waits gets no reply, and later ones get 503. To be called by one thread.
    void end();

    // Replies at once if it can't be planned now (503) or another one is being planned (429).
    void ask(server::Backend::PlanCall call, const Reply& reply);

private:
    struct Question {
        server::Backend::PlanCall call;
        Reply reply;
    };
    void run(const std::stop_token& stop);
    // Why a question isn't taken; nullopt: it was taken.
    [[nodiscard]] std::optional<server::Backend::PlanReply> take(server::Backend::PlanCall call, const Reply& reply);
    [[nodiscard]] server::Backend::PlanReply answer(server::Backend::PlanCall call, const std::stop_token& stop);

    EngineLoop& loop_;
    const Sources sources_;
    std::mutex mutex_;
    std::condition_variable_any has_question_;
    std::optional<Question> question_;  // Guarded by mutex_.
    bool is_busy_ = false;              // Guarded by mutex_: from the question to its reply.
    bool is_ended_ = false;             // Guarded by mutex_.
    std::jthread thread_;               // Last: it uses everything above.
};

}  // namespace echelon::app
