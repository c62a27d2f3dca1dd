// How reasons and phases are written in reports, conditions and metrics.

#include "model/facts/plan_record.hpp"
#include "model/gang/explanation.hpp"
#include "model/gang/gang.hpp"

namespace echelon::model {

std::string_view to_string(Reason reason) {
    switch (reason) {
        case Reason::invalid:
            return "Invalid";
        case Reason::incomplete:
            return "Incomplete";
        case Reason::impossible:
            return "Impossible";
        case Reason::no_room:
            return "NoRoom";
        case Reason::out_of_budget:
            return "OutOfBudget";
    }
    return "";
}

std::string_view to_string(Phase phase) {
    switch (phase) {
        case Phase::pending:
            return "Pending";
        case Phase::clearing:
            return "Clearing";
        case Phase::held:
            return "Held";
        case Phase::committed:
            return "Committed";
        case Phase::bound:
            return "Bound";
        case Phase::degraded:
            return "Degraded";
    }
    return "";
}

std::string_view to_string(Blocker::Kind kind) {
    switch (kind) {
        case Blocker::Kind::held:
            return "held";
        case Blocker::Kind::running_gang:
            return "runningGang";
        case Blocker::Kind::running_pods:
            return "runningPods";
        case Blocker::Kind::sibling:
            return "sibling";
        case Blocker::Kind::claimed:
            return "claimed";
        case Blocker::Kind::cordoned:
            return "cordoned";
        case Blocker::Kind::not_ready:
            return "notReady";
        case Blocker::Kind::leaving:
            return "leaving";
        case Blocker::Kind::tainted:
            return "tainted";
        case Blocker::Kind::outside_selector:
            return "unwanted";
        case Blocker::Kind::barred:
            return "barred";
        case Blocker::Kind::rejected:
            return "rejected";
    }
    return "";
}

std::string_view to_string(ExplainedGroup::Status status) {
    switch (status) {
        case ExplainedGroup::Status::culprit:
            return "culprit";
        case ExplainedGroup::Status::is_crowded_out:
            return "crowdedOut";
        case ExplainedGroup::Status::waits:
            return "waits";
        case ExplainedGroup::Status::fits:
            return "fits";
        case ExplainedGroup::Status::satisfied:
            return "satisfied";
        case ExplainedGroup::Status::incomplete:
            return "incomplete";
        case ExplainedGroup::Status::unproved:
            return "unproved";
        case ExplainedGroup::Status::not_tried:
            return "notTried";
    }
    return "";
}

}  // namespace echelon::model
