#pragma once

// The one thread that owns the engine: a queue of inputs in, a picture and actions out. Long searches, which the engine
// asks for, run on a second one.
//
// The picture is published before the actions of the same step are carried out, so that whatever they wake up already
// reads it. Thread-safe, but for `start` and `stop`.

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

    EngineLoop(engine::Options options, ActionSink carry);
    ~EngineLoop();

    // Is told each batch with its time and what came of it; on the engine's thread, must not block. Before `start`.
    using Record = std::function<void(engine::Time, std::vector<engine::Input>, std::vector<engine::Action>)>;
    void record_to(Record record) { record_ = std::move(record); }
    void start();
    // Ends the thread; inputs still in the queue are dropped.
    void stop();

    // Queues an input. Blocks only while the queue is full of watch events (backpressure on the watchers).
    void push(engine::Input input);

    // Has the engine's thread look at the engine between two batches; forgotten when the loop ends first.
    using ReadTask = std::function<void(const engine::Engine&)>;
    void ask(ReadTask question);

    [[nodiscard]] std::shared_ptr<const engine::Picture> picture() const;
    // How long ago the thread was last seen working; it beats at least once a second.
    [[nodiscard]] std::chrono::milliseconds time_since_last_batch() const;
    [[nodiscard]] static engine::Time now();
    // Draining has begun and nothing is unfinished any more.
    [[nodiscard]] bool is_drained() const { return drained_; }

private:
    void run(const std::stop_token& stop);
    void work(std::span<engine::Input> inputs);

    engine::Engine engine_;  // Touched by the engine's thread only.
    ActionSink action_sink_;
    Record record_;  // Empty: nobody records.

    mutable std::mutex queue_mutex_;
    std::condition_variable_any has_input_;
    std::condition_variable_any has_room_;
    std::deque<engine::Input> queue_;   // Guarded by queue_mutex_.
    std::vector<engine::Input> leads_;  // The same; comes before the queue.
    std::vector<ReadTask> read_tasks_;  // Guarded by queue_mutex_.

    mutable std::mutex picture_mutex_;
    std::shared_ptr<const engine::Picture> picture_;  // Guarded by picture_mutex_.

    std::atomic<std::int64_t> last_batch_at_{0};
    std::atomic<bool> drained_{false};
    std::optional<SearchThread> searches_;  // While the thread of the engine runs.
    std::jthread thread_;                   // Last: it uses everything above.
};

}  // namespace echelon::app
