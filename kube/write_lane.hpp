#pragma once

// A queue of writes with workers of its own: one lane for bindings, one for everything else.
//
// Thread-safe. Writes start in the order of their arrival, as fast as the bucket allows, except that two with the same
// non-empty key never run at the same time and keep their order.

#include "kube/credentials.hpp"
#include "kube/http_client.hpp"
#include "kube/token_bucket.hpp"
#include "model/write.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
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
        std::string key = {};  // Empty: free to run beside any other.
        int tokens = 1;
    };
    using Perform = std::function<void(HttpClient& client, const Job& job)>;

    WriteLane(const std::shared_ptr<Credentials>& credentials, unsigned connections, TokenBucket bucket,
              Perform perform);
    ~WriteLane();  // Finishes what is under way, drops what is queued.
    WriteLane(const WriteLane&) = delete;
    WriteLane& operator=(const WriteLane&) = delete;

    void submit(Job job);
    [[nodiscard]] std::size_t waiting();
    // Takes no further job; the ones under way go on. The destructor waits for them.
    void close();

private:
    void work(const std::stop_token& stop, HttpClient& client);
    [[nodiscard]] bool take(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Job& job);
    [[nodiscard]] std::deque<Job>::iterator first_free();

    const Perform perform_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> queue_;              // Guarded by mutex_.
    std::set<std::string> busy_;         // Guarded by mutex_: keys of jobs under way.
    TokenBucket bucket_;                 // Guarded by mutex_.
    std::vector<std::jthread> workers_;  // Last: ended before the rest goes.
};

}  // namespace echelon::kube
