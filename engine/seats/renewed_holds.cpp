#include "engine/seats/renewed_holds.hpp"

namespace echelon::engine {

bool renew_holds(const GangState& gang, const model::Cluster& cluster, Ledger& ledger) {
    bool has_renewed = false;
    for (const auto& [uid, seat] : gang.roster.seats()) {
        const auto* pod = cluster.pod(uid);
        const auto* hold = ledger.find(uid);
        if (pod == nullptr || hold == nullptr || hold->owner != gang.root() || is_hold_of(*hold, pod->pod_class))
            continue;
        const auto& asks = pod->pod_class;
        ledger.put(uid, {seat.node, asks.requests, gang.root(), asks.alignment, asks.devices});
        has_renewed = true;
    }
    return has_renewed;
}

}  // namespace echelon::engine
