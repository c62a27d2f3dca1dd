#include "server/extender/explain.hpp"

#include "server/http/json_text.hpp"
#include "server/http/refused.hpp"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::server {
namespace {

using Json = nlohmann::ordered_json;

// Names come from objects that anybody may write: bytes that aren't UTF-8 are replaced, and nothing is thrown.
std::string text_of(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json seats_of(const model::PlanRecord& record) {
    auto seats = Json::array();
    for (const auto& seat : record.seats) {
        seats.push_back({{"pod", seat.pod}, {"uid", seat.uid}, {"node", seat.node}, {"bound", seat.bound}});
    }
    return seats;
}

Json groups_of(const model::PlanRecord& record) {
    auto groups = Json::array();
    for (const auto& group : record.groups) {
        groups.push_back(
            {{"group", group.group}, {"placed", group.placed}, {"minimum", group.minimum}, {"domain", group.domain}});
    }
    return groups;
}

Json summary_of(const engine::GangView& view) {
    return {{"gang", view.record.root.name},
            {"kind", view.record.root.kind},
            {"phase", model::to_string(view.record.phase)},
            {"reason", view.record.reason},
            {"message", view.record.message},
            {"epoch", view.record.epoch},
            {"members", view.members},
            {"waitingAtBarrier", view.waiting_at_barrier}};
}

Json amounts_of(const model::Amounts& amounts) {
    auto json = Json::object();
    for (const auto& [name, amount] : amounts.entries())
        json[name] = amount;
    return json;
}

Json blocker_of(const model::Blocker& blocker) {
    Json json{{"kind", model::to_string(blocker.kind)}};
    if (!blocker.owner.empty())
        json["gang"] = blocker.owner;
    json["count"] = blocker.count;
    json["room"] = blocker.room;
    if (!blocker.is_about_nodes()) {
        json["amount"] = blocker.amount;
        json["priority"] = blocker.priority;
    }
    auto names = Json::array();
    for (const auto& [name, amount] : blocker.names)
        names.push_back(name);
    json["names"] = std::move(names);
    return json;
}

Json domain_of(const model::ExplainedDomain& domain) {
    auto blockers = Json::array();
    for (const auto& blocker : domain.blockers)
        blockers.push_back(blocker_of(blocker));
    return {{"domain", domain.path},
            {"room", domain.room},
            {"roomWhenEmpty", domain.slots_when_empty},
            {"missing", domain.missing},
            {"blockers", std::move(blockers)},
            {"blockersLeftOut", domain.blockers_left_out}};
}

Json group_of(const model::ExplainedGroup& group) {
    auto sizes = Json::array();
    for (const auto& size : group.sizes)
        sizes.push_back({{"requests", amounts_of(size.requests)}, {"needed", size.needed}, {"room", size.room}});
    auto domains = Json::array();
    for (const auto& domain : group.domains)
        domains.push_back(domain_of(domain));
    return {{"group", group.group},
            {"depth", group.depth},
            {"status", model::to_string(group.status)},
            {"waitsFor", group.blamed_group},
            {"alike", group.alike},
            {"minimum", group.minimum},
            {"existing", group.existing},
            {"counting", group.counting},
            {"needed", group.needed},
            {"mostAtOnce", group.at_once},
            {"mostAtOnceIsAtLeast", group.is_at_least},
            {"level", group.level},
            {"domain", group.domain},
            {"splitOver", group.split},
            {"sizes", std::move(sizes)},
            {"domains", std::move(domains)},
            {"domainsLeftOut", group.domains_left_out},
            {"nodesWithoutLevel", group.nodes_without_level},
            {"nodesWithoutLevelNamed", group.nodes_named}};
}

// Amounts as the model has them: cpu in thousandths of a core, memory in bytes.
Json explanation_of(const model::Explanation& explanation) {
    auto groups = Json::array();
    for (const auto& group : explanation.groups)
        groups.push_back(group_of(group));
    return {{"groups", std::move(groups)},
            {"groupsLeftOut", explanation.groups_left_out},
            {"wouldFitWithout", explanation.without}};
}

Json stats_of(const engine::Stats& stats) {
    return {{"nodes", stats.nodes},
            {"pods", stats.pods},
            {"groups", stats.groups},
            {"heldSeats", stats.held_seats},
            {"committedSeats", stats.committed_seats},
            {"barrierWaiting", stats.barrier_waiting},
            {"commits", stats.commits},
            {"membersBound", stats.members_bound},
            {"barrierTimeouts", stats.barrier_timeouts},
            {"holdsExpired", stats.holds_expired},
            {"holdsBroken", stats.holds_broken}};
}

}  // namespace

Answer not_listed_yet(const engine::PublishedState& published) {
    return no_explanation(
        fmt::format("not in sync yet: {} of the API server are missing", fmt::join(published.unsynced, ", ")));
}

std::expected<std::shared_ptr<const engine::GangView>, Answer> find_gang(const engine::PublishedState& published,
                                                                         std::string_view gang, bool leads) {
    if (gang.empty()) {
        return std::unexpected(
            Answer{.status = 400, .type = text_type, .body = "which gang? ask with ?gang=NAMESPACE/NAME\n"});
    }
    auto found = published.gangs.find(gang);
    if (found == nullptr && !published.is_synced())
        return std::unexpected(not_listed_yet(published));
    if (found == nullptr) {
        const auto* why = leads ? "its members have to ask for a scheduler of ours, and to name it"
                                : "this echelon is on standby and lists no gangs, ask the leader";
        return std::unexpected(Answer{
            .status = 404, .type = text_type, .body = fmt::format("no gang \"{}\": {}\n", printable(gang, 512), why)});
    }
    return found;
}

Answer explain_answer(const engine::GangView& view, const model::Explanation* explanation) {
    auto json = summary_of(view);
    json["seats"] = seats_of(view.record);
    json["groups"] = groups_of(view.record);
    if (explanation != nullptr)
        json["explanation"] = explanation_of(*explanation);
    return {.body = text_of(json)};
}

bool wants_text(std::string_view accept) {
    const auto text = accept.find("text/plain");
    return text != std::string_view::npos && text < accept.find("json");
}

Answer state_answer(const engine::PublishedState& published) {
    auto gangs = Json::array();
    for (const auto& [name, view] : published.gangs.sorted())
        gangs.push_back(summary_of(*view));
    Json json{{"version", published.version},
              {"unsynced", published.unsynced},
              {"draining", published.draining},
              {"stats", stats_of(published.stats)},
              {"gangs", std::move(gangs)}};
    return {.body = text_of(json)};
}

}  // namespace echelon::server
