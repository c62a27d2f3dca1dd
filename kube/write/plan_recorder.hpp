#pragma once

// How is one GangPlan written and deleted? Applies the object if it may be missing, then its status with the time of
// the last transition. The first write under a lead is a conflict if it would replace a clearing that was not seen
// (`may_replace`).
//
// Thread-safe. `PlanOrder` ensures that two threads never write the same plan.

#include "base/text.hpp"
#include "kube/client/http_client.hpp"
#include "kube/lease/lead.hpp"
#include "kube/write/gangplan.hpp"
#include "kube/write/write_figures.hpp"
#include "model/facts/write.hpp"

#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace echelon::kube {

class PlanRecorder {
public:
    // `figures` counts the writes, and outlives this.
    explicit PlanRecorder(WriteFigures& figures) : figures_(figures) {}

    // `now`: RFC 3339, the time of a transition. `lead`: the lead under which the write was requested; null: none. A
    // successful outcome has the UID of the object.
    [[nodiscard]] model::Outcome record(HttpClient& client, const model::ApplyPlan& write, const std::string& now,
                                        const std::shared_ptr<const Lead>& lead = {});
    // The UID of a recorded plan; empty: not known.
    [[nodiscard]] std::string uid_of(const std::string& ns, const std::string& name);
    // Deletes the object with the UID of the write, or else the recorded one. If neither is known, nothing is sent and
    // the outcome is `gone`; the watch shows whether an object exists.
    [[nodiscard]] model::Outcome remove(HttpClient& client, const model::DeletePlan& write);

private:
    // What the API server is known to have. One note per plan, dropped when the plan is deleted.
    struct Note {
        model::GroupKey root;
        std::string owner_uid;
        std::vector<base::Text> scheduler_names;
        std::string uid;
        std::optional<PlacedCondition> condition;
        std::shared_ptr<const Lead> lead;  // The lead of the last write. After its end another echelon may write.
    };
    // The object as an apply returned it.
    struct Found {
        Note note;
        std::string version;  // resourceVersion; the status is written only if it is unchanged.
    };
    [[nodiscard]] std::expected<Found, model::Outcome> applied_object(HttpClient& client,
                                                                      const model::ApplyPlan& write);
    [[nodiscard]] bool is_undeleted(const std::string& uid);

    [[nodiscard]] std::optional<Note> note_of(const std::string& key);
    void keep(const std::string& key, std::optional<Note> note);

    WriteFigures& figures_;
    std::mutex mutex_;
    std::map<std::string, Note> notes_;   // Guarded by mutex_; by "namespace/name".
    std::vector<std::string> undeleted_;  // Guarded by mutex_; UIDs of plans that could not be deleted, newest last.
};

}  // namespace echelon::kube
