#pragma once

// Why is a gang of the running service where it is? Evidence from the engine's thread, explained on a thread of its
// own.
//
// Whoever decides is held up by copying a snapshot and a list of pods, never by the explaining. Thread-safe.

#include "app/engine_loop.hpp"
#include "base/result.hpp"
#include "engine/publish/evidence.hpp"
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

// The tree and its text. Pure.
[[nodiscard]] server::Explained explained(const engine::ExplainSnapshot& evidence, bool has_colour);

// What a look shows that the engine doesn't know.
struct Beside {
    bool leads = false;
    std::vector<std::string> unreadable;       // A sentence for each object that can't be read.
    std::vector<std::string> not_served = {};  // And for what the API server lacks for Kubernetes' own groups.
};

class Explainer {
public:
    // Requires: `loop` outlives it.
    explicit Explainer(EngineLoop& loop);
    ~Explainer();  // Whoever still waits gets no reply.
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    // Queues a question. A sentence when too many wait already; then `reply` is never called.
    [[nodiscard]] base::Result<void> ask(const model::GroupKey& root, bool has_colour,
                                         server::Backend::ExplainReply reply);
    // The same for what people look at: "status", "topology", "holds" or "snapshot".
    [[nodiscard]] base::Result<void> look(const server::Backend::Look& look, Beside beside,
                                          server::Backend::StateReply reply);

private:
    using Task = std::function<void(const std::stop_token& stop)>;

    void run(const std::stop_token& stop);
    [[nodiscard]] base::Result<void> queue(Task task);
    [[nodiscard]] base::Result<server::Explained> answer(const model::GroupKey& root, bool has_colour,
                                                         const std::stop_token& stop);
    [[nodiscard]] base::Result<std::string> shown(const server::Backend::Look& look, const Beside& beside,
                                                  const std::stop_token& stop);

    EngineLoop& loop_;
    std::mutex mutex_;
    std::condition_variable_any has_asked_;
    std::deque<Task> asked_;  // Guarded by mutex_.
    std::jthread thread_;     // Last: it uses everything above.
};

}  // namespace echelon::app
