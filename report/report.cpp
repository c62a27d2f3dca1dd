#include "report/report.hpp"

#include "report/json_text.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace echelon::report {

namespace {

using Json = nlohmann::ordered_json;  // Keys in the order of the contract.

Json seats_of(const GangReport& gang) {
    Json rows = Json::array();
    for (const auto& seat : gang.seats) {
        rows.push_back({{"pod", seat.pod}, {"group", seat.group}, {"node", seat.node}});
    }
    return rows;
}

Json victims_of(const GangReport& gang) {
    Json rows = Json::array();
    for (const auto& victim : gang.victims) {
        rows.push_back(
            {{"pod", victim.pod}, {"node", victim.node}, {"gang", victim.gang}, {"priority", victim.priority}});
    }
    return rows;
}

std::string outcome_of(const GangReport& gang) {
    if (gang.is_clearing())
        return "Clearing";
    return gang.is_placed() ? "Placed" : "Refused";
}

Json groups_of(const GangReport& gang) {
    Json rows = Json::array();
    for (const auto& group : gang.groups) {
        rows.push_back(
            {{"group", group.group}, {"placed", group.placed}, {"minimum", group.minimum}, {"domain", group.domain}});
    }
    return rows;
}

}  // namespace

bool PlanReport::is_all_placed() const {
    return std::ranges::all_of(gangs, &GangReport::is_placed);
}

std::string to_json(const PlanReport& report) {
    Json rows = Json::array();
    for (const auto& gang : report.gangs) {
        rows.push_back({{"gang", gang.gang},
                        {"outcome", outcome_of(gang)},
                        {"reason", gang.reason ? std::string(model::to_string(*gang.reason)) : std::string()},
                        {"message", gang.message},
                        {"proved", gang.is_proved()},
                        {"seats", seats_of(gang)},
                        {"groups", groups_of(gang)},
                        {"milliseconds", std::round(gang.milliseconds * 1000.0) / 1000.0}});
        if (gang.is_clearing())
            rows.back()["victims"] = victims_of(gang);
    }
    const Json document = {{"apiVersion", "echelon.sh/v1alpha1"}, {"kind", "PlanReport"}, {"gangs", std::move(rows)}};
    return json_text(document);
}

}  // namespace echelon::report
