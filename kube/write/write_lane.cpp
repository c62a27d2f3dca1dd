#include "kube/write/write_lane.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <pthread.h>

namespace echelon::kube {

WriteLane::WriteLane(const std::shared_ptr<Credentials>& credentials, unsigned connections, TokenBucket bucket,
                     Begin begin, Perform perform)
    : begin_(std::move(begin)), perform_(std::move(perform)), bucket_(bucket) {
    for (unsigned i = 0; i < std::max(connections, 1U); ++i) {
        workers_.emplace_back([this, credentials] {
            HttpClient client(credentials);
            work(client);
        });
    }
}

WriteLane::~WriteLane() {
    close();
    join();
}

void WriteLane::close() {
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
    }
    has_job_.notify_all();
    closing_.notify_all();
}

void WriteLane::join() {
    workers_.clear();
}

void WriteLane::submit(Job job) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push(std::move(job));
    }
    has_job_.notify_one();
}

std::size_t WriteLane::waiting() {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

void WriteLane::work(HttpClient& client) {
    ::pthread_setname_np(::pthread_self(), "writer");
    Job job;
    std::unique_lock lock(mutex_);
    while (take(lock, job)) {
        lock.unlock();
        client.send_until(job.lead ? job.lead->until() : std::chrono::steady_clock::time_point::max());
        perform_(client, job);
        lock.lock();
    }
}

// False: closed. A worker that waits for a token has taken its job out of the queue, which keeps the order.
bool WriteLane::take(std::unique_lock<std::mutex>& lock, Job& job) {
    do {
        has_job_.wait(lock, [this] { return is_closed_ || !queue_.empty(); });
        if (is_closed_)
            return false;
        job = queue_.pop();
    } while (!begin_(job));
    const auto now = std::chrono::steady_clock::now();
    std::chrono::nanoseconds wait{};
    for (int i = 0; i < job.tokens && !job.is_over(); ++i)
        wait = std::max(wait, bucket_.take(now));
    // Not `has_job_`, which wakes idle workers.
    if (wait.count() > 0)
        closing_.wait_for(lock, wait, [this] { return is_closed_; });
    return !is_closed_;
}

}  // namespace echelon::kube
