#include "server/explain.hpp"

#include "server/json_text.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::server {
namespace {

using Json = nlohmann::ordered_json;

// Names come from objects that anybody may write: bytes that aren't UTF-8 are replaced, never thrown at.
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

Answer explain_answer(const engine::Picture& picture, std::string_view gang) {
    if (gang.empty()) {
        return {.status = 400, .type = text_type, .body = "which gang? ask with ?gang=NAMESPACE/NAME\n"};
    }
    auto found = picture.gangs ? picture.gangs->find(std::string(gang)) : decltype(picture.gangs->end()){};
    if (!picture.gangs || found == picture.gangs->end()) {
        return {.status = 404, .type = text_type, .body = fmt::format("no gang \"{}\"\n", printable(gang, 512))};
    }
    const auto& view = *found->second;
    auto json = summary_of(view);
    json["seats"] = seats_of(view.record);
    json["groups"] = groups_of(view.record);
    return {.body = text_of(json)};
}

Answer state_answer(const engine::Picture& picture) {
    auto gangs = Json::array();
    if (picture.gangs) {
        for (const auto& [name, view] : *picture.gangs)
            gangs.push_back(summary_of(*view));
    }
    Json json{{"version", picture.version},
              {"unsynced", picture.unsynced},
              {"draining", picture.draining},
              {"stats", stats_of(picture.stats)},
              {"gangs", std::move(gangs)}};
    return {.body = text_of(json)};
}

}  // namespace echelon::server
