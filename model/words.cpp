// How reasons and phases are written in reports, conditions and metrics.

#include "model/gang.hpp"
#include "model/plan_record.hpp"

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

}  // namespace echelon::model
