#include "kube/core/node_health.hpp"

#include "base/kubernetes_names.hpp"
#include "base/quoted.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr char mark = ':';  // First character of the key of such a taint; no label key begins with it.

constexpr std::pair<std::string_view, model::TaintEffect> effects[] = {
    {"NoSchedule", model::TaintEffect::no_schedule},
    {"PreferNoSchedule", model::TaintEffect::prefer_no_schedule},
    {"NoExecute", model::TaintEffect::no_execute}};

bool is_met(const NodeHealth::Taint& named, const model::Taint& taint) {
    return taint.key == named.key && (!named.value || taint.value == *named.value) &&
           (!named.effect || taint.effect == *named.effect);
}

void mark_unusable(std::string reason, model::Node& node) {
    node.ready = false;
    node.taints.insert(node.taints.begin(), {.key = mark + std::move(reason), .value = {}});
}

}  // namespace

base::Result<NodeHealth::Condition> parse_condition(std::string_view text) {
    const auto equals = text.find('=');
    NodeHealth::Condition condition{.type = std::string(text.substr(0, equals)), .status = "True"};
    if (equals != std::string_view::npos)
        condition.status = text.substr(equals + 1);
    const bool is_known = condition.status == "True" || condition.status == "False" || condition.status == "Unknown";
    if (!base::is_label_key(condition.type) || !is_known)
        return base::failure(fmt::format("must be TYPE or TYPE=STATUS with the status True, False or Unknown, not {}",
                                         base::quoted(std::string(text))));
    return condition;
}

base::Result<NodeHealth::Taint> parse_taint(std::string_view text) {
    NodeHealth::Taint taint;
    auto rest = text;
    bool is_right = true;
    if (const auto colon = rest.rfind(':'); colon != std::string_view::npos) {
        const auto effect = std::ranges::find_if(
            effects, [word = rest.substr(colon + 1)](const auto& row) { return row.first == word; });
        is_right = effect != std::end(effects);
        if (is_right)
            taint.effect = effect->second;
        rest = rest.substr(0, colon);
    }
    const auto equals = rest.find('=');
    taint.key = rest.substr(0, equals);
    if (equals != std::string_view::npos)
        taint.value = std::string(rest.substr(equals + 1));
    if (!is_right || !base::is_label_key(taint.key))
        return base::failure(fmt::format("must be KEY, KEY=VALUE, KEY:EFFECT or KEY=VALUE:EFFECT, not {}",
                                         base::quoted(std::string(text))));
    return taint;
}

void judge_health(const Field& object, const NodeHealth& health, model::Node& node) {
    if (!node.ready)
        return;  // Unusable already.
    for (const NodeHealth::Taint& named : health.taints) {
        if (std::ranges::any_of(node.taints, [&](const model::Taint& taint) { return is_met(named, taint); }))
            return mark_unusable("taint " + named.key, node);
    }
    if (health.conditions.empty())
        return;
    for (const Field& condition : object.at("status").at("conditions").items()) {
        const auto is_met = [&](const NodeHealth::Condition& named) {
            return condition.text("type") == named.type && condition.text("status") == named.status;
        };
        const auto met = std::ranges::find_if(health.conditions, is_met);
        if (met != health.conditions.end()) {
            const std::string status = met->status == "True" ? "" : " is " + met->status;
            return mark_unusable("condition " + met->type + status, node);
        }
    }
}

std::string unhealthy_because(const model::Node& node) {
    const auto reason = std::ranges::find_if(node.taints, is_reason);
    return reason == node.taints.end() ? std::string() : reason->key.substr(1);
}

bool is_reason(const model::Taint& taint) {
    return taint.key.starts_with(mark);
}

}  // namespace echelon::kube
