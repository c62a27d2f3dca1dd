#include "engine/plain/node_scorer.hpp"

#include "model/devices/request_kinds.hpp"
#include "solver/scores/empty_domains.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

namespace echelon::engine {

namespace {

// Rooms are treated alike if they differ by less than this part of the largest node.
constexpr std::int64_t fineness = 64;

// Devices that claims ask for are as scarce as those of an extended resource.
bool is_extended(std::string_view resource) {
    return resource.contains('/') || resource.starts_with(model::device_prefix);
}

}  // namespace

bool NodeScorer::packs(const model::Pod& pod) const {
    const auto profile = facts_.options.profiles.find(pod.scheduler_name);
    return profile != facts_.options.profiles.end() && profile->second.packs;
}

bool NodeScorer::packs_any() const {
    return std::ranges::any_of(facts_.options.profiles, [](const auto& profile) { return profile.second.packs; });
}

Time NodeScorer::due() const {
    const bool is_changed = is_stale_ || ledger_seen_ != ledger_.version();
    return is_changed && !classes_.empty() && facts_.unsynced.empty() ? next_ : never;
}

void NodeScorer::note(const model::Event& event) {
    const bool is_use_changed = use_.note(facts_.cluster, event);
    if (!packs_any())
        return;
    is_stale_ = is_stale_ || is_use_changed;
    if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
        const auto* before = facts_.cluster.pod(seen->pod.uid);
        const bool is_resized = before != nullptr && before->pod_class.requests != seen->pod.pod_class.requests;
        is_stale_ = is_stale_ || is_resized ||
                    (before == nullptr ? seen->pod.occupies() : before->occupies() != seen->pod.occupies());
        if (before == nullptr && packs(seen->pod))
            note_request(seen->pod);
    } else if (const auto* gone = std::get_if<model::PodGone>(&event)) {
        const auto* pod = facts_.cluster.pod(gone->uid);
        is_stale_ = is_stale_ || (pod != nullptr && pod->occupies());
    }
}

void NodeScorer::note_request(const model::Pod& pod) {
    const auto& requests = pod.pod_class.requests;
    const auto [found, is_new] = classes_.try_emplace(requests);
    ++pods_seen_;
    if (is_new) {
        found->second.number = free_number();
        is_stale_ = true;
    }
    found->second.last = pods_seen_;
    window_.add(found->second.number, 1);
    if (classes_.size() > most_classes)
        forget_oldest_class();
}

// A number is used again once the window has no pod of it. So there are never many more numbers than pods in it.
std::uint32_t NodeScorer::free_number() {
    if (retired_.empty() || window_.counts()[retired_.front()] > 0)
        return numbers_++;
    const auto number = retired_.front();
    retired_.pop_front();
    return number;
}

void NodeScorer::forget_oldest_class() {
    const auto oldest = std::ranges::min_element(classes_, {}, [](const auto& entry) { return entry.second.last; });
    retired_.push_back(oldest->second.number);
    scores_.erase(oldest->first);
    classes_.erase(oldest);
}

// Devices come first, and among them those that pods ask for, and then those that there are most of; otherwise cpu
// (SC4). Network devices that come with each host may be more than its accelerators.
void NodeScorer::choose_resources(const model::Snapshot& snapshot) {
    std::set<std::string, std::less<>> asked;
    for (const auto& [requests, request_class] : classes_) {
        for (const auto& [name, amount] : requests.entries())
            asked.insert(name);
    }
    std::pair<bool, std::int64_t> most;  // Is it asked for, and how much is there?
    std::string scarce = "cpu";
    std::vector<std::string> names;
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        const auto& name = snapshot.resources[r];
        if (asked.contains(name))
            names.push_back(name);
        const auto& capacity = snapshot.capacity[r];
        if (!is_extended(name) || std::ranges::max(capacity) > solver::NodeRoom::most_devices)
            continue;
        const auto all = std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0});
        if (const std::pair here(asked.contains(name), all); all > 0 && here > most) {
            most = here;
            scarce = name;
        }
    }
    is_device_ = most.second > 0;
    if (is_device_)
        std::erase(names, scarce);
    const bool is_same = names == names_ && scarce == scarce_name_;
    resources_.clear();
    for (const auto& name : names) {
        resources_.push_back(
            static_cast<std::size_t>(std::ranges::find(snapshot.resources, name) - snapshot.resources.begin()));
    }
    scarce_ = static_cast<std::size_t>(std::ranges::find(snapshot.resources, scarce) - snapshot.resources.begin());
    if (is_same && room_value_ && !window_.has_moved()) {
        for (auto& [requests, request_class] : classes_)
            request_class.need = need_of(requests);  // New classes have no need yet.
        return;
    }
    names_ = std::move(names);
    scarce_name_ = std::move(scarce);
    learn_mix();
}

solver::PodNeed NodeScorer::need_of(const model::Amounts& requests) const {
    solver::PodNeed need;
    for (const auto& name : names_)
        need.amounts.push_back(requests.of(name));
    const auto scarce = requests.of(scarce_name_);
    need.scarce = static_cast<double>(scarce);
    if (is_device_)
        need.whole = static_cast<std::int32_t>(std::min(scarce, solver::NodeRoom::most_devices + 1));
    return need;
}

void NodeScorer::learn_mix() {
    window_.mark();
    solver::RequestMix mix;
    for (auto& [requests, request_class] : classes_) {
        request_class.need = need_of(requests);
        request_class.losses.clear();
        mix.needs.push_back(request_class.need);
        mix.counts.push_back(request_class.number < window_.counts().size() ? window_.counts()[request_class.number]
                                                                            : 0);
    }
    mix.eligible.emplace_back(mix.needs.size(), std::uint8_t{1});
    room_value_.emplace(std::move(mix));
}

solver::NodeRoom NodeScorer::room_of(const model::Snapshot& snapshot, model::NodeId node) const {
    solver::NodeRoom room;
    for (const auto r : resources_)
        room.amounts.push_back(snapshot.room[r][node]);
    const auto free =
        is_device_ ? std::clamp<std::int64_t>(snapshot.room[scarce_][node], 0, solver::NodeRoom::most_devices) : 0;
    room.devices.assign(static_cast<std::size_t>(free), solver::NodeRoom::whole_device);
    return room;
}

std::optional<double> NodeScorer::loss(RequestClass& request_class, const solver::NodeRoom& room, std::size_t& budget) {
    const auto [known, is_new] = request_class.losses.try_emplace({room.amounts, room.devices.size()});
    if (!is_new)
        return known->second;
    if (budget == 0) {
        request_class.losses.erase(known);
        return std::nullopt;
    }
    --budget;
    // Room is rounded down, so the pod may not fit any more: then it fills the node.
    known->second = room_value_->loss(room, request_class.need).value_or(0);
    return known->second;
}

NodeScores::Scores NodeScorer::scores(RequestClass& request_class, const model::Snapshot& snapshot,
                                      const std::vector<std::uint32_t>& breaks, std::size_t& budget) {
    std::vector<std::int64_t> steps;
    for (const auto r : resources_)
        steps.push_back(std::max<std::int64_t>(1, std::ranges::max(snapshot.capacity[r]) / fineness));
    std::vector<std::optional<solver::NodeCost>> costs(snapshot.node_count());
    bool is_whole = true;
    for (model::NodeId node = 0; node < costs.size(); ++node) {
        auto room = room_of(snapshot, node);
        if (!room.fits(request_class.need) || promised_.is_reserved(snapshot.node_names[node]))
            continue;
        for (std::size_t i = 0; i < room.amounts.size(); ++i)
            room.amounts[i] -= room.amounts[i] % steps[i];
        const auto lost = loss(request_class, room, budget);
        if (!lost) {
            is_whole = false;
            continue;
        }
        const bool is_empty = !use_.is_used(snapshot.node_names[node]) && ledger_.on(snapshot.node_names[node]).empty();
        costs[node] = solver::NodeCost{
            .breaks = breaks[node],
            .loss = *lost,
            .breaks_host = is_empty,
            .free_scarce = request_class.need.scarce > 0 ? 0 : static_cast<double>(snapshot.room[scarce_][node])};
    }
    return is_whole ? std::make_shared<const std::vector<std::uint8_t>>(solver::scores_of(costs)) : nullptr;
}

bool NodeScorer::refresh() {
    if (due() > facts_.now)
        return false;
    if (!packs_any()) {
        while (!classes_.empty())
            forget_oldest_class();
        published_ = nullptr;
    }
    next_ = facts_.now + interval;
    is_stale_ = false;
    ledger_seen_ = ledger_.version();
    if (classes_.empty())
        return false;
    const auto& snapshot = room_.planning();
    if (snapshot.node_count() == 0)
        return true;
    choose_resources(snapshot);
    if (scarce_ >= snapshot.resources.size())
        return true;
    std::vector<std::uint8_t> is_used;
    for (const auto& name : snapshot.node_names)
        is_used.push_back(use_.is_used(name) || !ledger_.on(name).empty() ? 1 : 0);
    const auto breaks = solver::empty_domains(snapshot, is_used);
    if (snapshot.node_names != nodes_) {
        nodes_ = snapshot.node_names;
        places_ = std::make_shared<const NodePlaces>(std::vector<std::string>(nodes_.begin(), nodes_.end()));
        scores_.clear();
    }
    std::size_t budget = most_losses;
    for (auto& [requests, request_class] : classes_) {
        if (auto found = scores(request_class, snapshot, breaks, budget)) {
            scores_[requests] = std::move(found);
        } else {
            is_stale_ = true;
        }
    }
    published_ = std::make_shared<const NodeScores>(places_, scores_);
    return true;
}

}  // namespace echelon::engine
