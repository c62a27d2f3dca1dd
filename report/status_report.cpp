#include "report/status_report.hpp"

#include "base/split.hpp"
#include "model/devices/request_kinds.hpp"
#include "report/json_text.hpp"
#include "report/table.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::report {

namespace {

using Json = nlohmann::ordered_json;
using model::Phase;

constexpr std::string_view good = "32";
constexpr std::string_view warm = "33";
constexpr std::string_view bad = "31";

std::string_view paint_of(const model::PlanRecord& plan) {
    switch (plan.phase) {
        case Phase::bound:
            return good;
        case Phase::clearing:
        case Phase::held:
        case Phase::committed:
            return warm;
        case Phase::degraded:
            return bad;
        case Phase::pending:
            return plan.reason == model::to_string(model::Reason::incomplete) ? warm : bad;
    }
    return {};
}

auto bound_in(const model::PlanRecord& plan) {
    return std::ranges::count_if(plan.seats, &model::RecordedSeat::bound);
}

// cpu in thousandths of a core and memory in bytes, as the model has them; devices first, since they are what counts.
std::string shown(const model::Amounts& amounts) {
    std::vector<std::string> devices;
    std::vector<std::string> others;
    for (const auto& [name, amount] : amounts.entries()) {
        if (name == "pods")
            continue;
        const bool is_device = name.contains('/') || name.starts_with(model::device_prefix);
        const auto unit = name == "cpu" ? "m" : "";
        (is_device ? devices : others).push_back(fmt::format("{} {}{}", name, amount, unit));
    }
    devices.insert(devices.end(), others.begin(), others.end());
    return fmt::format("{}", fmt::join(devices, ", "));
}

// The state of a seat whose pod is not bound.
std::string state_of(Phase phase) {
    if (phase == Phase::clearing)
        return "clearing";
    return phase == Phase::held ? "held" : "committed";
}

std::string shown(const std::optional<std::chrono::milliseconds>& left) {
    return left ? fmt::format("{}s", (left->count() + 999) / 1000) : std::string("-");
}

}  // namespace

Status status_of(const engine::PublishedState& published, bool leads) {
    const auto& stats = published.stats;
    Status status;
    status.leads = leads;
    status.headline = fmt::format(
        "{}, {}; {} nodes, {} pods, {} groups; seats: {} held, {} committed; {} waiting at the barrier",
        leads ? "leads" : "is on standby",
        published.draining
            ? "is shutting down"
            : (published.is_synced() ? std::string("in step")
                                     : fmt::format("not listed yet: {}", fmt::join(published.unsynced, ", "))),
        stats.nodes, stats.pods, stats.groups, stats.held_seats, stats.committed_seats, stats.barrier_waiting);
    for (const auto& [name, view] : published.gangs.sorted())
        status.plans.push_back(view->record);
    return status;
}

std::string status_text(const Status& status, bool has_colour) {
    std::string out = status.headline.empty() ? std::string() : status.headline + "\n";
    for (const auto& sentence : status.unreadable)
        out += fmt::format("unreadable: {}\n", sentence);
    for (const auto& sentence : status.not_served)
        out += fmt::format("not served: {}\n", sentence);
    if (!out.empty())
        out += "\n";
    if (status.plans.empty())
        return out + (status.leads ? "no gangs\n" : "a standby lists no gangs: ask the leader\n");
    if (!status.leads)
        out += "as this standby last knew them; the leader knows better:\n";
    Table table({"NAMESPACE", "GANG", "PHASE", "REASON", "BOUND", "MESSAGE"});
    for (const auto& plan : status.plans) {
        table.add({{plan.ns},
                   {std::string(base::split_at_slash(plan.root.name).behind)},
                   {std::string(model::to_string(plan.phase)), paint_of(plan)},
                   {plan.reason.empty() ? "-" : plan.reason},
                   {fmt::format("{}/{}", bound_in(plan), plan.seats.size())},
                   {plan.message}});
    }
    return out + table.text(has_colour);
}

std::string status_json(const Status& status) {
    auto items = Json::array();
    for (const auto& plan : status.plans) {
        items.push_back({{"namespace", plan.ns},
                         {"gang", plan.root.name},
                         {"plan", plan.name},
                         {"phase", model::to_string(plan.phase)},
                         {"reason", plan.reason},
                         {"message", plan.message},
                         {"seats", plan.seats.size()},
                         {"bound", bound_in(plan)}});
    }
    Json document{{"apiVersion", "echelon.sh/v1alpha1"}, {"kind", "GangStatusList"}, {"summary", status.headline}};
    if (!status.unreadable.empty())
        document["unreadable"] = status.unreadable;
    if (!status.not_served.empty())
        document["notServed"] = status.not_served;
    document["items"] = std::move(items);
    return json_text(document);
}

std::vector<SummaryLine> summary_of(const engine::PublishedState& published, bool leads,
                                    const std::vector<kube::WatchStatus>& watched) {
    const auto status = status_of(published, leads);
    std::vector<SummaryLine> lines{{"", "summary: " + status.headline}};
    for (const auto& kind : watched) {
        lines.push_back({"", fmt::format("summary: {}: {} objects{}{}", kind.what, kind.objects,
                                         kind.trouble.empty() ? "" : "; ", kind.trouble)});
    }
    for (const auto& plan : status.plans) {
        lines.push_back(
            {plan.root.name,
             fmt::format("summary: gang {}: {}{}{}, {} of {} seats bound{}{}", plan.root.name,
                         model::to_string(plan.phase), plan.reason.empty() ? "" : " ", plan.reason, bound_in(plan),
                         plan.seats.size(), plan.message.empty() ? "" : "; ", plan.message)});
    }
    return lines;
}

std::string holds_text(const std::vector<engine::HeldSeat>& seats, bool has_colour) {
    if (seats.empty())
        return "nothing is held\n";
    Table table({"NODE", "POD", "GANG", "STATE", "ENDS IN", "REQUESTS"});
    for (const auto& seat : seats) {
        table.add({{seat.node},
                   {seat.pod},
                   {seat.gang.empty() ? "-" : seat.gang},
                   {seat.state, seat.state == "committed" || seat.state == "binding" ? good : warm},
                   {shown(seat.ends_in)},
                   {shown(seat.requests)}});
    }
    return table.text(has_colour);
}

std::string holds_json(const std::vector<engine::HeldSeat>& seats) {
    auto items = Json::array();
    for (const auto& seat : seats) {
        auto requests = Json::object();
        for (const auto& [name, amount] : seat.requests.entries())
            requests[name] = amount;
        Json item{{"node", seat.node}, {"pod", seat.pod}, {"gang", seat.gang}, {"state", seat.state}};
        if (seat.ends_in)
            item["endsInMilliseconds"] = seat.ends_in->count();
        item["requests"] = std::move(requests);
        items.push_back(std::move(item));
    }
    return json_text({{"apiVersion", "echelon.sh/v1alpha1"}, {"kind", "HoldList"}, {"items", std::move(items)}});
}

std::vector<engine::HeldSeat> seats_in(const std::vector<model::PlanRecord>& plans) {
    std::vector<engine::HeldSeat> seats;
    for (const auto& plan : plans) {
        for (const auto& seat : plan.seats) {
            if (seat.bound)
                continue;
            seats.push_back({.pod = seat.pod,
                             .gang = plan.root.name,
                             .node = seat.node,
                             .state = state_of(plan.phase),
                             .requests = {},
                             .ends_in = std::nullopt});
        }
    }
    std::ranges::sort(seats, {}, [](const engine::HeldSeat& seat) { return std::tie(seat.node, seat.pod); });
    return seats;
}

}  // namespace echelon::report
