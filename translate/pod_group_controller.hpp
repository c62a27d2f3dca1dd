#pragma once

// How do Koordinator's PodGroups stay in sync with Grove's PodGangs (translation.live)?
//
// One thread. Events of the watches queue a gang. It is read again from the API server before it is written, so a late
// event does no harm.
//
// 1. All PodGroups of a gang are created or changed before any is deleted; a failure on the way deletes nothing.
// 2. Only PodGroups that the PodGang controls, by UID, are changed or deleted. Kubernetes deletes those of a deleted
//    PodGang by their ownerReferences.
// 3. If a gang can't be translated, its PodGang gets an event, nothing is written, and it is retried with back-off.
//    What a PodGang doesn't state is read from its PodCliqueSet.
// 4. Nothing is written while another echelon leads.
// 5. Losses and unlike roles become one event on the PodGang.
// 6. A PodGang that is gone is forgotten, with or without the lead, and causes no request. A later one of that name
//    comes as a new event.

#include "base/backoff.hpp"
#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/token_bucket.hpp"
#include "model/facts/event.hpp"
#include "model/facts/limits.hpp"
#include "translate/due_times.hpp"
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
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace echelon::translate {

struct PodGroupControllerOptions {
    TranslationOptions translation;
    std::string scheduler_name;  // PodGangs and pods for another scheduler are ignored.
    std::string reporter;        // reportingInstance of events: the name of this echelon.
    double qps = 500;
    double burst = 1000;
    std::chrono::milliseconds settle{500};  // Delay after an event; further events in it cause no further write.
    std::chrono::milliseconds first_retry{1000};
    std::chrono::milliseconds longest_retry{300'000};
    model::Limits limits{};  // Bounds of one PodGang.
};

class PodGroupController {
public:
    using MayWrite = std::function<bool()>;
    using Log = std::function<void(const std::string& sentence)>;  // Called once per gang and sentence.

    PodGroupController(std::shared_ptr<kube::Credentials> credentials, PodGroupControllerOptions options,
                       MayWrite may_write, Log log);
    ~PodGroupController();  // Ends the request under way.
    PodGroupController(const PodGroupController&) = delete;
    PodGroupController& operator=(const PodGroupController&) = delete;

    // May be called from any thread; unrelated events are ignored.
    void notice(const model::Event& event);

private:
    void notice_set(const model::GroupSet& set);
    void notice_gone(const model::GroupKey& owner);
    void notice_pod(const model::Pod& pod);
    void notice_layers(Layers layers);
    void enqueue(const std::string& gang);  // Nothing if the gang is gone. Requires: mutex_.
    void run(const std::stop_token& stop);
    [[nodiscard]] std::optional<std::string> next(const std::stop_token& stop);

    // The following functions run on the thread.
    void reconcile(const std::string& gang);
    [[nodiscard]] base::Result<void> ensure_pod_groups(const std::string& ns, const std::string& name);
    [[nodiscard]] Translation translation_of(const std::string& ns, const nlohmann::json& pod_gang,
                                             const std::map<std::string, nlohmann::json>& existing);
    [[nodiscard]] base::Result<void> apply(const std::string& ns, const std::string& gang, Translation& translation,
                                           const std::map<std::string, nlohmann::json>& existing,
                                           const std::string& uid);
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
    void report_event(const std::string& ns, const std::string& name, const std::string& uid, const std::string& reason,
                      const std::string& sentence);
    // False: the gang is gone, or this is the last sentence about it already. Empty: there is nothing to say.
    [[nodiscard]] bool keep_sentence(const std::string& gang, const std::string& sentence);

    // A PodGang that exists.
    struct Gang {
        std::optional<base::Backoff> backoff = {};  // While it fails.
        std::string sentence = {};                  // Of the last event about it.
    };

    const PodGroupControllerOptions options_;
    const MayWrite may_write_;
    const Log log_;
    kube::HttpClient client_;
    kube::TokenBucket bucket_;
    std::mt19937_64 generator_;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::string, Gang> gangs_;           // Guarded by mutex_: by "namespace/name" of the PodGang.
    DueTimes due_;                                // Guarded by mutex_: when gangs are reconciled next.
    std::map<std::string, std::string> gang_of_;  // Guarded by mutex_: PodGroup that exists -> gang.
    MixedRoles mixed_roles_;                      // Guarded by mutex_.
    Layers layers_;                               // Guarded by mutex_.
    bool knows_layers_ = false;                   // Guarded by mutex_: the first list of topologies has arrived.
    std::jthread thread_;                         // Last member: it uses the others.
};

}  // namespace echelon::translate
