#include "kube/write/write_lane.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <pthread.h>

namespace echelon::kube {

WriteLane::WriteLane(const std::shared_ptr<Credentials>& credentials, unsigned connections, TokenBucket bucket,
                     Perform perform)
    : perform_(std::move(perform)), bucket_(bucket) {
    for (unsigned i = 0; i < std::max(connections, 1U); ++i) {
        workers_.emplace_back([this, credentials](const std::stop_token& stop) {
            HttpClient client(credentials);
            work(stop, client);
        });
    }
}

WriteLane::~WriteLane() {
    close();
    join();
}

void WriteLane::close() {
    for (std::jthread& worker : workers_)
        worker.request_stop();
}

void WriteLane::join() {
    workers_.clear();
}

void WriteLane::submit(Job job) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
}

std::size_t WriteLane::waiting() {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

void WriteLane::work(const std::stop_token& stop, HttpClient& client) {
    ::pthread_setname_np(::pthread_self(), "writer");
    Job job;
    std::unique_lock lock(mutex_);
    while (take(lock, stop, job)) {
        lock.unlock();
        client.send_until(job.lead ? job.lead->until() : std::chrono::steady_clock::time_point::max());
        perform_(client, job);
        lock.lock();
    }
}

// False: stopped. A worker that waits for a token has taken its job out of the queue, which keeps the order.
bool WriteLane::take(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Job& job) {
    if (!changed_.wait(lock, stop, [&] { return !queue_.empty(); }) || stop.stop_requested())
        return false;
    job = std::move(queue_.front());
    queue_.pop_front();
    const auto now = std::chrono::steady_clock::now();
    std::chrono::nanoseconds wait{};
    for (int i = 0; i < job.tokens && !job.is_over(); ++i)
        wait = std::max(wait, bucket_.take(now));
    if (wait.count() > 0) {
        // A separate condition, since `changed_` wakes idle workers.
        std::condition_variable_any due;
        due.wait_for(lock, stop, wait, [] { return false; });
    }
    return !stop.stop_requested();
}

}  // namespace echelon::kube
