#include "unit-tests/simulator/sabotage.hpp"

#include "unit-tests/simulator/view.hpp"

#include <array>
#include <utility>

namespace echelon::simulator {

namespace {

struct Row {
    std::string_view name;
    std::string_view invariant;
};

constexpr std::array<Row, sabotage_count> rows{{
    {"none", ""},
    {"binds before the quorum", "I1"},
    {"forgets members that come late", "I1"},
    {"counts members of earlier attempts", "I1"},
    {"counts members that run", "I1"},
    {"skips the commit record", "I1"},
    {"overlooks pods of others", "I2"},
    {"overlooks devices that claims have", "I2"},
    {"binds to another node", "I3"},
    {"binds by name, without UID", "I3"},
    {"filter names a node that wasn't offered", "I3"},
    {"posts again without reading", "I4"},
    {"overlooks required levels", "I5"},
    {"overlooks co-located gangs", "I5"},
    {"overlooks anti-affinity", "D14"},
    {"ignores hang-ups", "I6"},
    {"keeps holds of dead pods", "I7"},
    {"keeps claims beyond their time", "I7"},
    {"forgets its records at a restart", "I8"},
    {"ignores a lost lead", "I9"},
    {"misses one pod event in eight", "I10"},
    {"never opens gates", "I11"},
    {"never wakes members", "I11"},
    {"retries hot", "I12"},
    {"wakes without end", "I12"},
    {"holds up plain pods", "I13"},
    {"decides by chance", "I14"},
    {"evicts without a record", "P2"},
    {"turns priorities round", "U3"},
    {"keeps clearings beyond their time", "P5"},
}};

model::Amounts without_devices(const model::Amounts& amounts) {
    model::Amounts others;
    for (const auto& [resource, amount] : amounts.entries()) {
        if (resource != device)
            others.set(resource, amount);
    }
    return others;
}

std::int64_t late_devices(const model::Group& group) {
    return group.late_pod_class ? group.late_pod_class->requests.of(device) : 0;
}

// Devices are claimed: an engine doesn't see how many a node has, or how many a pod needs. Members that don't exist yet
// will have claims from a template.
void show_as_claim(model::Event& event) {
    if (auto* node = std::get_if<model::NodeSeen>(&event))
        node->node.allocatable = without_devices(node->node.allocatable);
    auto* group = std::get_if<model::GroupSeen>(&event);
    if (const auto devices = group == nullptr ? 0 : late_devices(group->group); devices > 0) {
        auto late = *group->group.late_pod_class;
        late.requests = without_devices(late.requests);
        group->group.late_pod_class = late;
        group->group.late_claims = {{"devices", "", claim_template_of(devices)}};
    }
    auto* pod = std::get_if<model::PodSeen>(&event);
    if (pod == nullptr)
        return;
    const auto claim = claim_of(pod->pod);
    if (!claim.empty())
        pod->claims = {{"devices", claim.substr(claim.find('/') + 1), ""}};
    pod->pod.pod_class.requests = without_devices(pod->pod.pod_class.requests);
}

// The last two runs of a process-wide count: what a sound program never has.
std::uint64_t& chance() {
    static std::uint64_t count = 0;
    return count;
}

}  // namespace

std::string_view name_of(Sabotage sabotage) {
    return rows[static_cast<std::size_t>(sabotage)].name;
}

std::string_view invariant_of(Sabotage sabotage) {
    return rows[static_cast<std::size_t>(sabotage)].invariant;
}

SabotagedEngine::SabotagedEngine(engine::Options options, Sabotage sabotage)
    : engine_([&] {
          if (sabotage == Sabotage::keeps_claims)
              options.claim_lifetime *= 1000;
          if (sabotage == Sabotage::keeps_clearings)
              options.preemption.timeout *= 1000;
          return std::move(options);
      }()),
      sabotage_(sabotage) {}

std::optional<Time> SabotagedEngine::wakes_at() const {
    return sabotage_ == Sabotage::wakes_without_end ? std::optional(now_) : engine_.wakes_at();
}

bool SabotagedEngine::hears(engine::Input& input) {
    auto* observed = std::get_if<engine::Observed>(&input);
    if (observed == nullptr) {
        const bool is_hang_up = std::holds_alternative<engine::CallerGone>(input);
        const auto* lead = std::get_if<engine::LeadChanged>(&input);
        return !(is_hang_up && sabotage_ == Sabotage::ignores_hang_ups) &&
               !(lead != nullptr && !lead->leads && sabotage_ == Sabotage::ignores_a_lost_lead);
    }
    auto& event = observed->event;
    show_as_claim(event);
    if (const auto* node = std::get_if<model::NodeSeen>(&event))
        nodes_.insert(node->node.name);
    auto* pod = std::get_if<model::PodSeen>(&event);
    const bool is_pod_event = pod != nullptr || std::holds_alternative<model::PodGone>(event);
    if (sabotage_ == Sabotage::misses_events && is_pod_event && ++heard_ % 8 == 0)
        return false;
    if (sabotage_ == Sabotage::overlooks_pods_of_others && pod != nullptr && !pod->pod.membership)
        pod->pod.pod_class.requests = {};
    if (auto* claim = std::get_if<model::DeviceClaimSeen>(&event);
        claim != nullptr && sabotage_ == Sabotage::overlooks_devices)
        claim->claim.allocation.reset();
    if (sabotage_ == Sabotage::counts_earlier_attempts && pod != nullptr && pod->pod.membership)
        pod->pod.membership->attempt.clear();
    if (sabotage_ == Sabotage::overlooks_co_location && pod != nullptr && pod->pod.membership) {
        for (auto& group : pod->pod.membership->declared.edit())
            group.anchor.reset();
    }
    if (sabotage_ == Sabotage::overlooks_anti_affinity && pod != nullptr)
        pod->pod.terms.clear();
    if (sabotage_ == Sabotage::keeps_dead_holds)
        return !std::holds_alternative<model::PodGone>(event) && !(pod != nullptr && pod->pod.deleting);
    if (const auto* gone = std::get_if<model::PodGone>(&event);
        gone != nullptr && sabotage_ == Sabotage::keeps_clearings && evicted_.contains(gone->uid))
        return false;
    if (sabotage_ == Sabotage::forgets_its_records)
        return !std::holds_alternative<model::PlanSeen>(event);
    auto* group = std::get_if<model::GroupSeen>(&event);
    if (sabotage_ == Sabotage::turns_priorities_round) {
        if (pod != nullptr)
            pod->pod.priority = -pod->pod.priority;
        if (group != nullptr && group->group.priority)
            group->group.priority = -*group->group.priority;
    }
    if (group != nullptr && sabotage_ == Sabotage::overlooks_required_levels)
        group->group.required.clear();
    if (group != nullptr && sabotage_ == Sabotage::counts_who_runs)
        group->group.policy.counts_only_waiting = false;
    if (group != nullptr && group->group.start_set && sabotage_ == Sabotage::forgets_late_members)
        group->group.minimum = std::exchange(group->group.start_set, std::nullopt);
    return true;
}

std::vector<engine::Action> SabotagedEngine::step(std::span<const engine::Input> inputs, Time now) {
    now_ = now;
    std::vector<engine::Input> heard;
    for (auto input : inputs) {
        if (hears(input))
            heard.push_back(std::move(input));
    }
    std::vector<engine::Action> out;
    for (auto& action : engine_.step(heard, now))
        pass_on(std::move(action), out, now);
    if (sabotage_ == Sabotage::binds_before_quorum) {
        for (const auto& input : heard) {
            if (const auto* call = std::get_if<engine::BindCalled>(&input))
                out.emplace_back(engine::StartWrite{++last_forged_, model::BindPod{call->pod, call->node, ""}});
        }
    }
    if (sabotage_ == Sabotage::decides_by_chance && out.size() > 1 && ++chance() % 5 == 0)
        std::swap(out.front(), out.back());
    return out;
}

bool SabotagedEngine::is_taken_for_done(const model::Write& what) const {
    const auto* record = std::get_if<model::ApplyPlan>(&what);
    return (sabotage_ == Sabotage::evicts_unrecorded && record != nullptr &&
            record->record.phase == model::Phase::clearing) ||
           (sabotage_ == Sabotage::skips_the_commit_record && record != nullptr &&
            record->record.phase == model::Phase::committed) ||
           (sabotage_ == Sabotage::never_opens_gates && std::holds_alternative<model::UngatePod>(what)) ||
           (sabotage_ == Sabotage::never_kicks &&
            (std::holds_alternative<model::KickPod>(what) || std::holds_alternative<model::NominatePod>(what)));
}

void SabotagedEngine::alter(model::BindPod& bind) const {
    if (sabotage_ == Sabotage::binds_by_name)
        bind.pod.uid.clear();
    if (sabotage_ == Sabotage::binds_to_another_node && !nodes_.empty())
        bind.node = bind.node == *nodes_.begin() ? *nodes_.rbegin() : *nodes_.begin();
}

void SabotagedEngine::pass_on(engine::Action action, std::vector<engine::Action>& out, Time now) {
    auto* write = std::get_if<engine::StartWrite>(&action);
    if (write == nullptr) {
        out.push_back(std::move(action));
        return;
    }
    const bool is_read = std::holds_alternative<model::ReadPod>(write->what);
    if (is_taken_for_done(write->what) || (is_read && sabotage_ == Sabotage::posts_again_unread)) {
        model::Outcome outcome;
        if (is_read)
            outcome.uid = std::get<model::ReadPod>(write->what).pod.uid;
        const engine::Input done = engine::Written{write->write, outcome};
        for (auto& more : engine_.step(std::span(&done, 1), now))
            pass_on(std::move(more), out, now);
        return;
    }
    if (const auto* eviction = std::get_if<model::EvictPod>(&write->what))
        evicted_.insert(eviction->pod.uid);
    if (auto* bind = std::get_if<model::BindPod>(&write->what))
        alter(*bind);
    const bool is_plan =
        std::holds_alternative<model::ApplyPlan>(write->what) || std::holds_alternative<model::DeletePlan>(write->what);
    const bool is_repeated = sabotage_ == Sabotage::retries_hot && !is_plan && !is_read &&
                             !std::holds_alternative<model::BindPod>(write->what);
    const auto what = write->what;
    out.push_back(std::move(action));
    for (int again = 1; is_repeated && again < 40; ++again)
        out.emplace_back(engine::StartWrite{++last_forged_, what});
}

}  // namespace echelon::simulator
