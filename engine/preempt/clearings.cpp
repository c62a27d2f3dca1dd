#include "engine/preempt/clearings.hpp"

#include "engine/preempt/without_pods.hpp"
#include "engine/texts.hpp"
#include "model/facts/usage.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Step = ClearingVictim::Step;

constexpr Time look_again{60'000};      // Whether pods have come to be evictable.
constexpr Time first_back_off{30'000};  // After a clearing that placed nothing; doubles up to sixteen minutes.
constexpr std::uint32_t back_off_doublings = 5;
constexpr std::size_t most_names = 8;

// For each resource, the smaller of the two amounts.
model::Amounts common(const model::Amounts& held, const model::Amounts& used) {
    model::Amounts both;
    for (const auto& [name, amount] : held.entries()) {
        if (const auto least = std::min(amount, used.of(name)); least > 0)
            both.set(name, least);
    }
    return both;
}

}  // namespace

std::string summary_of(const std::vector<ClearingVictim>& victims) {
    std::map<std::string, std::size_t> pods;  // By gang, or by name where there is none.
    for (const auto& victim : victims)
        ++pods[victim.facts.gang.empty() ? victim.facts.pod : victim.facts.gang];
    std::string names;
    std::size_t named = 0;
    for (const auto& [name, count] : pods) {
        if (named++ == most_names) {
            names += fmt::format(", and of {} more", pods.size() - most_names);
            break;
        }
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        if (count > 1)
            names += fmt::format(" ({})", count);
    }
    return victims.size() == 1 ? fmt::format("1 pod has to go first: {}", names)
                               : fmt::format("{} pods have to go first: {}", victims.size(), names);
}

std::string Clearings::profile_of(const GangState& gang) const {
    for (const auto& row : gang.roster.members()) {
        if (const auto* pod = p_.facts.cluster.pod(row.uid))
            return pod->scheduler_name;
    }
    return gang.clearing().profile;
}

bool Clearings::may_preempt(const GangState& gang) const {
    const auto& profiles = p_.facts.options.profiles;
    const auto found = profiles.find(profile_of(gang));
    return found != profiles.end() && found->second.gang && found->second.preempt &&
           p_.facts.cluster.has_root(gang.root()) && model::preempts(p_.facts.cluster.facts(gang.root()));
}

std::string Clearings::why_blocked(const GangState& gang, bool has_domain) const {
    if (owners_.empty() && left_by_profile_.empty())
        return {};
    const auto profile = profile_of(gang);
    for (const auto& [root, other] : p_.gangs.all()) {
        const auto& state = other.clearing();
        if (state.victims.empty() || profile_of(other) != profile)
            continue;
        if (other.lifecycle.is_clearing()) {
            if (has_domain && state.domain)
                continue;
            return fmt::format("pods are being evicted for gang {}", root.name);
        }
        const auto left = std::ranges::find_if(state.victims, [this](const auto& each) { return is_there(each); });
        if (left != state.victims.end())
            return fmt::format("pod {}, which was evicted for gang {}, is still there", left->facts.pod, root.name);
    }
    const auto left = left_by_profile_.find(profile);
    if (left == left_by_profile_.end())
        return {};
    for (const auto& uid : left->second) {
        if (const auto* pod = p_.facts.cluster.pod(uid); pod != nullptr && pod->occupies())
            return fmt::format("pod {}, which was evicted for a gang, is still there", pod->full_name());
    }
    return {};
}

Clearings::Ongoing Clearings::ongoing(const GangState& gang) const {
    Ongoing found;
    if (owners_.empty())
        return found;
    const auto profile = profile_of(gang);
    for (const auto& [root, other] : p_.gangs.all()) {
        if (!other.lifecycle.is_clearing() || !other.clearing().domain || profile_of(other) != profile)
            continue;
        found.domains.push_back(*other.clearing().domain);
        found.sentence = fmt::format("pods are being evicted for gang {}", root.name);
    }
    return found;
}

void Clearings::put_off_choice(GangState& gang, Time next_choice, Time replan_at, std::string why) {
    auto& state = gang.clearing(Key<Clearings>());
    state.next_choice = std::max(state.next_choice, next_choice);
    state.replan_at = replan_at;
    state.evictable_changes.reset();
    if (std::exchange(state.sentence, std::move(why)) != state.sentence)
        p_.records.schedule_write(gang, Time{100});
}

void Clearings::await_evictable(GangState& gang, Time next_choice, std::string why) {
    put_off_choice(gang, next_choice, p_.facts.now + look_again, std::move(why));
    gang.clearing(Key<Clearings>()).evictable_changes = evictable_changes_;
}

Time Clearings::track_wait_for_ending_pods(GangState& gang, bool waits) {
    auto& since = gang.clearing(Key<Clearings>()).waits_since;
    since = waits ? std::min(since, p_.facts.now) : never;
    return since;
}

bool Clearings::take_replan(GangState& gang) {
    auto& state = gang.clearing(Key<Clearings>());
    if (state.replan_at > p_.facts.now)
        return false;
    const bool waits = gang.lifecycle.stage() == Stage::pending;
    const bool is_useless = state.evictable_changes == evictable_changes_;
    state.replan_at = waits && is_useless ? p_.facts.now + look_again : never;
    return waits && !is_useless;
}

bool Clearings::is_there(const ClearingVictim& victim) const {
    const auto* pod = p_.facts.cluster.pod(victim.facts.uid);
    return pod != nullptr && pod->occupies() && pod->node == victim.facts.node;
}

bool Clearings::is_unchanged(const GangState& gang) {
    const auto& state = gang.clearing();
    return gang.roster.seats().size() + gang.hold().placeholders.size() >= state.seats &&
           gang.tree().generation == state.generation;
}

void Clearings::set_victims(GangState& gang, std::vector<ClearingVictim> victims) {
    auto& state = gang.clearing(Key<Clearings>());
    for (const auto& victim : state.victims)
        owners_.erase(victim.facts.pod);
    state.victims = std::move(victims);
    for (const auto& victim : state.victims)
        owners_.insert_or_assign(victim.facts.pod, gang.root());
}

void Clearings::begin(GangState& gang, std::vector<ClearingVictim> victims, std::optional<DomainId> domain) {
    auto& state = gang.clearing(Key<Clearings>());
    std::ranges::stable_partition(victims, &ClearingVictim::has_budget);
    state.profile = profile_of(gang);
    state.domain = std::move(domain);
    state.generation = gang.tree().generation;
    state.began = p_.facts.now;
    state.until = p_.facts.now + p_.facts.options.preemption.timeout;
    state.replan_at = never;
    state.sentence.clear();
    set_victims(gang, std::move(victims));
    gang.lifecycle.clearing_began(gang.roster);
    p_.seating.extend_until(gang, state.until);
    note_seats(gang);
    gang.verdicts.request_full_refresh();
    p_.outbox.note(Note::Level::info, gang.root(), summary_of(state.victims));
}

void Clearings::note_seats(GangState& gang) {
    gang.clearing(Key<Clearings>()).seats = gang.roster.seats().size() + gang.hold().placeholders.size();
    update_leaving_room(gang);
}

// Room that is held and that victims still use must not count twice (P3).
void Clearings::update_leaving_room(const GangState& gang) {
    std::map<std::string, model::Amounts> leaving;
    if (gang.lifecycle.is_clearing()) {
        std::map<std::string, model::Amounts> used;
        for (const auto& victim : gang.clearing().victims) {
            if (is_there(victim))
                used[victim.facts.node].add(victim.requests);
        }
        for (const auto& [node, held] : p_.ledger.held_by(gang.root())) {
            const auto found = used.find(node);
            auto both = found == used.end() ? model::Amounts{} : common(held, found->second);
            if (!both.empty())
                leaving.emplace(node, std::move(both));
        }
    }
    p_.ledger.set_leaving(gang.root(), std::move(leaving));
}

TakenRoom Clearings::open(model::Snapshot& snapshot, const GangState& gang) const {
    TakenRoom room(snapshot);
    for (const auto& victim : gang.clearing().victims) {
        const auto node = is_there(victim) ? snapshot.node(victim.facts.node) : std::nullopt;
        for (std::size_t r = 0; node && r < snapshot.resources.size(); ++r) {
            if (const auto amount = victim.requests.of(snapshot.resources[r]); amount > 0)
                room.take(*node, r, -model::freed(snapshot.room[r][*node], amount));
        }
    }
    return room;
}

std::optional<model::Gang> Clearings::without_victims(const model::Snapshot& snapshot, const GangState& gang,
                                                      const model::Gang& built) const {
    std::vector<const model::Pod*> gone;
    for (const auto& victim : gang.clearing().victims) {
        if (is_there(victim))
            gone.push_back(p_.facts.cluster.pod(victim.facts.uid));
    }
    return without_pods(p_.facts.cluster, p_.ledger, built, snapshot, gone);
}

void Clearings::spare_waiting_victims(GangState& gang) {
    auto left = gang.clearing().victims;
    std::erase_if(left,
                  [this](const ClearingVictim& victim) { return victim.step == Step::waiting || !is_there(victim); });
    set_victims(gang, std::move(left));
    gang.clearing(Key<Clearings>()).until = never;
}

void Clearings::end(GangState& gang, ClearingResult result) {
    auto& state = gang.clearing(Key<Clearings>());
    p_.figures.cleared(result, p_.facts.now - std::exchange(state.began, never));
    spare_waiting_victims(gang);
    gang.lifecycle.clearing_ended(gang.roster);
    update_leaving_room(gang);
    gang.verdicts.request_full_refresh();
    p_.queue.note_freed_room();
    p_.records.schedule_write(gang, Time{100});
}

void Clearings::complete(GangState& gang) {
    auto& state = gang.clearing(Key<Clearings>());
    const bool is_cleared = std::ranges::none_of(state.victims, [this](const auto& each) { return is_there(each); });
    // The seats may be lost before they are bound: then the next victims wait, too (P5).
    if (is_cleared)
        back_off(gang);
    end(gang, is_cleared ? ClearingResult::placed : ClearingResult::cheaper);
    // Nominations may be lost by now, so members are nominated again.
    for (const auto& uid : gang.roster.not_under_way()) {
        gang.roster.change(uid, [](SeatState& seat) {
            if (seat.release != SeatState::Release::nominating)
                seat.release = SeatState::Release::to_nominate;
        });
    }
    if (gang.roster.seats().empty()) {
        p_.seating.clear_expiry(gang);
    } else {
        p_.seating.extend(gang);
    }
}

void Clearings::back_off(GangState& gang) {
    auto& state = gang.clearing(Key<Clearings>());
    state.not_before = p_.facts.now + first_back_off * (1U << std::min(state.failures++, back_off_doublings));
}

void Clearings::give_up(GangState& gang, ClearingResult result, const std::string& why) {
    auto& state = gang.clearing(Key<Clearings>());
    p_.outbox.note(Note::Level::warning, gang.root(), fmt::format("no other pods are evicted for it: {}", why));
    p_.seating.release_hold(gang, "aborted, " + why);
    end(gang, result);
    back_off(gang);
    state.replan_at = state.not_before;
    state.sentence = why;
    p_.queue.mark(gang);
}

void Clearings::drop_for_late_record(GangState& gang) {
    if (!gang.lifecycle.is_clearing())
        return;
    p_.seating.release_hold(gang, "aborted, the record of its victims was seen late");
    stop(gang);
}

void Clearings::stop(GangState& gang) {
    if (!gang.lifecycle.is_clearing())
        return;
    auto& state = gang.clearing(Key<Clearings>());
    set_victims(gang, {});
    state.began = never;
    state.until = never;
    gang.lifecycle.clearing_ended(gang.roster);
    update_leaving_room(gang);
}

void Clearings::forget(GangState& gang) {
    auto& state = gang.clearing(Key<Clearings>());
    if (gang.lifecycle.is_clearing())
        end(gang, ClearingResult::gone);
    auto& left = left_by_profile_[state.profile];
    std::erase_if(left, [this](const auto& uid) { return p_.facts.cluster.pod(uid) == nullptr; });
    for (const auto& victim : state.victims)
        left.insert(victim.facts.uid);
    if (left.empty())
        left_by_profile_.erase(state.profile);
    set_victims(gang, {});
}

const model::GroupKey* Clearings::owner_of(const std::string& full_name) const {
    const auto found = owners_.find(full_name);
    return found == owners_.end() ? nullptr : &found->second;
}

void Clearings::on_victim_changed(GangState& gang) {
    if (gang.lifecycle.is_clearing()) {
        update_leaving_room(gang);
        p_.queue.mark(gang);
    } else {
        spare_waiting_victims(gang);
        p_.records.schedule_write(gang, Time{100});
    }
}

}  // namespace echelon::engine
