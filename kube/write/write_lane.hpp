#pragma once

// How are queued writes sent? Each lane has its own workers and rate limit: one for bindings, one for other writes, one
// for events. A write whose lead has ended takes no token, and is reported without being sent.
//
// Thread-safe. Writes start in the order of `JobQueue`, as fast as the bucket allows.

#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/token_bucket.hpp"
#include "kube/lease/lead.hpp"
#include "kube/write/job_queue.hpp"
#include "model/facts/write.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace echelon::kube {

class WriteLane {
public:
    struct Job {
        std::uint64_t id = 0;
        model::Write write;
        std::string plan = {};  // "namespace/name" of the GangPlan that the write changes; empty: none.
        int tokens = 1;
        std::size_t rank = job_ranks - 1;       // Below `job_ranks`; lower ones go ahead.
        std::string ns = {};                    // Namespaces take turns.
        std::shared_ptr<const Lead> lead = {};  // The job must begin before its end; null: no limit.

        [[nodiscard]] bool is_over() const { return lead && lead->until() <= std::chrono::steady_clock::now(); }
    };
    // Called when a job's turn has come, and may replace the job; false: it is dropped and takes no token.
    using Begin = std::function<bool(Job& job)>;
    using Perform = std::function<void(HttpClient& client, const Job& job)>;

    WriteLane(const std::shared_ptr<Credentials>& credentials, unsigned connections, TokenBucket bucket, Begin begin,
              Perform perform);
    ~WriteLane();  // Finishes jobs under way, drops queued ones.
    WriteLane(const WriteLane&) = delete;
    WriteLane& operator=(const WriteLane&) = delete;

    void submit(Job job);
    [[nodiscard]] std::size_t waiting();
    // Starts no further job; jobs under way continue.
    void close();
    // Waits for jobs under way. Requires: closed.
    void join();

private:
    void work(HttpClient& client);
    [[nodiscard]] bool take(std::unique_lock<std::mutex>& lock, Job& job);

    const Begin begin_;
    const Perform perform_;
    std::mutex mutex_;
    std::condition_variable has_job_;
    std::condition_variable closing_;
    bool is_closed_ = false;             // Guarded by mutex_.
    JobQueue<Job> queue_;                // Guarded by mutex_.
    TokenBucket bucket_;                 // Guarded by mutex_.
    std::vector<std::jthread> workers_;  // Last member: joined before the others are destroyed.
};

}  // namespace echelon::kube
