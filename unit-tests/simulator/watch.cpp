#include "unit-tests/simulator/watch.hpp"

#include <algorithm>
#include <utility>

namespace echelon::simulator {

Watch::Watch(Clock& clock, ApiServer& api, Random& random, WatchPace pace, Deliver deliver)
    : clock_(clock), api_(api), random_(random), pace_(pace), deliver_(std::move(deliver)) {}

Watch::~Watch() {
    *is_alive_ = false;
}

Time Watch::delay() {
    if (random_.chance(pace_.lag_per_mille))
        return Time{random_.between(0, pace_.lag.count())};
    return Time{random_.between(0, pace_.longest.count())};
}

void Watch::start(std::uint64_t staleness) {
    staleness_ = staleness;
    for (std::size_t s = 0; s < api_.streams(); ++s) {
        lanes_[s].relists = true;
        wake(static_cast<Stream>(s));
    }
}

void Watch::wake(Stream stream) {
    auto& here = lane(stream);
    if (here.is_pending || (!here.relists && here.told >= api_.history(stream).size()))
        return;
    here.is_pending = true;
    const auto when = std::max(clock_.now() + delay(), here.not_before);
    clock_.at(when, [this, stream, alive = is_alive_] {
        if (*alive)
            tell_next(stream);
    });
}

void Watch::tell_next(Stream stream) {
    auto& here = lane(stream);
    here.is_pending = false;
    if (clock_.now() < here.not_before)
        return wake(stream);
    const auto& history = api_.history(stream);
    if (std::exchange(here.relists, false)) {
        // GangPlans are never listed from a cache.
        const auto missing = here.is_listed ? 0 : random_.below(staleness_ + 1);
        list(stream, history.size() - (stream == Stream::plans ? 0 : std::min<std::size_t>(missing, history.size())));
    } else if (here.told < history.size()) {
        const auto event = history[here.told++];
        tell(here, event);
    }
    wake(stream);
}

void Watch::tell(Lane& here, const model::Event& event) {
    here.known.apply(event);
    deliver_(event);
}

void Watch::list(Stream stream, std::size_t length) {
    auto& here = lane(stream);
    const auto now = api_.listed(stream, length);
    here.told = length;
    const auto before = std::exchange(here.known, now);
    for (const auto& [name, node] : before.nodes) {
        if (!now.nodes.contains(name))
            deliver_(model::NodeGone{name});
    }
    for (const auto& [uid, pod] : before.pods) {
        if (!now.pods.contains(uid))
            deliver_(model::PodGone{uid});
    }
    for (const auto& [key, group] : before.groups) {
        const auto* there = now.group(key);
        if (there == nullptr || there->uid != group.uid)
            deliver_(model::GroupGone{key, group.uid});
    }
    for (const auto& [name, plan] : before.plans) {
        if (!now.plans.contains(name))
            deliver_(model::PlanGone{plan.ns, plan.name});
    }
    for (const auto& [name, claim] : before.claims) {
        if (!now.claims.contains(name))
            deliver_(model::DeviceClaimGone{claim.ns, claim.name});
    }
    for (const auto& [name, slice] : before.slices) {
        if (!now.slices.contains(name))
            deliver_(model::DeviceSliceGone{name});
    }
    tell_all(now);
    if (!std::exchange(here.is_listed, true))
        deliver_(model::Synced{stream_names[static_cast<std::size_t>(stream)]});
}

void Watch::tell_all(const View& view) {
    for (const auto& [name, node] : view.nodes)
        deliver_(model::NodeSeen{node});
    for (const auto& [uid, pod] : view.pods)
        deliver_(model::PodSeen{pod});
    for (const auto& [key, group] : view.groups)
        deliver_(model::GroupSeen{group});
    for (const auto& [name, plan] : view.plans)
        deliver_(model::PlanSeen{plan, view.plan_uids.at(name)});
    for (const auto& [name, claim] : view.claims)
        deliver_(model::DeviceClaimSeen{claim});
    for (const auto& [name, slice] : view.slices)
        deliver_(model::DeviceSliceSeen{slice});
}

void Watch::interrupt(Stream stream, Time pause, bool relists) {
    auto& here = lane(stream);
    here.not_before = std::max(here.not_before, clock_.now() + pause);
    here.relists = here.relists || relists;
    wake(stream);
}

void Watch::repeat(Stream stream) {
    auto& here = lane(stream);
    if (here.is_listed)
        tell_all(here.known);
}

}  // namespace echelon::simulator
