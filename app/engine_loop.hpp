#pragma once

// How does the engine run? One thread owns it: inputs come from a queue, and a published state and actions come out.
// Long searches that the engine asks for run on a second thread.
//
// The published state is replaced before the actions of the same step are carried out. A pod that an action wakes
// already meets the new state. Thread-safe, except for `start` and `stop`.

#include "app/search_thread.hpp"
#include "engine/engine.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace echelon::app {

class EngineLoop {
public:
    using ActionSink = std::function<void(engine::Action)>;  // Called on the engine's thread; must not block.

    EngineLoop(engine::Options options, ActionSink action_sink);
    ~EngineLoop();

    // Receives each batch with its time and actions; on the engine's thread, must not block. To be set before `start`.
    using Record = std::function<void(engine::Time, std::vector<engine::Input>, std::vector<engine::Action>)>;
    void record_to(Record record) { record_ = std::move(record); }
    void start();
    // Ends the thread; inputs still in the queue are dropped.
    void stop();

    // Queues an input. Blocks only while the queue is full of watch events (backpressure on the watchers).
    void push(engine::Input input);

    // Runs a task on the engine's thread between two batches, or at the end. False: the loop has ended.
    using ReadTask = std::function<void(const engine::Engine&)>;
    [[nodiscard]] bool ask(ReadTask task);

    [[nodiscard]] std::shared_ptr<const engine::PublishedState> published() const;
    // How long ago the thread was last active; normally at most a second.
    [[nodiscard]] std::chrono::milliseconds time_since_last_batch() const;
    [[nodiscard]] static engine::Time now();
    // True if draining has begun and nothing is unfinished.
    [[nodiscard]] bool is_drained() const { return drained_; }

private:
    struct Batch {
        std::vector<engine::Input> inputs;
        std::vector<ReadTask> tasks;
    };

    void run();
    [[nodiscard]] bool take(std::optional<engine::Time> wake, Batch& batch);
    void work(std::span<engine::Input> inputs);

    engine::Engine engine_;  // Used by the engine's thread alone.
    ActionSink action_sink_;
    Record record_;  // Empty: no recording.

    mutable std::mutex queue_mutex_;
    std::condition_variable has_input_;
    std::condition_variable has_room_;
    bool is_stopping_ = false;                 // Guarded by queue_mutex_.
    std::deque<engine::Input> queue_;          // Guarded by queue_mutex_.
    std::vector<engine::Input> lead_changes_;  // Guarded by queue_mutex_; handled before the queue.
    std::vector<ReadTask> read_tasks_;         // Guarded by queue_mutex_.

    mutable std::mutex published_mutex_;
    std::shared_ptr<const engine::PublishedState> published_;  // Guarded by published_mutex_.

    std::atomic<std::int64_t> last_batch_at_{0};
    std::atomic<bool> drained_{false};
    std::optional<SearchThread> searches_;  // Present while the engine's thread runs.
    std::jthread thread_;                   // Last: it uses everything above.
};

}  // namespace echelon::app
