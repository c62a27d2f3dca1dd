#include "unit-tests/simulator/scheduler.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

constexpr Time first_backoff{1000};
constexpr Time longest_backoff{10'000};
constexpr Time flush_every{30'000};
constexpr Time parked_at_most{300'000};

bool is_ours(const model::Pod& pod) {
    return pod.scheduler_name == scheduler_name && pod.node.empty() && pod.gates.empty() && !pod.deleting &&
           !pod.is_finished();
}

Time backoff_of(std::uint32_t failures) {
    return std::min(first_backoff * (1U << std::min(failures == 0 ? 0U : failures - 1, 4U)), longest_backoff);
}

}  // namespace

Scheduler::Scheduler(World& world, Process& neighbour, SchedulerHabits habits, const OwnRefusals& refusals,
                     std::string name)
    : world_(world), neighbour_(neighbour), habits_(habits), refusals_(refusals), name_(std::move(name)) {
    restart();
}

template <typename Callback>
void Scheduler::later(Time delay, Callback callback) {
    world_.clock.after(delay, [memory = std::weak_ptr(memory_), callback = std::move(callback)] {
        if (memory.lock())
            callback();
    });
}

void Scheduler::restart() {
    for (const auto& [uid, entry] : entries_) {
        if (entry.call != 0)
            neighbour_.hang_up(entry.call);
    }
    entries_.clear();
    assumed_.clear();
    view_ = {};
    is_cycle_due_ = false;
    memory_ = std::make_shared<int>(0);
    auto pace = WatchPace{};
    pace.lag_per_mille = 2;
    watch_ = std::make_unique<Watch>(world_.clock, world_.api, world_.random, pace,
                                     [this](const model::Event& event) { hear(event); });
    watch_->start(0);
    flush();
}

void Scheduler::lead(bool leads) {
    if (std::exchange(leads_, leads) == leads)
        return;
    if (!leads)
        restart();  // A kube-scheduler that loses its Lease ends.
    cycle_soon();
}

void Scheduler::wake(Stream stream) {
    watch_->wake(stream);
}

void Scheduler::lose_neighbour() {
    std::vector<std::pair<std::string, std::uint64_t>> lost;
    for (auto& [uid, entry] : entries_) {
        if (std::exchange(entry.call, 0) != 0)
            lost.emplace_back(uid, entry.order);
    }
    for (const auto& [uid, order] : lost)
        bind_ended(uid, order, "connection reset");
}

void Scheduler::time_out(Random& random) {
    std::vector<std::string> waiting;
    for (const auto& [uid, entry] : entries_) {
        if (entry.call != 0)
            waiting.push_back(uid);
    }
    if (waiting.empty())
        return;
    const auto& uid = random.one_of(waiting);
    auto& entry = entries_.at(uid);
    neighbour_.hang_up(std::exchange(entry.call, 0));
    bind_ended(uid, entry.order, "deadline exceeded");
}

// ---- The queue.

void Scheduler::hear(const model::Event& event) {
    if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
        const auto* before = view_.pod(seen->pod.uid);
        const bool is_news = before == nullptr || *before != seen->pod || is_ours(seen->pod);
        view_.apply(event);
        hear_of(seen->pod, is_news);
    } else if (const auto* gone = std::get_if<model::PodGone>(&event)) {
        view_.apply(event);
        assumed_.erase(gone->uid);
        if (auto found = entries_.find(gone->uid); found != entries_.end() && found->second.place != Place::binding)
            entries_.erase(found);
        move_parked(false);
    } else if (const auto* claim = std::get_if<model::DeviceClaimSeen>(&event)) {
        hear_of(claim->claim);
    } else {
        const bool may_help = std::holds_alternative<model::NodeSeen>(event) ||
                              std::holds_alternative<model::DeviceSliceSeen>(event) ||
                              std::holds_alternative<model::DeviceClaimGone>(event);
        view_.apply(event);
        if (may_help)
            move_parked(false);
    }
    std::erase_if(entries_, [this](const auto& entry) {
        return view_.pod(entry.first) == nullptr && entry.second.place != Place::binding;
    });
}

void Scheduler::hear_of(const model::Pod& pod, bool is_news) {
    auto found = entries_.find(pod.uid);
    if (!is_ours(pod)) {
        if (!pod.node.empty()) {
            assumed_.erase(pod.uid);
            move_parked(false);
        }
        if (found != entries_.end() && found->second.place != Place::binding)
            entries_.erase(found);
        return;
    }
    if (found == entries_.end() && assumed_.contains(pod.uid))
        return;  // Bound, as far as it knows.
    if (found == entries_.end()) {
        entries_[pod.uid] = {Place::active, ++last_order_, 0, Time{0}, Time{0}, 0, ""};
    } else if (is_news && found->second.place == Place::parked) {
        move(found->second);  // Its own update, status included.
    }
    cycle_soon();
}

void Scheduler::move(Entry& entry) {
    const auto now = world_.clock.now();
    entry.place = entry.ready_at > now ? Place::backoff : Place::active;
    if (entry.place == Place::backoff)
        later(entry.ready_at - now, [this] { cycle_soon(); });
}

void Scheduler::move_parked(bool only_old) {
    for (auto& [uid, entry] : entries_) {
        if (entry.place != Place::parked || (only_old && entry.parked_at + parked_at_most > world_.clock.now()))
            continue;
        move(entry);
    }
    cycle_soon();
}

void Scheduler::flush() {
    later(flush_every, [this] {
        move_parked(true);
        flush();
    });
}

std::optional<std::string> Scheduler::pop() {
    const auto now = world_.clock.now();
    const std::string* best = nullptr;
    std::tuple<bool, std::int64_t, std::uint64_t> best_rank;
    for (auto& [uid, entry] : entries_) {
        const bool is_backing_off = entry.place == Place::backoff || entry.place == Place::error_backoff;
        if (is_backing_off && entry.ready_at <= now)
            entry.place = Place::active;
        const bool may_jump = entry.place == Place::backoff && habits_.pops_from_backoff;
        if (entry.place != Place::active && !may_jump)
            continue;
        const auto* pod = view_.pod(uid);
        const std::tuple rank(entry.place != Place::active, pod != nullptr ? -pod->priority : 0, entry.order);
        if (best == nullptr || rank < best_rank) {
            best = &uid;
            best_rank = rank;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

void Scheduler::cycle_soon() {
    if (!leads_ || std::exchange(is_cycle_due_, true))
        return;
    later(Time{world_.random.between(1, 4)}, [this] { cycle(); });
}

void Scheduler::cycle() {
    is_cycle_due_ = false;
    if (!leads_)
        return;
    const auto uid = pop();
    if (!uid)
        return;
    const auto* pod = view_.pod(*uid);
    if (pod == nullptr || !is_ours(*pod)) {
        entries_.erase(*uid);
    } else {
        attempt(*uid, entries_.at(*uid));
    }
    cycle_soon();
}

// ---- One attempt.

std::map<std::string, Room> Scheduler::rooms_for(const model::Pod& pod) const {
    auto rooms = room_of(view_);
    for (const auto& [uid, node] : assumed_) {
        const auto* other = view_.pod(uid);
        if (other != nullptr && other->node.empty() && rooms.contains(node))
            rooms[node].add(wants(view_, *other), -1);
    }
    for (const auto& [uid, other] : view_.pods) {
        const bool counts = uid != pod.uid && other.node.empty() && !other.nominated_node.empty() &&
                            !assumed_.contains(uid) && other.priority >= pod.priority && !other.is_finished();
        if (!counts || !rooms.contains(other.nominated_node))
            continue;
        auto amounts = other.pod_class.requests;
        if (amounts.of(device) > 0)
            amounts.set(device, 0);  // Nominated pods take no devices.
        rooms[other.nominated_node].add(amounts, -1);
    }
    return rooms;
}

bool Scheduler::passes_own_filters(const model::Pod& pod, const std::string& node, const Room& room) const {
    const auto there = view_.nodes.find(node);
    const auto leaf = pod.membership ? pod.membership->leaf.name.str() : std::string("plain");
    // Nominated pods count on their own node only.
    const auto place_of = [&](const model::Pod& other) -> std::string {
        const auto assumed = assumed_.find(other.uid);
        if (!other.node.empty())
            return other.node.str();
        if (assumed != assumed_.end())
            return assumed->second;
        return other.nominated_node == node && other.priority >= pod.priority ? node : std::string();
    };
    return there != view_.nodes.end() && admits(there->second, pod) && room.fits(wants(view_, pod)) &&
           !refusals_.contains({leaf, node}) && kept_apart_by(view_, pod, there->second, place_of) == nullptr;
}

std::vector<std::string> Scheduler::feasible(const model::Pod& pod, bool& unavailable) const {
    std::vector<std::string> names;
    const auto allocated = allocated_on(view_, pod);
    for (const auto& [node, room] : rooms_for(pod)) {
        if (!allocated.empty() && allocated != node) {
            unavailable = true;
            continue;
        }
        if (passes_own_filters(pod, node, room))
            names.push_back(node);
    }
    return names;
}

void Scheduler::attempt(const std::string& uid, Entry& entry) {
    ++attempts_;
    const auto pod = *view_.pod(uid);
    const auto nominated = pod.nominated_node;
    if (!claim_of(pod).empty() && !view_.claims.contains(claim_of(pod)))
        return refuse(uid, entry, "its claim doesn't exist", false);
    bool unavailable = false;
    auto names = feasible(pod, unavailable);
    Process::FilterAnswer told;
    if (!nominated.empty() && std::ranges::find(names, nominated.str()) != names.end()) {
        told = neighbour_.filter(pod, {nominated});
        if (!told.names.empty())
            return assume(uid, entry, told.names.front());
    }
    if (names.empty()) {
        if (unavailable)
            take_devices_back(pod);
        return refuse(uid, entry, "no node passes", false);
    }
    // It starts anywhere, and stops when it has enough.
    std::ranges::rotate(names, names.begin() + static_cast<std::ptrdiff_t>(world_.random.below(names.size())));
    if (habits_.samples && names.size() > 2)
        names.resize(1 + world_.random.below(names.size()));
    told = neighbour_.filter(pod, names);
    if (!is_calm_ && world_.random.chance(habits_.repeats))
        told = neighbour_.filter(pod, names);
    if (told.names.empty()) {
        if (unavailable && !told.is_error)
            take_devices_back(pod);
        return refuse(uid, entry, told.refusal, told.is_error);
    }
    assume(uid, entry, world_.random.one_of(told.names));
}

void Scheduler::refuse(const std::string& uid, Entry& entry, const std::string& message, bool is_error) {
    const auto now = world_.clock.now();
    ++entry.failures;
    entry.ready_at = now + backoff_of(entry.failures);
    entry.parked_at = now;
    entry.place = is_error ? Place::error_backoff : Place::parked;
    if (is_error)
        later(entry.ready_at - now, [this] { cycle_soon(); });
    patch(uid, std::exchange(entry.said, message) != message);
}

// A failed attempt clears the nomination and writes the condition; the same message again is no update.
void Scheduler::patch(const std::string& uid, bool is_new_message) {
    world_.clock.after(Time{world_.random.between(0, 3)}, [this, uid, is_new_message] {
        const auto* pod = world_.api.truth().pod(uid);
        if (pod == nullptr || !pod->node.empty())
            return;
        if (!pod->nominated_node.empty()) {
            auto cleared = *pod;
            cleared.nominated_node.clear();
            world_.api.put(cleared);
        } else if (is_new_message) {
            static_cast<void>(world_.api.carry_out(model::KickPod{{pod->ns, pod->name, pod->uid}, ""}));
        }
    });
}

void Scheduler::assume(const std::string& uid, Entry& entry, const std::string& node) {
    assumed_[uid] = node;
    entry.place = Place::binding;
    entry.order = ++last_order_;
    entry.call = 0;
    const bool is_slow = !is_calm_ && world_.random.chance(habits_.slow_prebinds);
    const auto delay = Time{world_.random.between(0, is_slow ? habits_.slowness.count() : 3)};
    later(delay, [this, uid, node, order = entry.order] {
        const auto found = entries_.find(uid);
        if (found != entries_.end() && found->second.order == order)
            call_bind(uid, node);
    });
}

void Scheduler::call_bind(const std::string& uid, const std::string& node) {
    auto& entry = entries_.at(uid);
    const auto order = entry.order;
    const auto* pod = view_.pod(uid);
    if (pod == nullptr)
        return bind_ended(uid, order, "pod not found");
    if (!claim_of(*pod).empty() && !world_.api.allocate(*pod, node))
        return bind_ended(uid, order, "its devices are gone");
    const auto memory = std::weak_ptr(memory_);
    const auto answered = [this, uid, order, memory](const std::string& error) {
        if (memory.lock())
            bind_ended(uid, order, error);
    };
    entry.call = neighbour_.bind({pod->ns, pod->name, pod->uid}, node, answered);
    if (entry.call == 0)
        return bind_ended(uid, order, "connection refused");
    later(habits_.http_timeout, [this, uid, order] {
        const auto found = entries_.find(uid);
        if (found == entries_.end() || found->second.order != order || found->second.call == 0)
            return;
        neighbour_.hang_up(std::exchange(found->second.call, 0));
        bind_ended(uid, order, "deadline exceeded");
    });
}

void Scheduler::bind_ended(const std::string& uid, std::uint64_t order, const std::string& error) {
    const auto found = entries_.find(uid);
    if (found == entries_.end() || found->second.order != order || found->second.place != Place::binding)
        return;
    if (error.empty()) {
        entries_.erase(found);  // It stays assumed until the watch shows it.
        return;
    }
    auto& entry = found->second;
    entry.call = 0;
    assumed_.erase(uid);
    const auto* pod = view_.pod(uid);
    if (pod == nullptr || !is_ours(*pod)) {
        entries_.erase(found);
    } else {
        refuse(uid, entry, "binding rejected: " + error, true);
    }
    move_parked(false);
}

}  // namespace echelon::simulator
