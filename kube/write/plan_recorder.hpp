#pragma once

// Writes one GangPlan: the object when it may be missing, then its status, keeping the time of the last transition.
//
// Thread-safe; the same plan is never recorded by two threads at a time (the writer sees to that).

#include "kube/client/http_client.hpp"
#include "kube/write/gangplan.hpp"
#include "model/facts/write.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace echelon::kube {

class PlanWriter {
public:
    // `now` is RFC 3339, for a condition that changes.
    // Done: with the UID of the object.
    [[nodiscard]] model::Outcome record(HttpClient& client, const model::ApplyPlan& write, const std::string& now);
    // Of a plan that was recorded; empty: not known.
    [[nodiscard]] std::string uid_of(const std::string& ns, const std::string& name);
    // Deletes the very object that is meant, or that was recorded last; none when neither is known: the watch shows
    // what there is.
    [[nodiscard]] model::Outcome forget(HttpClient& client, const model::DeletePlan& write);

private:
    // What is known to stand in the API server. One note per plan, dropped with it.
    struct Note {
        model::GroupKey root;
        std::string owner_uid;
        std::string uid;
        std::optional<PlacedCondition> condition;
    };

    [[nodiscard]] std::optional<Note> note_of(const std::string& key);
    void keep(const std::string& key, std::optional<Note> note);

    std::mutex mutex_;
    std::map<std::string, Note> notes_;  // Guarded by mutex_; by "namespace/name".
};

}  // namespace echelon::kube
