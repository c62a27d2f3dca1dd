// Inputs and actions as lines of a trace.

#include "unit-tests/simulator/process.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::simulator {

namespace {

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

std::string shown(const model::Amounts& amounts) {
    std::string text;
    for (const auto& [resource, amount] : amounts.entries())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resource, amount);
    return text;
}

std::string shown(const model::Pod& pod) {
    return fmt::format(
        "pod {} ({}) {}{}{}{}{}{}", pod.uid, shown(pod.pod_class.requests),
        pod.membership ? "of " + pod.membership->leaf.name : "plain", pod.node.empty() ? "" : " on " + pod.node,
        pod.nominated_node.empty() ? "" : " nominated " + pod.nominated_node, pod.gates.empty() ? "" : " gated",
        pod.deleting ? " deleting" : "", pod.is_finished() ? " finished" : "");
}

std::string shown(const model::Node& node) {
    const auto place = domain_of(node, rack_key).value_or(domain_of(node, block_key).value_or(""));
    return fmt::format("node {} in {}{}{} ({})", node.name, place, node.is_usable() ? "" : " unusable",
                       node.taints.empty() ? "" : " tainted", shown(node.allocatable));
}

std::string shown(const model::Group& group) {
    return fmt::format("group {} {} minimum {}{}{} generation {}", group.key.name, group.uid,
                       group.minimum.value_or(-1), group.parent ? " under " + group.parent->name : "",
                       group.required.empty() ? "" : " required " + group.required.front(), group.generation);
}

std::string shown(const model::PlanRecord& record) {
    std::string seats;
    for (const auto& seat : record.seats)
        seats += fmt::format(" {}@{}{}", seat.uid, seat.node, seat.bound ? "!" : "");
    for (const auto& victim : record.victims)
        seats += fmt::format(" -{}@{}", victim.uid, victim.node);
    return fmt::format("plan {}/{} epoch {} {} {} \"{}\"{}", record.ns, record.name, record.epoch,
                       model::to_string(record.phase), record.reason, record.message, seats);
}

std::string shown(const model::Event& event) {
    return std::visit(Overloaded{
                          [](const model::NodeSeen& e) { return shown(e.node); },
                          [](const model::NodeGone& e) { return "gone node " + e.name; },
                          [](const model::PodSeen& e) { return shown(e.pod); },
                          [](const model::PodGone& e) { return "gone pod " + e.uid; },
                          [](const model::GroupSeen& e) { return shown(e.group); },
                          [](const model::GroupGone& e) { return "gone group " + e.key.name + " " + e.uid; },
                          [](const model::GroupSetSeen& e) { return "groups of " + e.set.owner.name; },
                          [](const model::GroupSetGone& e) { return "gone groups of " + e.owner.name; },
                          [](const model::TopologySeen& e) { return "topology " + e.topology.name; },
                          [](const model::TopologyGone& e) { return "gone topology " + e.name; },
                          [](const model::DomainSeen& e) { return "domain " + e.domain.name; },
                          [](const model::DomainGone& e) { return "gone domain " + e.name; },
                          [](const model::PriorityClassSeen& e) { return "class " + e.name; },
                          [](const model::PriorityClassGone& e) { return "gone class " + e.name; },
                          [](const model::PlanSeen& e) { return shown(e.record); },
                          [](const model::PlanGone& e) { return "gone plan " + e.name; },
                          [](const model::Synced& e) { return "synced " + e.what; },
                          [](const model::BudgetSeen& e) { return "budget " + e.budget.name; },
                          [](const model::BudgetGone& e) { return "gone budget " + e.name; },
                          [](const model::DeviceSliceSeen& e) { return "devices " + e.slice.name; },
                          [](const model::DeviceSliceGone& e) { return "gone devices " + e.name; },
                          [](const model::DeviceClassSeen& e) { return "device class " + e.device_class.name; },
                          [](const model::DeviceClassGone& e) { return "gone device class " + e.name; },
                          [](const model::DeviceTaintRuleSeen& e) { return "taint rule " + e.rule.name; },
                          [](const model::DeviceTaintRuleGone& e) { return "gone taint rule " + e.name; },
                          [](const model::DeviceClaimSeen& e) {
                              const auto& allocation = e.claim.allocation;
                              return "claim " + e.claim.name +
                                     (allocation ? " has devices on " + allocation->devices.front().pool : "");
                          },
                          [](const model::DeviceClaimGone& e) { return "gone claim " + e.name; },
                          [](const model::DeviceTemplateSeen& e) { return "template " + e.claim_template.name; },
                          [](const model::DeviceTemplateGone& e) { return "gone template " + e.name; },
                          [](const model::NodeZonesSeen& e) { return "zones of " + e.zones.node; },
                          [](const model::NodeZonesGone& e) { return "gone zones of " + e.node; },
                          [](const model::JobSeen& e) { return "job " + e.uid; },
                          [](const model::JobGone& e) { return "gone job " + e.uid; },
                      },
                      event);
}

std::string shown(const model::Write& write) {
    return std::visit(
        Overloaded{
            [](const model::BindPod& w) { return fmt::format("bind {} {} {}", w.pod.uid, w.node, w.plan); },
            [](const model::NominatePod& w) { return fmt::format("nominate {} {}", w.pod.uid, w.node); },
            [](const model::UngatePod& w) { return fmt::format("ungate {}", w.pod.uid); },
            [](const model::KickPod& w) { return fmt::format("kick {} {}", w.pod.uid, w.value); },
            [](const model::EvictPod& w) { return fmt::format("evict {}", w.pod.uid); },
            [](const model::ApplyPlan& w) { return "record " + shown(w.record); },
            [](const model::DeletePlan& w) { return fmt::format("forget {}/{}", w.ns, w.name); },
            [](const model::ReadPod& w) { return fmt::format("read {}", w.pod.uid); },
            [](const model::ReadGroup& w) { return fmt::format("look {} {}/{}", w.api_kind, w.ns, w.name); },
            [](const model::WritePlacementScore& w) {
                return fmt::format("score {}/{} {}", w.ns, w.name, w.per_mille);
            },
            [](const model::WriteGroupCondition& w) {
                return fmt::format("condition {}/{} {}", w.ns, w.name, w.is_met);
            },
            [](const model::EmitGangEvent& w) { return fmt::format("tell {}/{} {}", w.ns, w.plan, w.reason); },
        },
        write);
}

std::string_view name_of(model::Outcome::Kind kind) {
    constexpr std::array<std::string_view, 5> names{"done", "conflict", "gone", "rejected", "unknown"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string shown(const engine::Input& input) {
    return std::visit(
        Overloaded{
            [](const engine::Observed& i) { return "sees " + shown(i.event); },
            [](const engine::Filtered& i) {
                constexpr std::array<std::string_view, 4> answers{"passed", "pinned", "missing", "refused"};
                return fmt::format("filtered {} {} names {} {}", i.uid, answers[static_cast<std::size_t>(i.answer)],
                                   i.names, i.node);
            },
            [](const engine::BindCalled& i) { return fmt::format("call {} bind {} {}", i.call, i.pod.uid, i.node); },
            [](const engine::CallerGone& i) { return fmt::format("call {} hangs up", i.call); },
            [](const engine::Written& i) {
                return fmt::format("write {} {} {} {} {}", i.write, name_of(i.outcome.kind), i.outcome.sentence,
                                   i.outcome.node, i.outcome.uid);
            },
            [](const engine::SearchEnded& i) { return fmt::format("search {} ends", i.search); },
            [](const engine::Ticked&) { return std::string("tick"); },
            [](const engine::LeadChanged& i) { return std::string(i.leads ? "leads" : "doesn't lead"); },
            [](const engine::Draining&) { return std::string("drains"); },
            [](const engine::Reconfigured&) { return std::string("is configured anew"); },
        },
        input);
}

std::string shown(const engine::Action& action) {
    return std::visit(
        Overloaded{
            [](const engine::StartWrite& a) { return fmt::format("write {}: {}", a.write, shown(a.what)); },
            [](const engine::AnswerBind& a) { return fmt::format("answer {} \"{}\"", a.call, a.error); },
            [](const engine::StartSearch& a) { return fmt::format("search {}", a.search); },
            [](const engine::Note& a) { return fmt::format("note {} {}", a.gang, a.sentence); },
        },
        action);
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = 14695981039346656037ULL ^ seed;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

}  // namespace echelon::simulator
