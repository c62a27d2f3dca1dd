#include "kube/admission.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
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

TEST_CASE("what isn't a review is told in a sentence") {
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

}  // namespace
}  // namespace echelon::kube
