#include "kube/write/write_request.hpp"

#include "base/quoted.hpp"
#include "base/shortened.hpp"
#include "base/split.hpp"
#include "kube/client/watched_kind.hpp"
#include "kube/json/compact_text.hpp"
#include "kube/json/splitter.hpp"
#include "kube/protobuf/answer.hpp"
#include "kube/protobuf/envelope.hpp"
#include "kube/write/gangplan.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using model::Outcome;
using nlohmann::json;

constexpr const char* json_type = "application/json";
// Merges conditions by their type and gates by their name. For a pod it costs the API server less than a merge patch,
// which goes through JSON.
constexpr const char* strategic_merge_patch = "application/strategic-merge-patch+json";
constexpr const char* merge_patch = "application/merge-patch+json";
// The media type of server-side apply; JSON is valid YAML.
constexpr const char* apply_patch = "application/apply-patch+yaml";
constexpr const char* event_controller = "echelon.sh/echelon";
// The API server refuses longer ones.
constexpr std::size_t most_note_bytes = 1024;
constexpr std::size_t most_reporter_bytes = 128;

std::string pod_path(const model::PodRef& pod) {
    return fmt::format("/api/v1/namespaces/{}/pods/{}", percent_encoded(pod.ns), percent_encoded(pod.name));
}

std::string plan_path(std::string_view ns, std::string_view name) {
    return fmt::format("/apis/{}/namespaces/{}/gangplans/{}", gangplan_api_version, percent_encoded(ns),
                       percent_encoded(name));
}

std::string shown(const model::PodRef& pod) {
    return fmt::format("{}/{}", pod.ns, pod.name);
}

// A patch with another UID than the object's is refused.
HttpRequest patch(const model::PodRef& pod, std::string_view subresource, json body) {
    body["metadata"]["uid"] = pod.uid;
    return {.method = "PATCH",
            .target = pod_path(pod).append(subresource),
            .body = compact_text(body),
            .content_type = strategic_merge_patch,
            .accept = protobuf_metadata_or_json};
}

HttpRequest apply(const model::PlanRecord& record, std::string_view subresource, const json& body) {
    return {.method = "PATCH",
            .target = fmt::format("{}{}?fieldManager={}&force=true", plan_path(record.ns, record.name), subresource,
                                  field_manager),
            .body = compact_text(body),
            .content_type = apply_patch};
}

const json* find(const json& parent, const char* key) {
    if (!parent.is_object())
        return nullptr;
    const auto value = parent.find(key);
    return value == parent.end() ? nullptr : &*value;
}

std::string text(const json* parent, const char* key) {
    const json* value = parent == nullptr ? nullptr : find(*parent, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

// A patch with another UID than the object's is answered with 422, since it would change an immutable field.
bool is_about_another_object(const json& status) {
    const json* details = find(status, "details");
    const json* causes = details == nullptr ? nullptr : find(*details, "causes");
    if (causes == nullptr || !causes->is_array())
        return false;
    return std::ranges::any_of(*causes, [](const json& each) { return text(&each, "field") == "metadata.uid"; });
}

// The name of the budget that forbids an eviction, from "The disruption budget NAME needs 2 healthy pods and has 2
// currently". Empty: no budget forbids it. "?": the name isn't given.
std::string refusing_budget(const json& status) {
    const json* details = find(status, "details");
    const json* causes = details == nullptr ? nullptr : find(*details, "causes");
    if (causes == nullptr || !causes->is_array())
        return {};
    for (const json& cause : *causes) {
        if (text(&cause, "reason") != "DisruptionBudget")
            continue;
        constexpr std::string_view lead = "The disruption budget ";
        const std::string message = text(&cause, "message");
        if (!message.starts_with(lead))
            return "?";
        return message.substr(lead.size(), message.find(' ', lead.size()) - lead.size());
    }
    return {};
}

// The resource in the path of a group's object. A kind that isn't watched gets the regular plural.
std::string resource_of(const std::string& api_version, const std::string& api_kind) {
    const std::string_view group = base::split_at_slash(api_version).before;
    for (const WatchedKind& kind : watched_kinds) {
        if (kind.kind == api_kind && kind.group == group)
            return std::string(kind.resource);
    }
    std::string plural;
    for (const char c : api_kind)
        plural += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plural + "s";
}

// The path of the object of a group.
std::string group_path(const auto& write) {
    return fmt::format("/apis/{}/namespaces/{}/{}/{}", write.api_version, percent_encoded(write.ns),
                       resource_of(write.api_version, write.api_kind), percent_encoded(write.name));
}

Outcome::Kind kind_of(int status) {
    if (status >= 200 && status < 300)
        return Outcome::Kind::done;
    if (status == 404)
        return Outcome::Kind::gone;
    if (status == 409)
        return Outcome::Kind::conflict;
    if (status == 408 || status == 429 || status >= 500)
        return Outcome::Kind::unknown;
    return Outcome::Kind::rejected;
}

}  // namespace

HttpRequest request_of(const model::BindPod& write) {
    json body = {{"apiVersion", "v1"},
                 {"kind", "Binding"},
                 {"metadata", {{"name", write.pod.name}, {"namespace", write.pod.ns}, {"uid", write.pod.uid}}},
                 {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", write.node}}}};
    if (!write.plan.empty())
        body["metadata"]["annotations"] = {{"echelon.sh/plan", write.plan}};
    return {.method = "POST",
            .target = pod_path(write.pod) + "/binding",
            .body = compact_text(body),
            .content_type = json_type,
            .accept = protobuf_or_json};
}

HttpRequest request_of(const model::NominatePod& write) {
    return patch(write.pod, "/status", {{"status", {{"nominatedNodeName", write.node}}}});
}

HttpRequest request_of(const model::UngatePod& write) {
    const json without_ours = json::array({{{"$patch", "delete"}, {"name", model::gang_gate}}});
    return patch(write.pod, "", {{"spec", {{"schedulingGates", without_ours}}}});
}

HttpRequest request_of(const model::KickPod& write) {
    const char* field = write.by_label ? "labels" : "annotations";
    return patch(write.pod, "", {{"metadata", {{field, {{"echelon.sh/kick", write.value}}}}}});
}

HttpRequest request_of(const model::EvictPod& write) {
    const json body = {{"apiVersion", "policy/v1"},
                       {"kind", "Eviction"},
                       {"metadata", {{"name", write.pod.name}, {"namespace", write.pod.ns}}},
                       {"deleteOptions", {{"preconditions", {{"uid", write.pod.uid}}}}}};
    return {.method = "POST",
            .target = pod_path(write.pod) + "/eviction",
            .body = compact_text(body),
            .content_type = json_type,
            .accept = protobuf_or_json};
}

HttpRequest request_of(const model::ReadPod& write) {
    return {.target = pod_path(write.pod), .accept = protobuf_or_json};
}

HttpRequest request_of(const model::ReadGroup& write) {
    return {.target = group_path(write)};
}

HttpRequest request_of(const model::WritePlacementScore& write) {
    const json body = {{"metadata", {{"uid", write.uid}}},
                       {"status", {{"placementScore", static_cast<double>(write.per_mille) / 1000}}}};
    return {.method = "PATCH",
            .target = group_path(write) + "/status",
            .body = compact_text(body),
            .content_type = merge_patch};
}

HttpRequest request_of(const model::WriteGroupCondition& write, std::string_view now) {
    json condition = {{"type", write.type},
                      {"status", write.is_met ? "True" : "False"},
                      {"reason", write.reason},
                      {"message", write.message},
                      {"observedGeneration", write.generation}};
    if (write.is_transition)
        condition["lastTransitionTime"] = now;  // Otherwise the patch keeps the old time.
    json body = {{"metadata", {{"uid", write.uid}}}, {"status", {{"conditions", json::array({std::move(condition)})}}}};
    if (!write.version.empty())
        body["metadata"]["resourceVersion"] = write.version;
    return {.method = "PATCH",
            .target = group_path(write) + "/status",
            .body = compact_text(body),
            .content_type = strategic_merge_patch};
}

HttpRequest request_of(const model::DeletePlan& write) {
    const json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", write.uid}}}};
    return {.method = "DELETE",
            .target = plan_path(write.ns, write.name),
            .body = compact_text(body),
            .content_type = json_type};
}

HttpRequest request_of(const model::EmitGangEvent& write, std::string_view plan_uid, std::string_view reporter,
                       std::string_view now) {
    const bool is_about_plan = write.about_api_version.empty();
    json about = {{"apiVersion", is_about_plan ? std::string(gangplan_api_version) : write.about_api_version},
                  {"kind", is_about_plan ? "GangPlan" : write.about_kind},
                  {"namespace", write.ns},
                  {"name", is_about_plan ? write.plan : write.about_name}};
    if (const std::string uid(is_about_plan ? plan_uid : write.about_uid); !uid.empty())
        about["uid"] = uid;
    const json event = {
        {"apiVersion", "events.k8s.io/v1"},
        {"kind", "Event"},
        {"metadata", {{"namespace", write.ns}, {"generateName", write.plan + "-"}}},
        {"eventTime", now},
        {"reportingController", event_controller},
        {"reportingInstance", base::beginning(reporter.empty() ? "echelon" : reporter, most_reporter_bytes)},
        {"action", "Planning"},
        {"reason", write.reason},
        {"regarding", std::move(about)},
        {"note", base::shortened(write.sentence, most_note_bytes)},
        {"type", write.is_warning ? "Warning" : "Normal"}};
    return {.method = "POST",
            .target = fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", percent_encoded(write.ns)),
            .body = compact_text(event),
            .content_type = json_type,
            .accept = protobuf_metadata_or_json};
}

HttpRequest apply_plan(const model::PlanRecord& record) {
    return apply(record, "", gangplan_object(record));
}

HttpRequest apply_plan_status(const model::PlanRecord& record, std::string_view since, std::string_view version) {
    auto object = gangplan_status(record, since);
    if (!version.empty())
        object["metadata"]["resourceVersion"] = version;
    HttpRequest request = apply(record, "/status", object);
    request.accept = protobuf_metadata_or_json;
    return request;
}

Outcome outcome_of(std::string_view action, const HttpAnswer& answer) {
    Outcome outcome;
    if (answer.ending != HttpAnswer::Ending::complete) {
        outcome.kind = Outcome::Kind::unknown;
        outcome.sentence = fmt::format("{}: {}", action, answer.sentence);
        return outcome;
    }
    outcome.kind = kind_of(answer.status);
    if (outcome.kind == Outcome::Kind::done)
        return outcome;
    const json status = read_answer(answer.content_type, answer.body).value_or(json());
    if (answer.status == 422 && is_about_another_object(status))
        outcome.kind = Outcome::Kind::conflict;
    const std::string message = base::on_one_line(text(&status, "message"), 500);
    outcome.sentence =
        fmt::format("{} was answered with {}{}{}", action, answer.status, message.empty() ? "" : ": ", message);
    return outcome;
}

// etcd takes 1.5 MiB by default. What it refuses comes as a 413, or as a 500 with its words or those of gRPC.
Outcome outcome_of_record(const model::ApplyPlan& write, const HttpAnswer& answer) {
    Outcome outcome = outcome_of(action_of(write), answer);
    const bool is_of_store = answer.status >= 500 && (outcome.sentence.contains("request is too large") ||
                                                      outcome.sentence.contains("message larger than max"));
    outcome.is_too_large = answer.ending == HttpAnswer::Ending::complete && (answer.status == 413 || is_of_store);
    if (outcome.is_too_large)
        outcome.kind = Outcome::Kind::rejected;
    return outcome;
}

Outcome outcome_of_eviction(const model::EvictPod& write, const HttpAnswer& answer) {
    Outcome outcome = outcome_of(action_of(write), answer);
    if (outcome.kind != Outcome::Kind::unknown || answer.status != 429)
        return outcome;
    outcome.budget = refusing_budget(read_answer(answer.content_type, answer.body).value_or(json()));
    if (outcome.budget.empty())
        return outcome;  // The API server is busy.
    outcome.kind = Outcome::Kind::rejected;
    return outcome;
}

Outcome outcome_of_read(const model::ReadPod& write, const HttpAnswer& answer) {
    const std::string action = action_of(write);
    Outcome outcome = outcome_of(action, answer);
    if (outcome.kind != Outcome::Kind::done)
        return outcome;
    const base::Result<json> pod = read_answer(answer.content_type, answer.body, *shape_of("v1", "Pod"));
    outcome.uid = pod ? text(find(*pod, "metadata"), "uid") : std::string();
    if (outcome.uid.empty()) {
        outcome.kind = Outcome::Kind::unknown;
        outcome.sentence = fmt::format("{}: the answer isn't a pod", action);
        return outcome;
    }
    outcome.node = text(find(*pod, "spec"), "nodeName");
    return outcome;
}

Outcome outcome_of_read(const model::ReadGroup& write, const HttpAnswer& answer) {
    const std::string action = action_of(write);
    Outcome outcome = outcome_of(action, answer);
    if (outcome.kind != Outcome::Kind::done)
        return outcome;
    const base::Result<json> group = parse_object(answer.body);
    const json* metadata = group ? find(*group, "metadata") : nullptr;
    outcome.uid = text(metadata, "uid");
    const json* generation = metadata == nullptr ? nullptr : find(*metadata, "generation");
    if (outcome.uid.empty() || (generation != nullptr && !generation->is_number_integer())) {
        outcome.kind = Outcome::Kind::unknown;
        outcome.sentence = fmt::format("{}: the answer isn't a group", action);
        return outcome;
    }
    outcome.generation = generation == nullptr ? 0 : generation->get<std::int64_t>();
    return outcome;
}

std::string action_of(const model::Write& write) {
    struct Namer {
        std::string operator()(const model::BindPod& it) const {
            return fmt::format("binding {} to {}", shown(it.pod), it.node);
        }
        std::string operator()(const model::NominatePod& it) const {
            return fmt::format("nominating {} for {}", it.node, shown(it.pod));
        }
        std::string operator()(const model::UngatePod& it) const {
            return fmt::format("removing the gate of {}", shown(it.pod));
        }
        std::string operator()(const model::KickPod& it) const { return fmt::format("waking {}", shown(it.pod)); }
        std::string operator()(const model::EvictPod& it) const { return fmt::format("evicting {}", shown(it.pod)); }
        std::string operator()(const model::ApplyPlan& it) const {
            return fmt::format("recording the plan {}/{}", it.record.ns, it.record.name);
        }
        std::string operator()(const model::DeletePlan& it) const {
            return fmt::format("deleting the plan {}/{}", it.ns, it.name);
        }
        std::string operator()(const model::ReadPod& it) const { return fmt::format("reading {}", shown(it.pod)); }
        std::string operator()(const model::ReadGroup& it) const {
            return fmt::format("reading {} {}/{}", it.api_kind, it.ns, it.name);
        }
        std::string operator()(const model::WritePlacementScore& it) const {
            return fmt::format("writing the score of {} {}/{}", it.api_kind, it.ns, it.name);
        }
        std::string operator()(const model::WriteGroupCondition& it) const {
            return fmt::format("writing the condition {} of {} {}/{}", it.type, it.api_kind, it.ns, it.name);
        }
        std::string operator()(const model::EmitGangEvent& it) const {
            return fmt::format("writing an event about {}/{}", it.ns, it.plan);
        }
    };
    return std::visit(Namer{}, write);
}

}  // namespace echelon::kube
