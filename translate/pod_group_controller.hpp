#pragma once

// Keeps Koordinator's PodGroups in step with Grove's PodGangs (translation.live).
//
// One thread. It is told what the watches saw, and asks the API server for the rest: a gang is read anew before
// anything of it is written, so that a late event does no harm.
//
// 1. All PodGroups of a gang are created or changed before any is deleted; a failure on the way deletes nothing.
// 2. Only what this PodGang controls, by UID, is ever changed or deleted. Whole gangs go by their ownerReferences.
// 3. A gang that can't be translated is told so at the PodGang, and tried again, ever later; nothing of it is written.
//    What a PodGang itself doesn't say is read from its PodCliqueSet.
// 4. While another echelon acts nothing is written.
// 5. What is lost of a gang, and that its roles are unlike, is told at the PodGang once.

#include "base/backoff.hpp"
#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/token_bucket.hpp"
#include "model/facts/event.hpp"
#include "model/facts/limits.hpp"
#include "translate/translation.hpp"
#include "translate/unlike_roles.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace echelon::translate {

struct PodGroupKeeperOptions {
    TranslationOptions translation;
    std::string scheduler_name;  // PodGangs and pods for another scheduler are left alone.
    std::string reporter;        // Of events: which echelon this is.
    double qps = 500;
    double burst = 1000;
    std::chrono::milliseconds settle{500};  // What happens to a gang within it is answered once.
    std::chrono::milliseconds first_retry{1000};
    std::chrono::milliseconds longest_retry{300'000};
    model::Limits limits{};  // Of what one PodGang makes of itself.
};

class PodGroupController {
public:
    using MayWrite = std::function<bool()>;
    using Log = std::function<void(const std::string& sentence)>;  // Once for each gang and sentence.

    PodGroupController(std::shared_ptr<kube::Credentials> credentials, PodGroupKeeperOptions options,
                       MayWrite may_write, Log log);
    ~PodGroupController();  // Ends the request under way.
    PodGroupController(const PodGroupController&) = delete;
    PodGroupController& operator=(const PodGroupController&) = delete;

    // From any thread; events of no concern are passed over.
    void notice(const model::Event& event);

private:
    using Instant = std::chrono::steady_clock::time_point;

    void notice_set(const model::GroupSet& set);
    void notice_gone(const model::GroupKey& owner);
    void notice_pod(const model::Pod& pod);
    void notice_layers(Layers layers);
    void enqueue(const std::string& gang);  // Requires: mutex_.
    void run(const std::stop_token& stop);
    [[nodiscard]] std::optional<std::string> next(const std::stop_token& stop);

    // The rest is the thread's.
    void reconcile(const std::string& gang);
    [[nodiscard]] base::Result<void> ensure_pod_groups(const std::string& ns, const std::string& name);
    [[nodiscard]] base::Result<std::string> refusal_by_set(const std::string& ns, const nlohmann::json& pod_gang);
    [[nodiscard]] base::Result<void> write(const std::string& ns, const nlohmann::json& wanted,
                                           const std::map<std::string, nlohmann::json>& existing,
                                           const std::string& uid);
    [[nodiscard]] base::Result<void> prune(const std::string& ns, const Translation& translation,
                                           const std::map<std::string, nlohmann::json>& existing,
                                           const std::string& uid);
    [[nodiscard]] base::Result<std::map<std::string, nlohmann::json>> list(const std::string& ns,
                                                                           const std::string& gang);
    [[nodiscard]] kube::HttpAnswer send(const kube::HttpRequest& request);
    void tell(const std::string& ns, const std::string& name, const std::string& uid, const std::string& reason,
              const std::string& sentence);

    const PodGroupKeeperOptions options_;
    const MayWrite may_write_;
    const Log log_;
    kube::HttpClient client_;
    kube::TokenBucket bucket_;
    std::mt19937_64 numbers_;
    std::map<std::string, base::Backoff> backoffs_;  // By "namespace/name" of the PodGang, while it fails.
    std::map<std::string, std::string> told_;        // What was told of a gang last.

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::string, Instant> due_;          // Guarded by mutex_: gangs, and when to look after them.
    std::map<std::string, std::string> gang_of_;  // Guarded by mutex_: PodGroups that were written or wanted.
    std::set<std::string> waiting_;               // Guarded by mutex_: gangs that failed.
    MixedRoles mixed_roles_;                      // Guarded by mutex_.
    Layers layers_;                               // Guarded by mutex_.
    bool knows_layers_ = false;                   // Guarded by mutex_: their first list is in.
    std::jthread thread_;                         // Last: it uses everything above.
};

}  // namespace echelon::translate
