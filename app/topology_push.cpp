#include "app/topology_push.hpp"

#include "app/log.hpp"
#include "app/settings_mapping.hpp"
#include "kube/topology/topograph.hpp"
#include "report/json_text.hpp"

#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::app {

namespace {

using Call = server::Backend::TopologyCall;
using Answer = server::Backend::TopologyReply;
using Json = nlohmann::ordered_json;

Answer sentence(int status, std::string_view text) {
    return {status, fmt::format("{}\n", text)};
}

// Summary of a document that was read: the levels of each tree, the number of names that it places, and what was left
// out.
std::string summary_of(const std::string& name, const std::vector<model::Event>& events) {
    Json levels = Json::array();
    Json faults = Json::array();
    std::set<std::string_view> placed;
    for (const auto& event : events) {
        const auto* seen = std::get_if<model::TopologySeen>(&event);
        if (seen == nullptr)
            continue;
        for (const auto& level : seen->topology.levels)
            levels.push_back(level);
        for (const auto& flaw : seen->topology.flaws)
            faults.push_back(flaw.sentence);
        for (const auto& [called, row] : seen->topology.places)
            placed.insert(called);
    }
    return report::json_text(
        {{"name", name}, {"levels", std::move(levels)}, {"instances", placed.size()}, {"faults", std::move(faults)}});
}

// The answer for a write that failed.
Answer failed(const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    if (outcome.kind == Kind::gone)
        return sentence(502, outcome.sentence + "; the ConfigMap of topologyStore must exist");
    return sentence(502, outcome.sentence);
}

}  // namespace

kube::WatcherOptions watcher_options(const config::Settings& settings, app::PushedTopologies* topologies) {
    kube::WatcherOptions options;
    options.limits = model_limits(settings);
    options.health = node_health(settings);
    options.watch_budgets = config::preempts(settings);
    if (settings.topology_store) {
        options.store = kube::WatchedStore{
            .place = {.ns = settings.topology_store->store_namespace, .name = settings.topology_store->store_name},
            .read = {}};
        if (topologies != nullptr) {
            options.store->read = [topologies](const nlohmann::json& object, kube::Change change) {
                return topologies->apply(object, change);
            };
        }
    }
    return options;
}

std::unique_ptr<TopologyPush> push_of(const config::Settings& settings,
                                      const std::shared_ptr<kube::Credentials>& credentials) {
    return settings.topology_store ? std::make_unique<TopologyPush>(credentials, *settings.topology_store) : nullptr;
}

TopologyPush::TopologyPush(std::shared_ptr<kube::Credentials> credentials, const config::TopologyStore& store)
    : topologies_([](const std::string& what) {
          log_line(config::LogLevel::error, {.caller = "topology", .err = what}, what);
      }),
      store_(std::move(credentials), {.ns = store.store_namespace, .name = store.store_name}) {}

void TopologyPush::call(Call call, const Reply& reply) {
    if (!kube::is_topology_name(call.name)) {
        return reply(sentence(400, "a topology's name has up to 63 letters, digits, \"-\", \"_\" and \".\""));
    }
    if (call.verb == Call::Verb::keep)
        return keep(std::move(call), reply);
    const auto known = topologies_.text_of(call.name);
    if (!known)
        return reply(sentence(404, "there is no such topology"));
    if (call.verb == Call::Verb::show)
        return reply({200, *known});
    const Json gone = {{"name", call.name}};
    write(call.name, std::nullopt, report::json_text(gone), reply);
}

void TopologyPush::keep(Call call, const Reply& reply) {
    const auto parsed = kube::read_topograph_text(call.document, {.name = call.name});
    if (!parsed)
        return reply(sentence(400, parsed.error().sentence));
    auto account = summary_of(call.name, *parsed);
    write(std::move(call.name), std::move(call.document), std::move(account), reply);
}

void TopologyPush::write(std::string name, std::optional<std::string> document, std::string text, const Reply& reply) {
    const auto done = [reply, text = std::move(text)](const model::Outcome& outcome) {
        reply(outcome.kind == model::Outcome::Kind::done ? Answer{200, text} : failed(outcome));
    };
    if (!store_.keep(std::move(name), std::move(document), done))
        reply(sentence(503, "too many topologies wait to be written"));
}

TopologyFigures TopologyPush::figures() const {
    const auto figures = topologies_.figures();
    return {.applied = figures.applied, .refused = figures.refused};
}

}  // namespace echelon::app
