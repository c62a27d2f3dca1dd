#pragma once

// Why is a gang of the running service where it is? The engine's thread makes an explain snapshot, and a separate
// thread explains it.
//
// The engine is held up only for as long as it copies a snapshot and a list of pods. Thread-safe.

#include "app/engine_loop.hpp"
#include "base/result.hpp"
#include "engine/publish/explain_snapshot.hpp"
#include "model/facts/group.hpp"
#include "server/extender/extender.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace echelon::app {

// The explanation as a tree and as text. Pure.
[[nodiscard]] server::Explained explained(const engine::ExplainSnapshot& input, bool has_colour);

// What a view shows beside the engine's state.
struct ServiceFacts {
    bool leads = false;
    std::vector<std::string> unreadable;       // A sentence for each object that can't be read.
    std::vector<std::string> not_served = {};  // What the API server lacks for Kubernetes' own groups, likewise.
};

class Explainer {
public:
    // Requires: `loop` outlives it.
    explicit Explainer(EngineLoop& loop);
    ~Explainer() { end(); }
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    // Stops the thread. Calls that still wait get no reply, and later ones get an error. To be called by one thread.
    void end();

    // Queues a question. An error if too many wait already, or after `end`; `reply` is then never called.
    [[nodiscard]] base::Result<void> ask(const model::GroupKey& root, bool has_colour,
                                         server::Backend::ExplainReply reply);
    // The same for a view: "status", "topology", "holds" or "snapshot".
    [[nodiscard]] base::Result<void> view(const server::Backend::StateQuery& query, ServiceFacts service,
                                          server::Backend::StateReply reply);

private:
    using Task = std::function<void(const std::stop_token& stop)>;

    void run(const std::stop_token& stop);
    [[nodiscard]] base::Result<void> queue(Task task);
    [[nodiscard]] base::Result<server::Explained> answer(const model::GroupKey& root, bool has_colour,
                                                         const std::stop_token& stop);
    [[nodiscard]] base::Result<std::string> shown(const server::Backend::StateQuery& query, const ServiceFacts& service,
                                                  const std::stop_token& stop);

    EngineLoop& loop_;
    std::mutex mutex_;
    std::condition_variable_any has_asked_;
    std::deque<Task> asked_;  // Guarded by mutex_.
    bool is_ended_ = false;   // Guarded by mutex_.
    std::jthread thread_;     // Last: it uses everything above.
};

}  // namespace echelon::app
