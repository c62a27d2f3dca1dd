#include "translate/topology_exporter.hpp"

#include "kube/json/foreign_json.hpp"
#include "kube/json/splitter.hpp"
#include "kube/topology/topology_object.hpp"
#include "kube/write/gangplan.hpp"
#include "kube/write/write_request.hpp"
#include "translate/api_call.hpp"
#include "translate/written_name.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using base::Result;
using nlohmann::json;

constexpr std::chrono::milliseconds standby{1000};

// API paths of a target's objects, newest version first.
std::vector<std::string> api_versions_of(TopologyTarget target) {
    switch (target) {
        case TopologyTarget::hyper_node:
            return {"topology.volcano.sh/v1alpha1"};
        case TopologyTarget::kueue:
            return {"kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1"};
        case TopologyTarget::kai:
            return {"kai.scheduler/v1alpha1"};
        case TopologyTarget::koordinator:
            return {"scheduling.koordinator.sh/v1alpha1"};
    }
    return {};
}

std::string folder_of(const std::string& api_version, TopologyTarget target) {
    const bool is_topology = target == TopologyTarget::kueue || target == TopologyTarget::kai;
    const auto* const resource = is_topology                            ? "topologies"
                                 : target == TopologyTarget::hyper_node ? "hypernodes"
                                                                        : "clusternetworktopologies";
    return fmt::format("/apis/{}/{}", api_version, resource);
}

std::string kind_of(TopologyTarget target) {
    switch (target) {
        case TopologyTarget::hyper_node:
            break;
        case TopologyTarget::kueue:
            return kube::kueue_topology.full_name();
        case TopologyTarget::kai:
            return kube::kai_topology.full_name();
        case TopologyTarget::koordinator:
            return kube::koordinator_topology.full_name();
    }
    return {};
}

// Of labels and annotations, by which sources of topologies place nodes. Equal hashes of unlike ones do no harm: the
// next check finds the change.
std::size_t hash_of_places(const model::Node& node) {
    std::size_t hash = 0;
    for (const auto* texts : {&node.labels, &node.annotations}) {
        for (const auto& [key, value] : *texts) {
            for (const std::string_view text : {std::string_view(key), std::string_view(value)})
                hash = hash * 31 + std::hash<std::string_view>()(text);
        }
        hash = hash * 31 + 1;
    }
    return hash;
}

// Ignores defaults that the API server may have added.
bool contains(const json& found, const json& wanted) {
    if (wanted.is_array()) {
        return found.is_array() && found.size() == wanted.size() &&
               std::equal(found.begin(), found.end(), wanted.begin(), contains);
    }
    if (!wanted.is_object())
        return found == wanted;
    for (auto part = wanted.begin(); part != wanted.end(); ++part) {
        const auto there = found.is_object() ? found.find(part.key()) : found.end();
        if (there == found.end() || !contains(*there, part.value()))
            return false;
    }
    return true;
}

}  // namespace

bool is_exported(const model::Event& event, TopologyTarget target, const std::string& name) {
    if (const auto* seen = std::get_if<model::DomainSeen>(&event)) {
        return target == TopologyTarget::hyper_node && seen->domain.name.starts_with(written_name(name) + ".tier-");
    }
    const auto* seen = std::get_if<model::TopologySeen>(&event);
    return seen != nullptr && seen->topology.source == model::TopologySource::object && seen->topology.name == name &&
           seen->topology.api_kind == kind_of(target);
}

TopologyExporter::TopologyExporter(std::shared_ptr<kube::Credentials> credentials, TopologyExporterOptions options,
                                   Source source, MayWrite may_write, Log log)
    : options_(std::move(options)),
      source_(std::move(source)),
      may_write_(std::move(may_write)),
      log_(std::move(log)),
      client_(std::move(credentials)),
      bucket_(options_.qps, options_.burst),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TopologyExporter::~TopologyExporter() {
    thread_.request_stop();
    client_.cancel();
}

void TopologyExporter::notice(const model::Event& event) {
    const std::lock_guard lock(mutex_);
    if (!may_change_topology(event))
        return;
    due_ = std::min(due_, std::max(not_before_, std::chrono::steady_clock::now() + options_.settle));
    changed_.notify_one();
}

bool TopologyExporter::may_change_topology(const model::Event& event) {
    if (const auto* seen = std::get_if<model::NodeSeen>(&event)) {
        const auto hash = hash_of_places(seen->node);
        const auto [known, is_new] = places_.try_emplace(seen->node.name, hash);
        return is_new || std::exchange(known->second, hash) != hash;
    }
    if (const auto* gone = std::get_if<model::NodeGone>(&event)) {
        places_.erase(gone->name);
        return true;
    }
    return model::is_topology_event(event);
}

void TopologyExporter::run(const std::stop_token& stop) {
    while (wait(stop)) {
        const Pause pause = sync(stop);
        const auto now = std::chrono::steady_clock::now();
        const std::lock_guard lock(mutex_);
        not_before_ = now + pause.shortest;
        due_ = std::max(not_before_, std::min(due_, now + pause.longest));
    }
}

// Waits until a run is due. False: stopped. Later events make another run due.
bool TopologyExporter::wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        const Instant at = due_;
        if (at <= std::chrono::steady_clock::now()) {
            due_ = Instant::max();
            return true;
        }
        changed_.wait_until(lock, stop, at, [this, at] { return due_ < at; });
    }
    return false;
}

TopologyExporter::Pause TopologyExporter::sync(const std::stop_token& stop) {
    if (!may_write_())
        return {.shortest = {}, .longest = standby};
    auto exported = source_(stop);
    if (!exported)
        return {.shortest = {}, .longest = standby};
    if (!exported->refusal.empty()) {
        log_sentence(fmt::format("the topology isn't written: {}", exported->refusal));
        return {.shortest = options_.rest, .longest = options_.check_period};
    }
    has_written_ = false;
    retry_after_ = {};
    if (auto kept = keep(std::move(exported->objects)); !kept) {
        if (!stop.stop_requested())
            log_sentence(kept.error().sentence);
        const auto pause = std::max<std::chrono::milliseconds>(options_.retry, retry_after_);
        return {.shortest = pause, .longest = pause};
    }
    last_logged_.clear();
    return {.shortest = has_written_ ? std::chrono::milliseconds(0) : options_.rest, .longest = options_.check_period};
}

Result<void> TopologyExporter::keep(std::vector<json> wanted) {
    for (const std::string& api_version : api_versions_of(options_.target)) {
        const std::string folder = folder_of(api_version, options_.target);
        const auto existing = list(folder);
        if (!existing)
            return std::unexpected(existing.error());
        if (!*existing)
            continue;
        for (json& object : wanted) {
            object["apiVersion"] = api_version;
            object["metadata"]["labels"] = {{std::string(export_label), options_.name},
                                            {"app.kubernetes.io/managed-by", "echelon"}};
        }
        return keep_in(folder, wanted, **existing);
    }
    return base::failure("the API server doesn't serve the kind that the topology is exported as");
}

Result<void> TopologyExporter::keep_in(const std::string& folder, const std::vector<json>& wanted,
                                       const Objects& existing) {
    Result<void> result;
    Objects gone = existing;
    for (const json& object : wanted) {
        gone.erase(kube::metadata_of(object, "name"));
        if (auto written = write(folder, object, existing); !written && result)
            result = std::move(written);
    }
    return result ? prune(folder, gone) : result;
}

Result<void> TopologyExporter::write(const std::string& folder, const json& wanted, const Objects& existing) {
    const std::string name = kube::metadata_of(wanted, "name");
    const std::string title = fmt::format("{} {}", kube::text_in(wanted, "kind"), name);
    const auto known = existing.find(name);
    const std::string manager = fmt::format("?fieldManager={}", kube::field_manager);
    if (known == existing.end()) {
        const auto answer = send(request_with("POST", folder + manager, wanted, "application/json"));
        if (answer.succeeded() || answer.status != 409)
            return done("creating " + title, answer);
        return base::failure(fmt::format("{} is there already without the label {}={}: it is left as it is", title,
                                         export_label, options_.name));
    }
    const json* spec = kube::part_of(known->second, "spec");
    const json* asked = kube::part_of(wanted, "spec");
    if (spec != nullptr && contains(*spec, *asked))
        return {};
    const json patch = {{"metadata", {{"uid", kube::metadata_of(known->second, "uid")}}}, {"spec", *asked}};
    return done("changing " + title, send(request_with("PATCH", folder + "/" + kube::percent_encoded(name) + manager,
                                                       patch, "application/merge-patch+json")));
}

Result<void> TopologyExporter::prune(const std::string& folder, const Objects& gone) {
    for (const auto& [name, object] : gone) {
        const json body = {{"apiVersion", "v1"},
                           {"kind", "DeleteOptions"},
                           {"preconditions", {{"uid", kube::metadata_of(object, "uid")}}}};
        const auto answer =
            send(request_with("DELETE", folder + "/" + kube::percent_encoded(name), body, "application/json"));
        if (answer.status == 404)
            continue;
        if (auto deleted = done("deleting " + name, answer); !deleted)
            return deleted;
    }
    return {};
}

// Nullopt: the kind isn't served there.
Result<std::optional<TopologyExporter::Objects>> TopologyExporter::list(const std::string& folder) {
    const std::string action = "listing " + folder;
    const std::string selector = kube::percent_encoded(fmt::format("{}={}", export_label, options_.name));
    const auto answer = send({.target = fmt::format("{}?labelSelector={}", folder, selector)});
    if (answer.status == 404)
        return std::optional<Objects>();
    if (const auto listed = done(action, answer); !listed)
        return std::unexpected(listed.error());
    const Result<json> all = kube::parse_object(answer.body);
    if (!all)
        return base::failure(fmt::format("{}: {}", action, all.error().sentence));
    Objects objects;
    if (const json* items = kube::part_of(*all, "items"); items != nullptr && items->is_array()) {
        for (const json& item : *items)
            objects.emplace(kube::metadata_of(item, "name"), item);
    }
    return std::optional(std::move(objects));
}

kube::HttpAnswer TopologyExporter::send(const kube::HttpRequest& request) {
    if (const auto delay = bucket_.take(std::chrono::steady_clock::now()); delay.count() > 0) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, thread_.get_stop_token(), delay, [] { return false; });
    }
    has_written_ = has_written_ || request.method != "GET";
    auto answer = client_.send(request);
    retry_after_ = std::max(retry_after_, answer.retry_after.value_or(std::chrono::seconds(0)));
    return answer;
}

void TopologyExporter::log_sentence(const std::string& sentence) {
    if (std::exchange(last_logged_, sentence) != sentence)
        log_(sentence);
}

}  // namespace echelon::translate
