#include "app/engine_loop.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <pthread.h>

namespace echelon::app {

namespace {

constexpr std::size_t queue_limit = 100'000;  // Beyond it watchers block, and events wait in their sockets.
constexpr std::size_t batch_limit = 512;      // Inputs that are decided together.
constexpr auto longest_sleep = std::chrono::seconds(1);

bool is_watch_event(const engine::Input& input) {
    return std::holds_alternative<engine::Observed>(input);
}

}  // namespace

EngineLoop::EngineLoop(engine::Options options, ActionSink action_sink)
    : engine_(std::move(options)),
      action_sink_(std::move(action_sink)),
      published_(engine_.published()),
      last_batch_at_(now().count()) {}

EngineLoop::~EngineLoop() {
    stop();
}

void EngineLoop::start() {
    searches_.emplace([this](std::uint64_t search) { push(engine::SearchEnded{search}); });
    thread_ = std::jthread([this] { run(); });
}

void EngineLoop::stop() {
    {
        const std::lock_guard lock(queue_mutex_);
        is_stopping_ = true;
    }
    has_input_.notify_all();
    has_room_.notify_all();
    if (thread_.joinable())
        thread_.join();
    searches_.reset();
    for (const auto& task : std::exchange(read_tasks_, {}))
        task(engine_);
}

void EngineLoop::push(engine::Input input) {
    std::unique_lock lock(queue_mutex_);
    if (is_watch_event(input)) {
        has_room_.wait(lock, [this] { return queue_.size() < queue_limit || is_stopping_; });
    }
    if (std::holds_alternative<engine::LeadChanged>(input)) {
        lead_changes_.push_back(std::move(input));
    } else {
        queue_.push_back(std::move(input));
    }
    lock.unlock();
    has_input_.notify_one();
}

bool EngineLoop::ask(ReadTask task) {
    {
        const std::lock_guard lock(queue_mutex_);
        if (is_stopping_)
            return false;
        read_tasks_.push_back(std::move(task));
    }
    has_input_.notify_one();
    return true;
}

std::shared_ptr<const engine::PublishedState> EngineLoop::published() const {
    const std::lock_guard lock(published_mutex_);
    return published_;
}

std::chrono::milliseconds EngineLoop::time_since_last_batch() const {
    return now() - engine::Time(last_batch_at_.load());
}

engine::Time EngineLoop::now() {
    return std::chrono::duration_cast<engine::Time>(std::chrono::steady_clock::now().time_since_epoch());
}

void EngineLoop::run() {
    ::pthread_setname_np(::pthread_self(), "engine");
    Batch batch;
    for (;;) {
        last_batch_at_ = now().count();
        const auto wake = engine_.wakes_at();
        if (!take(wake, batch))
            return;
        if (!batch.inputs.empty())
            work(batch.inputs);
        batch.inputs.clear();
        if (wake && *wake <= now()) {
            engine::Input tick = engine::Ticked{};
            work(std::span(&tick, 1));
        }
        for (const auto& task : batch.tasks)
            task(engine_);
        batch.tasks.clear();
    }
}

// Waits for something to do, until `wake` at most. False: the loop is to end. Requires: `batch` is empty.
bool EngineLoop::take(std::optional<engine::Time> wake, Batch& batch) {
    {
        std::unique_lock lock(queue_mutex_);
        auto sleep = std::chrono::duration_cast<std::chrono::milliseconds>(longest_sleep);
        if (wake)
            sleep = std::clamp(*wake - now(), engine::Time{0}, sleep);
        has_input_.wait_for(lock, sleep, [this] {
            return is_stopping_ || !queue_.empty() || !lead_changes_.empty() || !read_tasks_.empty();
        });
        if (is_stopping_)
            return false;
        // Changes of leadership overtake every other input.
        batch.inputs.swap(lead_changes_);
        const auto taken = static_cast<std::ptrdiff_t>(std::min(batch_limit, queue_.size()));
        batch.inputs.insert(batch.inputs.end(), std::make_move_iterator(queue_.begin()),
                            std::make_move_iterator(queue_.begin() + taken));
        queue_.erase(queue_.begin(), queue_.begin() + taken);
        batch.tasks.swap(read_tasks_);
    }
    has_room_.notify_all();
    return true;
}

void EngineLoop::work(std::span<engine::Input> inputs) {
    const auto time = now();
    last_batch_at_ = time.count();
    auto actions = engine_.step(inputs, time);
    auto published = engine_.published();
    const bool is_draining = published->draining;
    {
        const std::lock_guard lock(published_mutex_);
        published_ = std::move(published);
    }
    if (record_)
        record_(time, {std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end())}, actions);
    for (auto& action : actions) {
        if (auto* search = std::get_if<engine::StartSearch>(&action)) {
            searches_->submit(std::move(*search));
        } else {
            action_sink_(std::move(action));
        }
    }
    if (is_draining)
        drained_ = engine_.is_idle();
}

}  // namespace echelon::app
