#include "app/admission.hpp"

#include "translate/targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::app {
namespace {

using nlohmann::json;

bool is_ours(std::string_view scheduler) {
    return scheduler == "default-scheduler";
}

json review_of(json pod) {
    return {{"apiVersion", "admission.k8s.io/v1"},
            {"kind", "AdmissionReview"},
            {"request",
             {{"uid", "r-1"},
              {"kind", {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}}},
              {"operation", "CREATE"},
              {"namespace", "team"},
              {"object", std::move(pod)}}}};
}

json pod_with(json metadata, json spec = json::object()) {
    return {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

json labelled(const char* key, const char* value) {
    return {{"generateName", "train-"}, {"labels", {{key, value}}}};
}

std::string decoded(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=')
            break;
        bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
        count += 6;
        if (count >= 8) {
            count -= 8;
            out += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
        }
    }
    return out;
}

// The response; its patch decoded, null when there is none.
json answered(const json& review) {
    const auto answer = admit(review.dump(), is_ours);
    REQUIRE(answer);
    const auto json_answer = json::parse(*answer);
    CHECK(json_answer["apiVersion"] == "admission.k8s.io/v1");
    CHECK(json_answer["kind"] == "AdmissionReview");
    json response = json_answer["response"];
    CHECK(response["uid"] == "r-1");
    CHECK(response["allowed"] == true);
    CHECK(response.contains("patch") == response.contains("patchType"));
    response["patch"] =
        response.contains("patch") ? json::parse(decoded(response["patch"].get<std::string>())) : json();
    return response;
}

TEST_CASE("a member of every dialect gets the gate, whether or not it has others") {
    struct Row {
        const char* dialect;
        json pod;
    };
    const std::vector<Row> rows = {
        {"our labels", pod_with(labelled("echelon.sh/gang", "train"))},
        {"upstream", pod_with({{"name", "p"}}, {{"schedulingGroup", {{"podGroupName", "train"}}}})},
        {"Grove",
         pod_with({{"name", "p"}, {"labels", {{"grove.io/podgang", "g"}, {"grove.io/podclique", "g-prefill"}}}})},
        {"KAI", pod_with({{"name", "p"}, {"annotations", {{"pod-group-name", "train"}}}})},
        {"scheduler-plugins", pod_with(labelled("scheduling.x-k8s.io/pod-group", "train"))},
        {"Koordinator", pod_with(labelled("pod-group.scheduling.sigs.k8s.io", "train"))},
        {"LeaderWorkerSet", pod_with({{"name", "p"},
                                      {"labels",
                                       {{"leaderworkerset.sigs.k8s.io/name", "serve"},
                                        {"leaderworkerset.sigs.k8s.io/group-index", "0"},
                                        {"leaderworkerset.sigs.k8s.io/group-key", "k"}}}})},
    };
    for (const auto& row : rows) {
        CAPTURE(row.dialect);
        const auto patch = answered(review_of(row.pod))["patch"];
        CHECK(patch == json::parse(R"([{"op":"add","path":"/spec/schedulingGates",
                                        "value":[{"name":"echelon.sh/gang"}]}])"));
        auto gated = row.pod;
        gated["spec"]["schedulingGates"] = json::array({{{"name", "other"}}});
        CHECK(answered(review_of(gated))["patch"] ==
              json::parse(R"([{"op":"add","path":"/spec/schedulingGates/-","value":{"name":"echelon.sh/gang"}}])"));
    }
}

TEST_CASE("every other pod is let through as it is") {
    const auto member = pod_with(labelled("echelon.sh/gang", "train"));
    CHECK(answered(review_of(pod_with({{"name", "plain"}})))["patch"].is_null());
    auto foreign = member;
    foreign["spec"]["schedulerName"] = "another";
    CHECK(answered(review_of(foreign))["patch"].is_null());
    auto placed = member;  // A gate beside a node is refused by the API server.
    placed["spec"]["nodeName"] = "n1";
    CHECK(answered(review_of(placed))["patch"].is_null());
    auto gated = member;
    gated["spec"]["schedulingGates"] = json::array({{{"name", "other"}}, {{"name", "echelon.sh/gang"}}});
    CHECK(answered(review_of(gated))["patch"].is_null());
    auto update = review_of(member);
    update["request"]["operation"] = "UPDATE";
    CHECK(answered(update)["patch"].is_null());
    auto deletion = review_of(member);
    deletion["request"]["operation"] = "DELETE";
    deletion["request"]["object"] = nullptr;
    CHECK(answered(deletion)["patch"].is_null());
    auto other_kind = review_of(member);
    other_kind["request"]["kind"]["kind"] = "ReplicaSet";
    CHECK(answered(other_kind)["patch"].is_null());
}

TEST_CASE("a pod that can't be read is let through, since it is judged when it is watched") {
    CHECK(answered(review_of(pod_with({{"labels", 7}}, {{"schedulingGates", "x"}})))["patch"].is_null());
    CHECK(answered(review_of({{"spec", nullptr}}))["patch"].is_null());
}

TEST_CASE("a body that is no review is answered with a sentence") {
    const auto complaint = [](const std::string& text) {
        const auto answer = admit(text, is_ours);
        return answer ? std::string("none") : answer.error().sentence;
    };
    CHECK(complaint("{").starts_with("AdmissionReview: "));
    CHECK(complaint("[]").starts_with("AdmissionReview: "));
    CHECK(complaint("{}") == "AdmissionReview: apiVersion must be admission.k8s.io/v1 and kind AdmissionReview");
    CHECK(complaint(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}})") ==
          "AdmissionReview: request.uid is missing");
    CHECK(complaint(std::string(100'000, '[')).starts_with("AdmissionReview: "));
}

const translate::KoordinatorBackend koordinator{.scheduler_name = "koord-scheduler", .qos_class = "LS"};

json answered_beside_koordinator(const json& review, const translate::KoordinatorBackend& backend = koordinator) {
    const auto answer = admit(review.dump(), is_ours, backend);
    REQUIRE(answer);
    return json::parse(*answer)["response"];
}

json koordinator_patch(const json& pod, const translate::KoordinatorBackend& backend = koordinator) {
    const auto response = answered_beside_koordinator(review_of(pod), backend);
    CHECK(response["allowed"] == true);
    return response.contains("patch") ? json::parse(decoded(response["patch"].get<std::string>())) : json();
}

json grove_pod(const std::string& scheduler, json more_labels = json::object()) {
    more_labels["grove.io/podgang"] = "demo-0";
    more_labels["grove.io/podclique"] = "demo-0-prefill";
    return pod_with({{"name", "p"}, {"labels", std::move(more_labels)}}, {{"schedulerName", scheduler}});
}

TEST_CASE("a pod of Grove for Koordinator gets its PodGroup's name and a QoS class, and nothing else") {
    const auto name = json::parse(R"({"op":"add","path":"/metadata/labels/pod-group.scheduling.sigs.k8s.io",
                                      "value":"demo-0-demo-0-prefill"})");
    const auto qos = json::parse(R"({"op":"add","path":"/metadata/labels/koordinator.sh~1qosClass","value":"LS"})");
    CHECK(koordinator_patch(grove_pod("koord-scheduler")) == json::array({name, qos}));
    CHECK(koordinator_patch(grove_pod("koord-scheduler"), {.scheduler_name = "koord-scheduler", .qos_class = ""}) ==
          json::array({name}));
    CHECK(koordinator_patch(grove_pod("koord-scheduler", {{"koordinator.sh/qosClass", "BE"}})) == json::array({name}));
    CHECK(koordinator_patch(
              grove_pod("koord-scheduler", {{"koordinator.sh/qosClass", "BE"},
                                            {"pod-group.scheduling.sigs.k8s.io", "demo-0-demo-0-prefill"}})) == json());
    auto long_one = grove_pod("koord-scheduler", {{"koordinator.sh/qosClass", "BE"}});
    long_one["metadata"]["labels"]["grove.io/podclique"] = std::string(60, 'x');
    CHECK(koordinator_patch(long_one)[0]["value"] == translate::koordinator_name("demo-0", std::string(60, 'x')));
}

TEST_CASE("a pod of Grove that leaves its scheduler open is prepared for Koordinator if its PodGang is for it (Z29)") {
    std::vector<std::string> asked;
    const SchedulerOf scheduler_of = [&asked](const std::string& ns, const std::string& gang) {
        asked.push_back(ns + "/" + gang);
        return std::string(gang == "demo-0" ? "koord-scheduler" : gang == "demo-1" ? "kai-scheduler" : "");
    };
    const auto patch_of = [&](json pod, const std::string& gang) {
        pod["metadata"]["labels"]["grove.io/podgang"] = gang;
        const auto answer = admit(review_of(pod).dump(), is_ours, koordinator, {}, scheduler_of);
        REQUIRE(answer);
        const auto response = json::parse(*answer)["response"];
        return response.contains("patch") ? json::parse(decoded(response["patch"].get<std::string>())) : json();
    };
    const auto scheduler = json::parse(R"({"op":"add","path":"/spec/schedulerName","value":"koord-scheduler"})");
    const auto name = json::parse(R"({"op":"add","path":"/metadata/labels/pod-group.scheduling.sigs.k8s.io",
                                      "value":"demo-0-demo-0-prefill"})");
    const auto qos = json::parse(R"({"op":"add","path":"/metadata/labels/koordinator.sh~1qosClass","value":"LS"})");
    auto nameless = grove_pod("");
    nameless["spec"].erase("schedulerName");
    for (const auto& pod : {grove_pod("default-scheduler"), grove_pod(""), nameless})
        CHECK(patch_of(pod, "demo-0") == json::array({scheduler, name, qos}));
    CHECK(std::ranges::count(asked, "team/demo-0") == 3);
    asked.clear();
    CHECK(patch_of(grove_pod("koord-scheduler"), "demo-0") == json::array({name, qos}));
    CHECK(patch_of(grove_pod("kai-scheduler"), "demo-0") == json());
    auto placed = grove_pod("default-scheduler");
    placed["spec"]["nodeName"] = "n1";
    CHECK(patch_of(placed, "demo-0") == json());
    CHECK(asked.empty());
    // Pods of PodGangs for another scheduler, or for none, stay ours.
    CHECK(patch_of(grove_pod("default-scheduler"), "demo-1")[0]["path"] == "/spec/schedulingGates");
    CHECK(patch_of(grove_pod("default-scheduler"), "demo-2")[0]["path"] == "/spec/schedulingGates");
}

TEST_CASE("pods of other schedulers and of no PodGang get no label of Koordinator") {
    CHECK(koordinator_patch(grove_pod("kai-scheduler")) == json());
    CHECK(koordinator_patch(grove_pod("default-scheduler"))[0]["path"] == "/spec/schedulingGates");  // Ours.
    CHECK(koordinator_patch(pod_with(labelled("grove.io/podgang", "g"), {{"schedulerName", "koord-scheduler"}})) ==
          json());
    CHECK(koordinator_patch(pod_with({{"name", "p"}}, {{"schedulerName", "koord-scheduler"}})) == json());
    CHECK(answered(review_of(grove_pod("koord-scheduler")))["patch"].is_null());  // Without a backend.
}

json clique_set(const std::string& scheduler = "koord-scheduler") {
    return {{"apiVersion", "grove.io/v1alpha1"},
            {"kind", "PodCliqueSet"},
            {"metadata", {{"name", "demo"}}},
            {"spec",
             {{"template",
               {{"cliques", {{{"name", "prefill"}, {"spec", {{"podSpec", {{"schedulerName", scheduler}}}}}}}},
                {"podCliqueScalingGroups", {{{"name", "decode"}, {"cliqueNames", {"prefill"}}}}}}}}}};
}

json set_review(const json& object, const json& old = nullptr) {
    return {{"apiVersion", "admission.k8s.io/v1"},
            {"kind", "AdmissionReview"},
            {"request",
             {{"uid", "r-1"},
              {"kind", {{"group", "grove.io"}, {"version", "v1alpha1"}, {"kind", "PodCliqueSet"}}},
              {"operation", old.is_null() ? "CREATE" : "UPDATE"},
              {"object", object},
              {"oldObject", old}}}};
}

// "": allowed.
std::string rejection(const json& object, const json& old = nullptr) {
    const auto response = answered_beside_koordinator(set_review(object, old));
    CHECK(response["allowed"] == !response.contains("status"));
    return response.contains("status") ? response["status"]["message"].get<std::string>() : "";
}

TEST_CASE("a PodCliqueSet for Koordinator is rejected for what that can't keep (K1)") {
    CHECK(rejection(clique_set()) == "");
    struct Row {
        const char* name;
        const char* place;  // JSON pointer.
        json value;
        std::string text;  // A part; empty: allowed.
    };
    const std::string nvlink = "asks for multi-node NVLink, which Koordinator doesn't support: use kai-scheduler";
    for (const auto& row : std::vector<Row>{
             {"group on the set",
              "/metadata/annotations",
              {{"grove.io/mnnvl-group", "1"}},
              "metadata: the annotation "
              "grove.io/mnnvl-group " +
                  nvlink},
             {"switch on the set",
              "/metadata/annotations",
              {{"grove.io/auto-mnnvl", "enabled"}},
              "grove.io/auto-mnnvl " + nvlink},
             {"group on a clique",
              "/spec/template/cliques/0/annotations",
              {{"grove.io/mnnvl-group", "a"}},
              "clique \"prefill\": the annotation grove.io/mnnvl-group " + nvlink},
             {"group on a scaling group",
              "/spec/template/podCliqueScalingGroups/0/annotations",
              {{"grove.io/mnnvl-group", "a"}},
              "scaling group \"decode\": the annotation grove.io/mnnvl-group " + nvlink},
             {"opted out", "/metadata/annotations", {{"grove.io/mnnvl-group", "none"}}, ""},
             {"switched off", "/metadata/annotations", {{"grove.io/auto-mnnvl", "disabled"}}, ""},
             {"levels of a scaling group",
              "/spec/template/podCliqueScalingGroups/0/topologyConstraint",
              {{"pack", {{"required", "rack"}}}},
              "scaling group \"decode\": a topologyConstraint isn't representable in Koordinator: one gang group has "
              "one constraint"},
             {"levels of the set", "/spec/template/topologyConstraint", {{"pack", {{"required", "rack"}}}}, ""},
         }) {
        CAPTURE(row.name);
        auto set = clique_set();
        set[json::json_pointer(row.place)] = row.value;
        const auto message = rejection(set);
        CAPTURE(message);
        CHECK(message.empty() == row.text.empty());
        CHECK(message.find(row.text) != std::string::npos);
        // A set for another scheduler isn't judged.
        set["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["schedulerName"] = "kai-scheduler";
        CHECK(rejection(set) == "");
    }
}

TEST_CASE("a change of a PodCliqueSet is rejected only for what is new (K10)") {
    auto old = clique_set();
    old["metadata"]["annotations"] = {{"grove.io/mnnvl-group", "1"}};
    auto changed = old;
    changed["metadata"]["labels"] = {{"a", "b"}};
    CHECK(rejection(changed, old) == "");
    changed["spec"]["template"]["podCliqueScalingGroups"][0]["topologyConstraint"] = json::object();
    CHECK(rejection(changed, old).starts_with("scaling group \"decode\": a topologyConstraint"));
    CHECK(rejection(clique_set(), old) == "");
    // If the scheduler changes to Koordinator, every field counts as new.
    auto elsewhere = old;
    elsewhere["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["schedulerName"] = "kai-scheduler";
    CHECK(rejection(old, elsewhere).find("use kai-scheduler") != std::string::npos);
    auto deletion = set_review(old);
    deletion["request"]["operation"] = "DELETE";
    CHECK(answered_beside_koordinator(deletion)["allowed"] == true);
    auto unread = set_review({{"spec", 7}});
    CHECK(answered_beside_koordinator(unread)["allowed"] == true);
}

}  // namespace
}  // namespace echelon::app
