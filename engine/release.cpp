// Release: every member of a held plan is nominated, then loses our gate; whoever doesn't come is woken.
//
// One write per member is under way at a time. Nomination comes first, so that kube-scheduler looks at the one planned
// node from the first attempt on (design section 3.4).

#include "engine/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time first_kick{3000};  // After the release; doubles up to the limit.
constexpr Time kick_limit{30'000};
constexpr Time write_retry{500};  // After an unknown outcome; doubles up to 16 s.
constexpr std::uint32_t kick_doublings = 4;
constexpr Time wake_delay{20};  // Before a member that is known to sleep is woken; doubles with each kick.
constexpr std::uint32_t wake_doublings = 11;
constexpr std::uint32_t retry_doublings = 5;

std::vector<std::string> without_our_gate(const std::vector<std::string>& gates) {
    std::vector<std::string> remaining;
    std::ranges::copy_if(gates, std::back_inserter(remaining),
                         [](const auto& gate) { return gate != model::gang_gate; });
    return remaining;
}

}  // namespace

bool Engine::State::nominates(const model::Pod& pod) const {
    auto found = options.profiles.find(pod.scheduler_name);
    return found != options.profiles.end() && found->second.nominate;
}

void Engine::State::release_seats(GangState& gang) {
    const bool is_needed = std::ranges::any_of(gang.seats, [this](const auto& entry) {
        const auto& seat = entry.second;
        const bool is_writing =
            seat.release == SeatState::Release::nominating || seat.release == SeatState::Release::ungating;
        if (seat.binding != SeatState::Binding::idle || is_writing)
            return false;
        return seat.release != SeatState::Release::released || seat.kick_at <= now;
    });
    if (!is_needed)
        return;
    // In tree order, so that members of one group come to kube-scheduler together.
    for (const auto& row : gang.members) {
        auto found = gang.seats.find(row.uid);
        if (found != gang.seats.end())
            release(gang, found->second);
    }
}

void Engine::State::release(GangState& gang, SeatState& seat) {
    if (seat.binding != SeatState::Binding::idle)
        return;
    const bool is_retrying = seat.retry_at != never && seat.retry_at > now;
    const auto* pod = cluster.pod(seat.pod.uid);
    if (is_retrying)
        return;
    if (pod == nullptr) {
        seat.kick_at = std::max(seat.kick_at, now + first_kick);  // It went; planning will notice.
        seat.retry_at = now + first_kick;
        return;
    }
    using Release = SeatState::Release;
    using Purpose = WriteTarget::Purpose;
    if (seat.release == Release::to_nominate) {
        seat.retry_at = never;
        if (nominates(*pod) && pod->nominated_node != seat.node) {
            seat.release = Release::nominating;
            write({Purpose::nominate, gang.root, seat.pod.uid}, model::NominatePod{seat.pod, seat.node});
            return;
        }
        seat.release = Release::to_ungate;
    }
    if (seat.release == Release::to_ungate) {
        seat.retry_at = never;
        if (pod->has_our_gate()) {
            seat.release = Release::ungating;
            write({Purpose::ungate, gang.root, seat.pod.uid}, model::UngatePod{seat.pod, without_our_gate(pod->gates)});
            return;
        }
        seat.release = Release::released;
        // An ungated member that was refused sleeps; nomination has woken it, else a kick must.
        seat.kick_at = seat.was_refused_by_filter && !nominates(*pod) ? now : now + first_kick;
    }
    if (seat.release == Release::released && seat.kick_at <= now)
        kick(gang, seat);
}

void Engine::State::kick(GangState& gang, SeatState& seat) {
    const auto* pod = cluster.pod(seat.pod.uid);
    if (pod == nullptr)
        return;
    figures.add(&Stats::kicks);
    seat.kick_at = now + std::min(first_kick * (1U << std::min(seat.kicks, kick_doublings)), kick_limit);
    ++seat.kicks;
    if (pod->has_our_gate()) {
        seat.release = SeatState::Release::to_nominate;  // Somebody put the pod back; release it again.
    } else if (nominates(*pod) && pod->nominated_node != seat.node) {
        write({WriteTarget::Purpose::kick, gang.root, seat.pod.uid}, model::NominatePod{seat.pod, seat.node});
    } else {
        write({WriteTarget::Purpose::kick, gang.root, seat.pod.uid},
              model::KickPod{seat.pod, fmt::format("{}.{}", gang.epoch, seat.kicks)});
    }
}

void Engine::State::on_stray_nomination(const model::Pod& pod) {
    if (pod.nominated_node.empty() || !pod.has_our_gate())
        return;
    const auto root = cluster.root_of(pod);
    auto* gang = root ? find_gang(*root) : nullptr;
    if (gang == nullptr || gang->seats.contains(pod.uid))
        return;
    if (gang->clear_nominations_at == never)
        gang->clear_nominations_at = now;
    touched.insert(*root);
}

// kube-scheduler keeps room for every nominated pod. One that comes to its attempt and fails loses the nomination
// there; one behind our gate never comes, and would keep others out for as long as its gang waits.
void Engine::State::clear_nominations(GangState& gang) {
    gang.clear_nominations_at = never;
    for (const auto& row : gang.members) {
        const auto* pod = row.node.empty() && !gang.seats.contains(row.uid) ? cluster.pod(row.uid) : nullptr;
        if (pod == nullptr || pod->nominated_node.empty() || !pod->has_our_gate())
            continue;
        gang.clear_nominations_at = now + kick_limit;  // Looked at again, should this write fail.
        write({WriteTarget::Purpose::kick, gang.root, row.uid}, model::NominatePod{{pod->ns, pod->name, pod->uid}, ""});
    }
}

Time Engine::State::kick_delay(const SeatState& seat) {
    return std::min(wake_delay * (1U << std::min(seat.kicks, wake_doublings)), kick_limit);
}

void Engine::State::on_nomination_seen(SeatState& seat, const model::Pod& pod) {
    // A failed attempt clears the nomination; without it the next one sees a sample only.
    const bool is_lost = nominates(pod) && pod.nominated_node != seat.node;
    if (!is_lost || seat.release != SeatState::Release::released || seat.binding != SeatState::Binding::idle)
        return;
    seat.kick_at = std::min(seat.kick_at, now + kick_delay(seat));
}

void Engine::State::on_release_written(GangState& gang, SeatState& seat, WriteTarget::Purpose purpose,
                                       const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    using Purpose = WriteTarget::Purpose;
    if (purpose == Purpose::kick)
        return;  // The next one is on the clock already.
    const bool is_nomination = purpose == Purpose::nominate;
    if (outcome.kind == Kind::unknown || outcome.kind == Kind::conflict) {
        seat.release = is_nomination ? SeatState::Release::to_nominate : SeatState::Release::to_ungate;
        seat.retry_at = now + write_retry * (1U << std::min(seat.write_failures++, retry_doublings));
        return;
    }
    // A nomination that comes behind the binding is refused, and nobody needs it any more.
    using Binding = SeatState::Binding;
    const bool is_late = is_nomination && seat.binding != Binding::idle && seat.binding != Binding::arrived;
    if (outcome.kind == Kind::rejected && !is_late) {
        note(Note::Level::warning, &gang,
             fmt::format("pod \"{}/{}\": {} was refused: {}", seat.pod.ns, seat.pod.name,
                         is_nomination ? "nomination" : "removal of the gate", outcome.sentence));
        if (!is_nomination) {
            seat.release = SeatState::Release::to_ungate;
            seat.retry_at = now + kick_limit;
            return;
        }
    }
    if (outcome.kind == Kind::gone)
        return;  // The watch will tell; the seat ends then.
    if (seat.binding == SeatState::Binding::idle)
        seat.retry_at = never;  // Of a write for an earlier seat of the pod, whose answer came first.
    if (is_nomination) {
        if (outcome.kind == Kind::done)
            figures.add(&Stats::nominations);
        seat.release = SeatState::Release::to_ungate;
        const auto* pod = cluster.pod(seat.pod.uid);
        if (pod != nullptr && !pod->has_our_gate()) {
            seat.release = SeatState::Release::released;
            seat.kick_at = now + first_kick;
        }
        return;
    }
    figures.add(&Stats::gates_removed);
    seat.release = SeatState::Release::released;
    seat.kick_at = now + first_kick;
}

}  // namespace echelon::engine
