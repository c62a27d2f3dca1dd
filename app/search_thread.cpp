#include "app/search_thread.hpp"

#include "engine/plan/long_search.hpp"

#include <utility>

#include <pthread.h>

namespace echelon::app {

SearchThread::SearchThread(Ended ended)
    : ended_(std::move(ended)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

SearchThread::~SearchThread() {
    end();
}

void SearchThread::end() {
    {
        const std::lock_guard lock(mutex_);  // The thread may not be between its test and its sleep.
        thread_.request_stop();
    }
    has_search_.notify_all();
}

void SearchThread::submit(engine::StartSearch search) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(search));
    }
    has_search_.notify_one();
}

void SearchThread::run(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "search");
    while (true) {
        engine::StartSearch search;
        {
            std::unique_lock lock(mutex_);
            if (!has_search_.wait(lock, stop, [this] { return !waiting_.empty(); }) || stop.stop_requested())
                return;
            search = std::move(waiting_.front());
            waiting_.pop_front();
        }
        if (search.task.use_count() > 1)  // Otherwise the engine has dropped it.
            search.task->run();
        ended_(search.search);
    }
}

}  // namespace echelon::app
