#include "translate/pod_group_controller.hpp"

#include "base/split.hpp"
#include "base/time_text.hpp"
#include "kube/decode.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/splitter.hpp"
#include "kube/topology/topology_object.hpp"
#include "kube/write/write_request.hpp"
#include "translate/api_call.hpp"
#include "translate/clique_set.hpp"
#include "translate/grove_paths.hpp"
#include "translate/pod_group_diff.hpp"
#include "translate/targets.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {

namespace {

using base::Result;
using nlohmann::json;

constexpr std::string_view pod_gang_kind = "grove-podgang";
constexpr std::string_view pod_group_kind = "koordinator-podgroup";
constexpr std::string_view layers_resource = "clusternetworktopologies.scheduling.koordinator.sh";
constexpr auto standby = std::chrono::seconds(1);
constexpr auto calm = std::chrono::minutes(10);

std::string text_at(const json& object, const char* part, const char* key) {
    const auto found = object.find(part);
    if (found == object.end() || !found->is_object())
        return {};
    const auto value = found->find(key);
    return value != found->end() && value->is_string() ? value->get<std::string>() : std::string();
}

std::string label_of(const json& object, const char* key) {
    const auto metadata = object.find("metadata");
    return metadata == object.end() || !metadata->is_object() ? std::string() : text_at(*metadata, "labels", key);
}

// The minimum in an existing PodGroup, by "namespace/name".
std::optional<std::int64_t> minimum_of(const std::map<std::string, json>& existing, const std::string& full_name) {
    const auto group = existing.find(std::string(base::split_at_slash(full_name).behind));
    if (group == existing.end())
        return std::nullopt;
    const json* spec = kube::part_of(group->second, "spec");
    const json* minimum = spec == nullptr ? nullptr : kube::part_of(*spec, "minMember");
    const bool is_said = minimum != nullptr && minimum->is_number_integer();
    return is_said ? std::optional(minimum->get<std::int64_t>()) : std::nullopt;
}

// The body of the answer; nullopt: the object doesn't exist.
Result<std::optional<json>> found_in(const std::string& action, const kube::HttpAnswer& answer) {
    const model::Outcome outcome = kube::outcome_of(action, answer);
    if (outcome.kind == model::Outcome::Kind::gone)
        return std::optional<json>();
    if (outcome.kind != model::Outcome::Kind::done)
        return base::failure(outcome.sentence);
    Result<json> object = kube::parse_object(answer.body);
    if (!object)
        return base::failure(fmt::format("{}: {}", action, object.error().sentence));
    return std::optional<json>(std::move(*object));
}

std::string now_text() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return base::time_text_with_microseconds(now);
}

}  // namespace

PodGroupController::PodGroupController(std::shared_ptr<kube::Credentials> credentials,
                                       PodGroupControllerOptions options, MayWrite may_write, Log log)
    : options_(std::move(options)),
      may_write_(std::move(may_write)),
      log_(std::move(log)),
      client_(std::move(credentials)),
      bucket_(options_.qps, options_.burst),
      generator_(std::random_device{}()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

PodGroupController::~PodGroupController() {
    thread_.request_stop();
    client_.cancel();
}

void PodGroupController::notice(const model::Event& event) {
    if (const auto* seen = std::get_if<model::GroupSetSeen>(&event))
        return notice_set(seen->set);
    if (const auto* gone = std::get_if<model::GroupSetGone>(&event))
        return notice_gone(gone->owner);
    if (const auto* seen = std::get_if<model::PodSeen>(&event))
        return notice_pod(seen->pod);
    if (const auto* gone = std::get_if<model::PodGone>(&event)) {
        const std::lock_guard lock(mutex_);
        return mixed_roles_.notice_gone(gone->uid);
    }
    if (const auto* seen = std::get_if<model::TopologySeen>(&event)) {
        if (auto layers = layers_of(seen->topology))
            notice_layers(std::move(*layers));
    } else if (const auto* gone = std::get_if<model::TopologyGone>(&event)) {
        if (gone->api_kind == kube::koordinator_topology.full_name() && gone->name == "default")
            notice_layers({});
    } else if (const auto* synced = std::get_if<model::Synced>(&event); synced && synced->what == layers_resource) {
        const std::lock_guard lock(mutex_);
        knows_layers_ = true;
        changed_.notify_one();
    }
}

void PodGroupController::notice_set(const model::GroupSet& set) {
    const std::lock_guard lock(mutex_);
    if (set.owner.kind == pod_gang_kind) {
        gangs_.try_emplace(set.owner.name);
        return enqueue(set.owner.name);
    }
    if (set.owner.kind != pod_group_kind)
        return;
    if (const auto gang = gang_of_.find(set.owner.name); gang != gang_of_.end())
        enqueue(gang->second);
}

void PodGroupController::notice_gone(const model::GroupKey& owner) {
    const std::lock_guard lock(mutex_);
    if (owner.kind == pod_gang_kind) {
        gangs_.erase(owner.name);
        due_.erase(owner.name);
    } else if (owner.kind == pod_group_kind) {
        if (const auto gang = gang_of_.extract(owner.name))
            enqueue(gang.mapped());
    }
}

void PodGroupController::notice_pod(const model::Pod& pod) {
    if (pod.scheduler_name != options_.scheduler_name)
        return;
    const std::lock_guard lock(mutex_);
    if (const auto gang = mixed_roles_.notice(pod))
        enqueue(*gang);
}

void PodGroupController::notice_layers(Layers layers) {
    const std::lock_guard lock(mutex_);
    if (layers == layers_)
        return;
    layers_ = std::move(layers);
    for (const auto& [name, gang] : gangs_) {
        if (gang.backoff)
            enqueue(name);
    }
}

void PodGroupController::enqueue(const std::string& gang) {
    if (!gangs_.contains(gang))
        return;
    due_.add(gang, std::chrono::steady_clock::now() + options_.settle);
    changed_.notify_one();
}

void PodGroupController::run(const std::stop_token& stop) {
    while (const auto gang = next(stop))
        reconcile(*gang);
}

// Waits for the next gang that is due; nullopt: stopped.
std::optional<std::string> PodGroupController::next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        if (due_.empty() || !knows_layers_) {
            changed_.wait(lock, stop, [this] { return !due_.empty() && knows_layers_; });
            continue;
        }
        const auto at = due_.first_time();
        if (const auto now = std::chrono::steady_clock::now(); at > now) {
            // Wakes up early if another gang becomes due before it.
            changed_.wait_until(lock, stop, at, [this, at] { return !due_.empty() && due_.first_time() < at; });
            continue;
        }
        if (!may_write_()) {
            changed_.wait_for(lock, stop, standby, [] { return false; });
            continue;
        }
        return due_.take_first();
    }
    return std::nullopt;
}

void PodGroupController::reconcile(const std::string& gang) {
    const auto [ns, name] = base::split_at_slash(gang);
    const Result<void> result = ensure_pod_groups(std::string(ns), std::string(name));
    const std::lock_guard lock(mutex_);
    const auto known = gangs_.find(gang);
    if (known == gangs_.end())
        return;
    auto& backoff = known->second.backoff;
    if (result)
        return backoff.reset();
    if (!backoff)
        backoff.emplace(options_.first_retry, options_.longest_retry, calm);
    const auto now = std::chrono::steady_clock::now();
    due_.add(gang, now + backoff->next(now, std::uniform_real_distribution<double>(0.0, 1.0)(generator_)));
}

Result<void> PodGroupController::ensure_pod_groups(const std::string& ns, const std::string& name) {
    const std::string gang = ns + "/" + name;
    const auto found = found_in(fmt::format("reading PodGang {}", gang), send({.target = pod_gang_path(ns, name)}));
    if (!found)
        return std::unexpected(found.error());
    const std::string scheduler = *found ? label_of(**found, "grove.io/scheduler-name") : std::string();
    if (!*found || !text_at(**found, "metadata", "deletionTimestamp").empty() ||
        (!scheduler.empty() && scheduler != options_.scheduler_name)) {
        static_cast<void>(keep_sentence(gang, ""));
        return {};  // Its PodGroups are deleted with it, or belong to another PodGang.
    }
    const std::string uid = text_at(**found, "metadata", "uid");
    const auto existing = list(ns, name);
    if (!existing)
        return std::unexpected(existing.error());
    Translation translation = translation_of(ns, **found, *existing);
    const Result<void> result =
        translation.refusal.empty() ? apply(ns, gang, translation, *existing, uid) : base::failure(translation.refusal);
    if (!result) {
        report_event(ns, name, uid, "NotTranslated", result.error().sentence);
    } else if (!translation.losses.empty()) {
        report_event(ns, name, uid, "PartlyTranslated", fmt::format("{}", fmt::join(translation.losses, "; ")));
    } else {
        static_cast<void>(keep_sentence(gang, ""));
    }
    return result;
}

Translation PodGroupController::translation_of(const std::string& ns, const json& pod_gang,
                                               const std::map<std::string, json>& existing) {
    TranslationTarget known;
    known.minimum_of = [&existing](const std::string& full_name) { return minimum_of(existing, full_name); };
    {
        const std::lock_guard lock(mutex_);
        known.layers = layers_;
    }
    Translation translation;
    if (const auto refusal = refusal_by_set(ns, pod_gang); !refusal || !refusal->empty()) {
        translation.refusal = refusal ? *refusal : refusal.error().sentence;
    } else if (const auto events = kube::decode(pod_gang, kube::Change::seen, {{}, options_.limits})) {
        translation = pod_groups_of(std::get<model::GroupSetSeen>(events->front()).set, options_.translation, known);
    } else {
        translation.refusal = events.error().sentence;
    }
    return translation;
}

// Writes the wanted PodGroups and deletes the others. May add a loss.
Result<void> PodGroupController::apply(const std::string& ns, const std::string& gang, Translation& translation,
                                       const std::map<std::string, json>& existing, const std::string& uid) {
    {
        const std::lock_guard lock(mutex_);
        for (const json& wanted : translation.objects)
            gang_of_[ns + "/" + text_at(wanted, "metadata", "name")] = gang;
        if (std::string warning = mixed_roles_.warning_of(gang); !warning.empty())
            translation.losses.push_back(std::move(warning));
    }
    for (const json& wanted : translation.objects) {
        if (Result<void> result = write(ns, wanted, existing, uid); !result)
            return result;
    }
    return prune(ns, translation, existing, uid);
}

// The refusal that only the PodCliqueSet of a gang shows (Z25).
Result<std::string> PodGroupController::refusal_by_set(const std::string& ns, const json& pod_gang) {
    const std::string name = clique_set_of(pod_gang);
    if (name.empty())
        return std::string();
    const auto set =
        found_in(fmt::format("reading PodCliqueSet {}/{}", ns, name), send({.target = clique_set_path(ns, name)}));
    if (!set)
        return std::unexpected(set.error());
    const bool is_named = label_of(pod_gang, "grove.io/scheduler-name") == options_.scheduler_name;
    return *set ? refusal_by(**set, is_named ? std::string() : options_.scheduler_name) : std::string();
}

Result<void> PodGroupController::write(const std::string& ns, const json& wanted,
                                       const std::map<std::string, json>& existing, const std::string& uid) {
    const std::string name = text_at(wanted, "metadata", "name");
    const std::string title = fmt::format("PodGroup {}/{}", ns, name);
    auto known = existing.find(name);
    std::optional<json> object;
    if (known != existing.end()) {
        object = known->second;
    } else {
        // The list contains only PodGroups with the label.
        auto found = found_in("reading " + title, send({.target = pod_group_path(ns, name)}));
        if (!found)
            return std::unexpected(found.error());
        object = std::move(*found);
    }
    if (!object) {
        const auto target = fmt::format("{}?fieldManager={}", pod_groups_path(ns), kube::field_manager);
        return done("creating " + title, send(request_with("POST", target, wanted, "application/json")));
    }
    if (!is_controlled_by(*object, uid))
        return base::failure(fmt::format("{} is there already, and isn't controlled by this PodGang", title));
    const auto patch = pod_group_patch(*object, wanted);
    if (!patch)
        return {};
    const auto target = fmt::format("{}?fieldManager={}", pod_group_path(ns, name), kube::field_manager);
    return done("changing " + title, send(request_with("PATCH", target, *patch, "application/merge-patch+json")));
}

Result<void> PodGroupController::prune(const std::string& ns, const Translation& translation,
                                       const std::map<std::string, json>& existing, const std::string& uid) {
    for (const auto& [name, object] : existing) {
        const bool is_wanted = std::ranges::any_of(
            translation.objects, [&](const json& wanted) { return text_at(wanted, "metadata", "name") == name; });
        if (is_wanted || !is_controlled_by(object, uid))
            continue;
        const std::string action = fmt::format("deleting PodGroup {}/{}", ns, name);
        const json options = {{"apiVersion", "v1"},
                              {"kind", "DeleteOptions"},
                              {"preconditions", {{"uid", text_at(object, "metadata", "uid")}}}};
        const auto answer = send(request_with("DELETE", pod_group_path(ns, name), options, "application/json"));
        if (const auto outcome = kube::outcome_of(action, answer);
            outcome.kind != model::Outcome::Kind::done && outcome.kind != model::Outcome::Kind::gone) {
            return base::failure(outcome.sentence);
        }
        const std::lock_guard lock(mutex_);
        gang_of_.erase(fmt::format("{}/{}", ns, name));
    }
    return {};
}

// The PodGroups with the label of a gang, by name.
Result<std::map<std::string, json>> PodGroupController::list(const std::string& ns, const std::string& gang) {
    const auto target = fmt::format("{}?labelSelector={}", pod_groups_path(ns),
                                    kube::percent_encoded(fmt::format("{}={}", grove_gang_label, gang)));
    const std::string action = fmt::format("listing the PodGroups of {}/{}", ns, gang);
    auto found = found_in(action, send({.target = target}));
    if (!found)
        return std::unexpected(found.error());
    if (!*found)
        return base::failure(fmt::format("{}: the API server serves none", action));
    std::map<std::string, json> groups;
    for (json& item : (*found)->value("items", json::array()))
        groups.emplace(text_at(item, "metadata", "name"), std::move(item));
    return groups;
}

kube::HttpAnswer PodGroupController::send(const kube::HttpRequest& request) {
    if (const auto wait = bucket_.take(std::chrono::steady_clock::now()); wait.count() > 0) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, thread_.get_stop_token(), wait, [] { return false; });
    }
    return client_.send(request);
}

bool PodGroupController::keep_sentence(const std::string& gang, const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    const auto known = gangs_.find(gang);
    return known != gangs_.end() && std::exchange(known->second.sentence, sentence) != sentence;
}

// Emits an event, unless it repeats the last one.
void PodGroupController::report_event(const std::string& ns, const std::string& name, const std::string& uid,
                                      const std::string& reason, const std::string& sentence) {
    if (!keep_sentence(ns + "/" + name, sentence))
        return;
    log_(fmt::format("PodGang {}/{}: {}", ns, name, sentence));
    const model::EmitGangEvent event{.ns = ns,
                                     .plan = name,
                                     .about_api_version = "scheduler.grove.io/v1alpha1",
                                     .about_kind = "PodGang",
                                     .about_name = name,
                                     .about_uid = uid,
                                     .reason = reason,
                                     .sentence = sentence,
                                     .is_warning = true};
    static_cast<void>(send(kube::request_of(event, {}, options_.reporter, now_text())));  // Best effort.
}

}  // namespace echelon::translate
