// Checks of what a process publishes: holds, refusals, its clock.

#include "unit-tests/simulator/witness.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

constexpr Time patience_in_steps{2'000};       // A fact that breaks a hold is acted on within this time.
constexpr Time patience_with_searches{8'000};  // The same behind several gangs with long searches, each begun again.
constexpr Time parked_at_most{1'000};   // A call may be faster than the watch; its time begins when the pod is seen.
constexpr Time told_at_last{40'000};    // A GangPlan is written again so long after a failure, at most.
constexpr Time longest_pause{70'000};   // A process that pauses does nothing in time.
constexpr Time bound_at_last{180'000};  // When room has come: planning, back-offs and the barrier.
constexpr std::uint64_t ticks_allowed = 5;
constexpr std::uint64_t solves_in_a_minute = 400;  // Per gang.

// By a record that is there.
bool is_committed(const View& view, const std::string& uid, const std::string& node) {
    return std::ranges::any_of(view.plans, [&](const auto& entry) {
        const auto is_it = [&](const model::RecordedSeat& seat) { return seat.uid == uid && seat.node == node; };
        return entry.second.phase == model::Phase::committed && std::ranges::any_of(entry.second.seats, is_it);
    });
}

// If two commits have lost the same room, one gives way.
void take_seats_of_others(const View& view, const std::string& plan, std::map<std::string, Room>& rooms) {
    for (const auto& [name, record] : view.plans) {
        for (const auto& seat : record.seats) {
            const auto* pod = view.pod(seat.uid);
            const bool is_open = record.phase == model::Phase::committed && pod != nullptr && is_waiting(*pod);
            if (name != plan && is_open && view.nodes.contains(seat.node))
                rooms[seat.node].add(wants(view, *pod), -1);
        }
    }
}

using Seats = std::vector<const model::RecordedSeat*>;

// Of the record of that name, seats whose pods still wait.
Seats open_seats(const View& view, const std::string& plan) {
    Seats open;
    for (const auto& seat : view.plans.at(plan).seats) {
        const auto* pod = view.pod(seat.uid);
        if (pod != nullptr && is_waiting(*pod))
            open.push_back(&seat);
    }
    return open;
}

// The pod's claim is there, the devices of the node are known, and the claim has none elsewhere.
bool may_claim(const View& view, const model::Pod& pod, const std::string& node) {
    const auto there = allocated_on(view, pod);
    return claim_of(pod).empty() ||
           (view.claims.contains(claim_of(pod)) && view.slices.contains(node) && (there.empty() || there == node));
}

// Their nodes are there, admit them, and have room for all of them. No pod that runs keeps them away (D14).
bool have_room(const View& view, const std::string& plan, const Seats& seats) {
    auto rooms = room_of(view);
    take_seats_of_others(view, plan, rooms);
    return std::ranges::all_of(seats, [&](const auto* seat) {
        const auto& pod = *view.pod(seat->uid);
        const auto node = view.nodes.find(seat->node);
        const auto node_of = [](const model::Pod& other) { return other.node.str(); };
        if (node == view.nodes.end() || !admits(node->second, pod) ||
            kept_apart_by(view, pod, node->second, node_of) != nullptr || !may_claim(view, pod, seat->node))
            return false;
        rooms[seat->node].add(wants(view, pod), -1);
        return !rooms[seat->node].lacks(wants(view, pod));
    });
}

// Together with bound members, each group is within one domain of every level that it requires. A node may have lost
// its domain.
bool keep_levels(const View& view, const Tree& tree, const Seats& seats) {
    std::map<std::string, std::set<std::optional<std::string>>> domains;  // "group level" -> domains.
    const auto stands = [&](const model::Pod& pod, const std::string& node) {
        for (const auto& key : ancestry(view, pod)) {
            for (const auto& level : view.group(key)->required)
                domains[key.kind + key.name + level].insert(domain_of(view.nodes.at(node), level));
        }
    };
    for (const auto* pod : tree.members) {
        if (is_bound(view, *pod))
            stands(*pod, pod->node);
    }
    for (const auto* seat : seats)
        stands(*view.pod(seat->uid), seat->node);
    return std::ranges::all_of(
        domains, [](const auto& entry) { return entry.second.size() == 1 && entry.second.begin()->has_value(); });
}

using Beginnings = std::map<std::string, Time>;  // What goes on, by name, and since when.

Time note_going_on(const std::string& name, const Beginnings& before, Beginnings& now_going_on, Time now) {
    const auto known = before.find(name);
    return now_going_on.emplace(name, known == before.end() ? now : known->second).first->second;
}

// What should have ended is seen for so long that the engine has had time to end it: the clock may have jumped.
bool is_overdue(const std::string& name, const Beginnings& before, Beginnings& now_going_on, Time now) {
    return now > note_going_on(name + " is overdue", before, now_going_on, now) + told_at_last;
}

// Seats of a commit that has begun, all of them sound; else none. Where a group isn't satisfied any more its seats go
// (N4), and the rest is planned anew.
Seats seats_to_keep(const View& view, const std::string& plan, const Tree& tree) {
    std::set<std::string> ran_before;
    for (const auto& seat : view.plans.at(plan).seats) {
        if (seat.ran_before)
            ran_before.insert(seat.uid);
    }
    auto counts = settled_counts(view, tree);
    bool has_begun = false;
    for (const auto* pod : tree.members) {
        const bool is_before = ran_before.contains(pod->uid);
        has_begun = has_begun || (is_bound(view, *pod) && !is_before);
        if (is_bound(view, *pod) && is_before)
            --counts[pod->membership->leaf];
    }
    const auto open = open_seats(view, plan);
    const auto is_its = [&](const auto* seat) { return root_of(view, *view.pod(seat->uid)) == tree.root; };
    if (!std::ranges::all_of(open, is_its))
        return {};
    for (const auto* seat : open)
        ++counts[view.pod(seat->uid)->membership->leaf];
    const auto whole = satisfied(view, tree, counts);
    const bool stands_whole = whole.contains(tree.root) && std::ranges::all_of(open, [&](const auto* seat) {
                                  return whole.contains(view.pod(seat->uid)->membership->leaf);
                              });
    const bool is_sound = has_begun && stands_whole && placeholders_of(view, tree).empty() &&
                          have_room(view, plan, open) && keep_levels(view, tree, open);
    return is_sound ? open : Seats{};
}

}  // namespace

Time Witness::patience() const {
    return options_.async_searches ? patience_with_searches : patience_in_steps;
}

void Witness::read(const engine::PublishedState& published) {
    pinned_.clear();
    published.verdicts.for_each([this](const std::string& uid, const engine::Verdict& verdict) {
        if (verdict.kind == engine::Verdict::Kind::pinned)
            pinned_[uid] = verdict.node;
    });
}

// Bound + held <= allocatable. A hold never begins where it doesn't fit, and one that facts have broken goes.
void Witness::check_i2_no_double_hold(Time now) {
    auto rooms = room_of(view_);
    const auto claim = [&](const std::string& uid, const std::string& node) {
        const auto* pod = view_.pod(uid);
        const auto room = rooms.find(node);
        if (pod == nullptr || room == rooms.end() || !pod->node.empty())
            return;
        room->second.add(wants(view_, *pod), -1);
    };
    for (const auto& [uid, node] : pinned_)
        claim(uid, node);
    for (const auto& [uid, binding] : bindings_) {
        // A member that was read as unbound and has no seat any more has been given up.
        if (!pinned_.contains(uid) && binding.state != Binding::State::may_post)
            claim(uid, binding.node);
    }
    // Bindings in flight may ask for more than a node has; only what the seat itself needs matters.
    const auto is_crowded = [&](const std::string& uid, const std::string& node) {
        const auto* pod = view_.pod(uid);
        const auto room = rooms.find(node);
        return pod != nullptr && room != rooms.end() && pod->node.empty() && room->second.lacks(wants(view_, *pod));
    };
    for (const auto& [uid, node] : pinned_) {
        auto key = uid + " " + node;
        // A hold that another verdict hid while a group was gone isn't new, nor is one that an earlier run promised.
        const bool begins = !held_last_.contains(key) && !is_committed(view_, uid, node);
        if (begins && is_crowded(uid, node) && was_synced_ && !taken_now_.contains(node) &&
            !changed_now_.contains(node))
            fail("I2", fmt::format("a seat of {} begins on \"{}\", which has no room for it", about(uid), node));
        held_last_[std::move(key)] = now;
    }
    if (acts())  // Otherwise nothing is planned, so what a verdict hides for longer isn't new either.
        std::erase_if(held_last_, [this, now](const auto& entry) { return now > entry.second + patience(); });
    // By the world's clock: a search that runs apart doesn't end sooner when the process's clock jumps.
    const Time here = world_.clock.now();
    for (const auto& [name, node] : view_.nodes) {
        const auto since = bad_since_.find("node " + name);
        const bool is_promised_twice = std::ranges::any_of(pinned_, [&](const auto& seat) {
            return seat.second == name && !bindings_.contains(seat.first) && is_crowded(seat.first, name);
        });
        if (!is_promised_twice || !acts()) {
            if (since != bad_since_.end())
                bad_since_.erase(since);
        } else if (since == bad_since_.end()) {
            bad_since_["node " + name] = here;
        } else if (here > since->second + patience()) {
            fail("I2", fmt::format("node \"{}\" is promised twice since {} ms", name, since->second.count()));
        }
    }
}

// Every hold has an owner that lives, and ends.
void Witness::check_i7_holds_finite() {
    const Time here = world_.clock.now();  // As for nodes.
    for (const auto& [uid, node] : pinned_) {
        const auto* pod = view_.pod(uid);
        // A pod that is or may be bound to a deleted node holds its seat until the watch shows it.
        const bool is_lost = !view_.nodes.contains(node) && !bindings_.contains(uid);
        const bool is_dead = pod == nullptr || !pod->node.empty() || pod->deleting || pod->is_finished() ||
                             !root_of(view_, *pod) || is_lost;
        const auto key = "hold " + uid;
        const auto since = bad_since_.find(key);
        if (!is_dead || !acts()) {
            if (since != bad_since_.end())
                bad_since_.erase(since);
        } else if (since == bad_since_.end()) {
            bad_since_[key] = here;
        } else if (here > since->second + patience()) {
            fail("I7", fmt::format("the seat of {} on \"{}\" has outlived its reason", about(uid), node));
        }
    }
    std::erase_if(bad_since_, [this](const auto& entry) {
        return entry.first.starts_with("hold ") && !pinned_.contains(entry.first.substr(5));
    });
}

// A domain reservation ends when its gang is placed, waits for something else, or has waited long enough. The GangPlan
// may lag by the latency of the API server.
void Witness::check_i7_claims_end(const engine::PublishedState& published, Time now) {
    Beginnings claimed;
    for (const auto& [plan, view] : published.gangs.sorted()) {
        if (!acts() || view->record.message.find(" is reserved for it") == std::string::npos)
            continue;
        const auto& gang = view->record.root.name.str();
        const auto since = note_going_on(gang, claimed_since_, claimed, now);
        claimed_last_ = world_.clock.now();
        if (!is_writing(plan) && now > since + options_.claim_lifetime + told_at_last + longest_pause &&
            is_overdue(gang, claimed_since_, claimed, now))
            fail("I7", fmt::format("the claim of \"{}\" stands since {} ms", gang, since.count()));
    }
    claimed_since_ = std::move(claimed);
}

// The GangPlan may lag by the latency of the API server.
void Witness::check_p5_clearings_end(const engine::PublishedState& published, Time now) {
    Beginnings going_on;
    for (const auto& [plan, view] : published.gangs.sorted()) {
        if (!acts() || view->record.phase != model::Phase::clearing)
            continue;
        const auto since = note_going_on(plan, clearing_since_, going_on, now);
        if (!is_writing(plan) && now > since + options_.preemption.timeout + told_at_last &&
            is_overdue(plan, clearing_since_, going_on, now))
            fail("P5", fmt::format("\"{}\" waits for its victims since {} ms", plan, since.count()));
    }
    clearing_since_ = std::move(going_on);
}

bool Witness::is_writing(const std::string& plan) const {
    return std::ranges::any_of(asked_, [&](const auto& entry) { return record_in(entry.second.what) == plan; });
}

bool Witness::may_be_hindered() const {
    return claimed_last_ && (!claimed_since_.empty() || world_.clock.now() < *claimed_last_ + bound_at_last);
}

// A gang with a commit record that has begun keeps every seat of the record, if all of them are still sound. No record
// has the seats of members that don't exist yet: those are found anew, and others may move for them.
void Witness::check_i8_restart_neutral() {
    for (const auto& [name, plan] : view_.plans) {
        const auto tree = tree_of(view_, plan.root);
        if (plan.phase != model::Phase::committed || !tree.is_sound || root_of(view_, plan.root) != plan.root)
            continue;
        const auto open = seats_to_keep(view_, name, tree);
        for (const auto* seat : open) {
            const auto pinned = pinned_.find(seat->uid);
            if (pinned == pinned_.end() || pinned->second != seat->node) {
                fail("I8", fmt::format("after a restart {} has lost its recorded seat on \"{}\"", about(seat->uid),
                                       seat->node));
            }
        }
    }
}

// Every waiting call is handled in time: the engine asks to be woken by then.
void Witness::check_i12_every_call_ends(std::optional<Time> wakes_at, Time now) {
    const auto late = std::ranges::find_if(calls_, [&](const auto& entry) {
        const auto deadline = std::max(entry.second.arrived + options_.barrier_timeout + parked_at_most, now);
        return !wakes_at || *wakes_at > deadline;
    });
    if (late != calls_.end())
        fail("I12", fmt::format("nothing ends the bind call {} of {}", late->first, about(late->second.uid)));
}

void Witness::check_i12_no_hot_clock(std::span<const engine::Input> inputs, std::optional<Time> wakes_at, Time now) {
    const bool is_tick = inputs.size() == 1 && std::holds_alternative<engine::Ticked>(inputs.front());
    if (!is_tick || !wakes_at || *wakes_at > now) {
        if (is_tick)
            ticks_in_vain_ = 0;
        return;
    }
    // In small steps each tick plans one gang at least, or leaves its long search to the next.
    const std::uint64_t slices = options_.step_work > 0 ? 2 * (view_.groups.size() + view_.plans.size()) : 0;
    if (++ticks_in_vain_ > ticks_allowed + slices)
        fail("I12", fmt::format("it wants a tick for {} ms, again and again", wakes_at->count()));
}

void Witness::check_i12_solves(const engine::PublishedState& published, Time now) {
    const auto& stats = published.stats;
    const auto solves = stats.solves_placed + stats.solves_infeasible + stats.solves_out_of_budget;
    if (now < solves_since_ + Time{60'000})
        return;
    const auto gangs = roots_of(view_).size() + 1;
    if (solves - solves_then_ > solves_in_a_minute * gangs)
        fail("I12", fmt::format("{} plans in a minute for {} gangs", solves - solves_then_, gangs));
    solves_then_ = solves;
    solves_since_ = now;
}

void Witness::check_i13_isolation(const engine::PublishedState& published) {
    for (const auto& [uid, pod] : view_.pods) {
        if (!pod.membership && published.verdict(uid) != nullptr)
            fail("I13", fmt::format("{} is of no gang, but has a verdict", about(uid)));
    }
}

}  // namespace echelon::simulator
