// Inputs whose content or number is hostile, not their size.

#include "unit-tests/big_objects/growth.hpp"
#include "unit-tests/tenants/hostile.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::tenants {
namespace {

using nlohmann::json;

constexpr const char* groups_key = "gang.scheduling.koordinator.sh/groups";

json pod(const std::string& name, json labels = json::object(), json annotations = json::object()) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata",
             {{"name", name},
              {"namespace", "tenant"},
              {"uid", "uid-tenant-" + name},
              {"labels", std::move(labels)},
              {"annotations", std::move(annotations)}}},
            {"spec",
             {{"schedulerName", "default-scheduler"},
              {"containers", json::array({{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}}})}}}};
}

json labelled(const std::string& name, const std::string& gang, const std::string& minimum = "1") {
    return pod(name, {{"echelon.sh/gang", gang}}, {{"echelon.sh/gang-minimum", minimum}});
}

Lines one(const json& object) {
    return {{object.dump()}};
}

// Ten pods of 700 bytes: 10,000 sub-groups of ten replicas.
Lines ten_small_pods() {
    Lines lines;
    for (int i = 0; i < 10; ++i) {
        json next = big_objects::make("leaderworkerset/parts", 10'000)[0];
        next["metadata"]["name"] = fmt::format("big-{}", i);
        next["metadata"]["uid"] = fmt::format("uid-tenant-big-{}", i);
        next["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/group-index"] = std::to_string(i);
        lines.push_back({next.dump()});
    }
    return lines;
}

json koordinator_group(const std::string& name, const std::string& list) {
    return {{"apiVersion", "scheduling.sigs.k8s.io/v1alpha1"},
            {"kind", "PodGroup"},
            {"metadata",
             {{"name", name}, {"namespace", "tenant"}, {"uid", "uid-" + name}, {"annotations", {{groups_key, list}}}}},
            {"spec", {{"minMember", 1}}}};
}

// A list that names a gang of another namespace, on an object and on a pod without one.
Lines stranger_listed() {
    const std::string list = R"(["tenant/lister","sound/koordinator"])";
    return {{koordinator_group("lister", list).dump()},
            {pod("a", {{"pod-group.scheduling.sigs.k8s.io", "lister"}}).dump()},
            {pod("b", json::object(),
                 {{"gang.scheduling.koordinator.sh/name", "other"},
                  {"gang.scheduling.koordinator.sh/min-available", "1"},
                  {groups_key, R"(["sound/koordinator"])"}})
                 .dump()}};
}

Lines stranger_listed_often() {
    Lines lines;
    for (int i = 0; i < 500; ++i)
        lines.push_back(
            {koordinator_group(fmt::format("lister-{}", i), fmt::format(R"(["tenant/x-{}","sound/koordinator"])", i))
                 .dump()});
    return lines;
}

// The names of the sound gangs, in another namespace.
Lines same_names() {
    Lines lines{{labelled("a", "labelled", "9").dump()}, {labelled("b", "labelled", "8").dump()}};
    for (const char* kind : {"scheduling.k8s.io/v1alpha3", "scheduling.sigs.k8s.io/v1alpha1"}) {
        json group = {{"apiVersion", kind},
                      {"kind", "PodGroup"},
                      {"metadata", {{"name", "koordinator"}, {"namespace", "tenant"}, {"uid", "uid-same"}}},
                      {"spec", {{"minMember", 99}, {"schedulingPolicy", {{"gang", {{"minCount", 99}}}}}}}};
        lines.push_back({group.dump()});
    }
    return lines;
}

// A forged GangPlan that claims every node of the neighbours: for pods of the same namespace, which don't even tolerate
// those nodes, or for pods of another one.
Lines plan_by_hand(const std::string& ns) {
    Lines lines;
    json seats = json::array();
    for (int i = 0; i < 8; ++i) {
        json next = labelled(fmt::format("labelled-{}", i), "labelled", "8");
        next["metadata"]["uid"] = fmt::format("uid-tenant/labelled-{}", i);
        next["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "16";
        lines.push_back({next.dump()});
        const std::string name = fmt::format("{}/labelled-{}", ns, i);
        seats.push_back({{"pod", name}, {"uid", "uid-" + name}, {"node", fmt::format("s-{}", i)}, {"bound", false}});
    }
    const json plan = {{"apiVersion", "echelon.sh/v1alpha1"},
                       {"kind", "GangPlan"},
                       {"metadata", {{"name", "labelled"}, {"namespace", "tenant"}, {"uid", "uid-plan"}}},
                       {"spec", {{"root", {{"kind", "label-gang"}, {"name", "labelled"}}}}},
                       {"status", {{"phase", "Committed"}, {"epoch", 7}, {"seats", std::move(seats)}}}};
    lines.push_back({plan.dump()});
    return lines;
}

Lines negative_amounts() {
    json asks = labelled("a", "big");
    asks["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "-5"}, {"example.com/unused", "-1"}};
    json plain = pod("b");
    plain["spec"]["containers"][0]["resources"]["requests"] = {{"memory", "-64Gi"}};
    plain["spec"]["overhead"] = {{"cpu", "-100"}};
    return {{asks.dump()}, {plain.dump()}};
}

Lines flapping_pods() {
    Lines lines;
    for (int i = 0; i < 2'000; ++i) {
        json next = labelled("a", "big", "2");
        next["metadata"]["uid"] = fmt::format("uid-flap-{}", i);
        lines.push_back({next.dump()});
        lines.push_back({next.dump(), true});
    }
    return lines;
}

// Each time the pod comes, its claim is judged on every device.
Lines flapping_claim() {
    Lines lines;
    for (const json& object : big_objects::make("claim/selectors", 500))
        lines.push_back({object.dump()});
    const std::string last = lines.back().text;
    for (int i = 0; i < 500; ++i) {
        lines.push_back({last, true});
        lines.push_back({last});
    }
    return lines;
}

Lines flapping_minimum() {
    Lines lines{{pod("a", {{"scheduling.x-k8s.io/pod-group", "big"}}).dump()}};
    for (int i = 0; i < 2'000; ++i) {
        json group = big_objects::make("scheduler-plugins/minimum", 1 + i % 7)[0];
        group["metadata"]["generation"] = i;
        lines.push_back({group.dump()});
    }
    return lines;
}

Lines flapping_topology() {
    Lines lines;
    for (int i = 0; i < 500; ++i) {
        const json object = big_objects::make("kueue-topology/levels", 1 + i % 3)[0];
        lines.push_back({object.dump(), i % 2 == 1});
    }
    return lines;
}

Lines nominated_pods() {
    Lines lines;
    for (int i = 0; i < 2'000; ++i) {
        json next = pod(fmt::format("a-{}", i));
        next["spec"]["priority"] = 1'000'000 + i;
        next["status"]["nominatedNodeName"] = fmt::format("t-{}", i % 60);
        lines.push_back({next.dump()});
    }
    return lines;
}

Lines highest_priority() {
    Lines lines;
    json gang = big_objects::make("gang/pods", 1)[0];
    gang["spec"]["priority"] = 2'147'483'647;
    gang["spec"]["minimum"] = 3'000;
    gang["spec"]["timeoutSeconds"] = 2'147'483'647;
    lines.push_back({gang.dump()});
    for (int i = 0; i < 3'000; ++i)
        lines.push_back({pod(fmt::format("a-{}", i), {{"echelon.sh/gang", "big"}}).dump()});
    return lines;
}

// Hosts that are half full, each in its own way, and then a gang that nearly fits.
Lines half_full(int members) {
    Lines lines;
    for (int i = 0; i < 48; ++i) {
        json next = pod(fmt::format("old-{}", i));
        next["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", fmt::format("{}m", 4'000 + i * 977 % 8'000)},
                                                                  {"memory", fmt::format("{}Gi", 10 + i * 7 % 40)}};
        next["spec"]["nodeName"] = fmt::format("t-{}", i);
        lines.push_back({next.dump()});
    }
    for (const json& object : big_objects::make("pod/unlike-sizes", members))
        lines.push_back({object.dump()});
    return lines;
}

Lines long_names() {
    const std::string name(253, 'n');
    json gang = pod(name);
    gang["metadata"]["annotations"] = {{"pod-group-name", std::string(200'000, 'k')}};
    json other = labelled("b", std::string(100'000, 'l'));
    json level = labelled("c", "c");
    level["metadata"]["annotations"]["echelon.sh/gang-preferred-topology"] = std::string(200'000, 'p');
    return {{gang.dump()}, {other.dump()}, {level.dump()}};
}

Lines deep_text(const std::string& kind, const std::string& open, const std::string& close, int depth) {
    std::string text = R"({"kind":")" + kind + R"(","metadata":{"namespace":"tenant","name":"big","uid":"u"},"spec":)";
    text.insert(1, kind == "Pod" ? R"("apiVersion":"v1",)" : R"("apiVersion":"echelon.sh/v1alpha1",)");
    for (int i = 0; i < depth; ++i)
        text += open;
    text += "1";
    for (int i = 0; i < depth; ++i)
        text += close;
    return {{text + "}"}};
}

Lines not_utf8() {
    json good = labelled("a", "bytes");
    std::string text = good.dump();
    text.replace(text.find("\"bytes\""), 7, "\"\xff\xfe\x80\"");
    std::string name = labelled("b", "other").dump();
    name.replace(name.find("\"name\":\"b\""), 10, "\"name\":\"\xc3\x28\"");
    return {{text}, {name}, {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"\ud800","namespace":"tenant"}})"}};
}

// Marks of every dialect at once.
Lines all_marks() {
    Lines lines;
    for (int i = 0; i < 500; ++i) {
        json next = labelled(fmt::format("a-{}", i), fmt::format("g-{}", i % 7));
        json& labels = next["metadata"]["labels"];
        json& annotations = next["metadata"]["annotations"];
        labels["scheduling.x-k8s.io/pod-group"] = fmt::format("p-{}", i % 5);
        labels["pod-group.scheduling.sigs.k8s.io"] = fmt::format("k-{}", i % 3);
        labels["grove.io/podgang"] = labels["grove.io/podclique"] = fmt::format("c-{}", i % 11);
        labels["kueue.x-k8s.io/pod-group-name"] = fmt::format("q-{}", i % 13);
        labels["leaderworkerset.sigs.k8s.io/group-key"] = "key";
        annotations["leaderworkerset.sigs.k8s.io/size"] = "2147483647";
        annotations["pod-group-name"] = annotations["scheduling.k8s.io/group-name"] = fmt::format("v-{}", i % 17);
        lines.push_back({next.dump()});
    }
    return lines;
}

Lines wrong_types() {
    Lines lines;
    for (const char* growth : {"kai/fan", "gang/groups", "volcano/policies", "grove/podgroups", "jobset/replicas",
                               "kueue/pod-sets", "hypernode/names", "kueue-topology/levels", "gangplan/seats"}) {
        for (json object : big_objects::make(growth, 3)) {
            object["spec"] = json::array({1, "two", nullptr});
            lines.push_back({object.dump()});
        }
    }
    return lines;
}

}  // namespace

std::vector<Hostile> odd_inputs() {
    return {
        {"ten pods of 700 bytes", ten_small_pods},
        {"a list that names a stranger", stranger_listed},
        {"500 lists that name a stranger", stranger_listed_often},
        {"the names of other gangs", same_names},
        {"a GangPlan by hand for its own pods", [] { return plan_by_hand("tenant"); }},
        {"a GangPlan by hand for pods of others", [] { return plan_by_hand("sound"); }},
        {"negative amounts", negative_amounts},
        {"flapping pods", flapping_pods},
        {"a flapping pod with a claim of many selectors", flapping_claim},
        {"a flapping minimum", flapping_minimum},
        {"a flapping topology", flapping_topology},
        {"nominated pods", nominated_pods},
        {"the highest priority", highest_priority},
        {"72 unlike pods on half-full hosts", [] { return half_full(72); }},
        {"96 unlike pods on half-full hosts", [] { return half_full(96); }},
        {"long names", long_names},
        {"a pod of 100,000 brackets", [] { return deep_text("Pod", "[", "]", 100'000); }},
        {"a Gang of 9,000 levels of text", [] { return deep_text("Gang", R"({"groups":[)", "]}", 9'000); }},
        {"not UTF-8", not_utf8},
        {"marks of every dialect", all_marks},
        {"fields of the wrong type", wrong_types},
        {"an integer of 400 digits", [] { return one(labelled("a", "big", std::string(400, '9'))); }},
    };
}

}  // namespace echelon::tenants
