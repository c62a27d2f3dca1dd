#pragma once

// A queue of writes with its own workers: one lane for bindings, one for everything else. A write whose lead has ended
// waits for no token: it is reported, never sent.
//
// Thread-safe. Writes start in the order of their arrival, as fast as the bucket allows.

#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/token_bucket.hpp"
#include "kube/lease/lead.hpp"
#include "model/facts/write.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace echelon::kube {

class WriteLane {
public:
    struct Job {
        std::uint64_t id = 0;
        model::Write write;
        int tokens = 1;
        std::shared_ptr<const Lead> lead = {};  // It isn't begun after its end; null: it has none.

        [[nodiscard]] bool is_over() const { return lead && lead->until() <= std::chrono::steady_clock::now(); }
    };
    using Perform = std::function<void(HttpClient& client, const Job& job)>;

    WriteLane(const std::shared_ptr<Credentials>& credentials, unsigned connections, TokenBucket bucket,
              Perform perform);
    ~WriteLane();  // Finishes what is under way, drops what is queued.
    WriteLane(const WriteLane&) = delete;
    WriteLane& operator=(const WriteLane&) = delete;

    void submit(Job job);
    [[nodiscard]] std::size_t waiting();
    // Takes no further job; the ones under way go on.
    void close();
    // Waits for those. Requires: closed.
    void join();

private:
    void work(const std::stop_token& stop, HttpClient& client);
    [[nodiscard]] bool take(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Job& job);

    const Perform perform_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> queue_;              // Guarded by mutex_.
    TokenBucket bucket_;                 // Guarded by mutex_.
    std::vector<std::jthread> workers_;  // Last: ended before the rest goes.
};

}  // namespace echelon::kube
