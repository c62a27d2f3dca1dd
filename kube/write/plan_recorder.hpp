#pragma once

// Writes one GangPlan: the object when it may be missing, then its status, keeping the time of the last transition.
// The first write under a lead is a conflict where it would replace a clearing that was not seen (`may_replace`).
//
// Thread-safe; the same plan is never recorded by two threads at a time (the writer sees to that).

#include "kube/client/http_client.hpp"
#include "kube/lease/lead.hpp"
#include "kube/write/gangplan.hpp"
#include "model/facts/write.hpp"

#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace echelon::kube {

class PlanWriter {
public:
    // `now` is RFC 3339, for a condition that changes. `lead`: the one that the write was asked for under; null: none.
    // Done: with the UID of the object.
    [[nodiscard]] model::Outcome record(HttpClient& client, const model::ApplyPlan& write, const std::string& now,
                                        const std::shared_ptr<const Lead>& lead = {});
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
        std::shared_ptr<const Lead> lead;  // Under which it was written: others may write after its end.
    };
    // What an apply of the object said of the whole of it.
    struct Found {
        Note note;
        std::string version;  // The status is written over this one alone.
    };
    [[nodiscard]] std::expected<Found, model::Outcome> applied_object(HttpClient& client,
                                                                      const model::ApplyPlan& write);
    [[nodiscard]] bool is_doomed(const std::string& uid);

    [[nodiscard]] std::optional<Note> note_of(const std::string& key);
    void keep(const std::string& key, std::optional<Note> note);

    std::mutex mutex_;
    std::map<std::string, Note> notes_;  // Guarded by mutex_; by "namespace/name".
    std::set<std::string> doomed_;       // Guarded by mutex_; UIDs of plans that could not be deleted so far.
};

}  // namespace echelon::kube
