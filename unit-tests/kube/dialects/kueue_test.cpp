#include "kube/dialects/kueue.hpp"

#include "unit-tests/kube/support/rows.hpp"

#include <map>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;
using Names = std::vector<std::string>;
using Multiples = std::map<std::string, std::int64_t>;

constexpr const char* version = "kueue.x-k8s.io/v1beta2";
const std::string prefix = "kueue.x-k8s.io/";

json annotated(const std::map<std::string, std::string>& keys) {
    json annotations = json::object();
    for (const auto& [key, value] : keys) {
        annotations[prefix + key] = value;
    }
    return annotations;
}

json pod_set(const std::string& name, std::int64_t count, const std::map<std::string, std::string>& keys = {}) {
    return {{"name", name},
            {"count", count},
            {"template", {{"metadata", {{"annotations", annotated(keys)}}}, {"spec", nullptr}}}};
}

json workload(const json& pod_sets, const json& status = nullptr) {
    json object = group_object(version, "Workload", "{}");
    object["spec"]["podSets"] = pod_sets;
    object["status"] = status;
    return object;
}

// The only leaf of a Workload with these annotations on the template of four pods.
Group leaf_with(const std::map<std::string, std::string>& keys) {
    return part_of(set_in(workload(json::array({pod_set("main", 4, keys)}))), "ns/g/main");
}

TEST_CASE("a Workload is a root over its PodSets, all needed, of the admitted count or else the declared one") {
    const json admitted = {{"admission", {{"podSetAssignments", json::array({{{"name", "b"}, {"count", 2}}})}}}};
    const auto set = set_in(workload(json::array({pod_set("a", 1), pod_set("b", 4)}), admitted));
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"kueue-workload", "ns/g"});
    CHECK(root.kind == GroupKind::composite);
    CHECK_FALSE(root.minimum);
    CHECK(root.policy.needs_pods);
    CHECK(root.api_kind == "Workload");
    CHECK(part_of(set, "ns/g/a").minimum == 1);
    CHECK(part_of(set, "ns/g/b").minimum == 2);
    CHECK(part_of(set, "ns/g/b").expected == 2);
    CHECK(part_of(set, "ns/g/b").parent == root.key);
}

TEST_CASE("a Workload ends its pods when its longest time has passed since it was admitted (Q17)") {
    const auto end_of = [](const char* status, std::int64_t past) {
        json object = workload(
            json::array({pod_set("main", 4)}),
            {{"conditions",
              json::array(
                  {{{"type", "Admitted"}, {"status", status}, {"lastTransitionTime", "2026-01-01T00:00:00Z"}}})},
             {"accumulatedPastExexcutionTimeSeconds", past}});
        object["spec"]["maximumExecutionTimeSeconds"] = 600;
        return part_of(set_in(object), "ns/g/main").ends;
    };
    CHECK(end_of("True", 0) == 1767225600 + 600);
    CHECK(end_of("True", 200) == 1767225600 + 400);  // An earlier admission took some of it.
    CHECK(end_of("False", 0) == 0);
    CHECK(part_of(set_in(workload(json::array({pod_set("main", 4)}))), "ns/g/main").ends == 0);
}

TEST_CASE("topology requests, row by row") {
    CHECK(leaf_with({{"podset-required-topology", "example.com/rack"}}).required == Names{"example.com/rack"});
    CHECK(leaf_with({{"podset-preferred-topology", "example.com/rack"}}).preferred == Names{"example.com/rack"});
    const Group free = leaf_with({{"podset-unconstrained-topology", "true"}});
    CHECK(free.required.empty());
    CHECK(free.problem == "");
    CHECK(leaf_with({{"podset-required-topology", "/"}}).problem ==
          "the annotation kueue.x-k8s.io/podset-required-topology is \"/\", which isn't a label key");
    const Group wish = leaf_with({{"podset-preferred-topology", "/"}});
    CHECK(wish.problem == "");
    CHECK(wish.warnings.size() == 1);
    for (const auto& [one, other] : {std::pair{"podset-required-topology", "podset-preferred-topology"},
                                     {"podset-required-topology", "podset-unconstrained-topology"},
                                     {"podset-preferred-topology", "podset-unconstrained-topology"}}) {
        CHECK(leaf_with({{one, "true"}, {other, "true"}}).problem.ends_with("only one may be given"));
    }
}

TEST_CASE("slices are multiples of their size") {
    const auto sliced = [](const std::string& size) {
        return leaf_with({{"podset-slice-required-topology", "example.com/rack"}, {"podset-slice-size", size}});
    };
    CHECK(sliced("2").multiples == Multiples{{"example.com/rack", 2}});
    CHECK(sliced("2").problem == "");
    CHECK(sliced("3").problem == "slices of 3 pods don't divide the 4 pods");
    CHECK(sliced("0").problem == "kueue.x-k8s.io/podset-slice-size is \"0\", which isn't a number from 1 on");
    CHECK(leaf_with({{"podset-slice-required-topology", "example.com/rack"}}).problem ==
          "the annotation kueue.x-k8s.io/podset-slice-required-topology needs kueue.x-k8s.io/podset-slice-size");
    // Beside a request for the whole group.
    const Group both = leaf_with({{"podset-required-topology", "example.com/block"},
                                  {"podset-slice-required-topology", "example.com/rack"},
                                  {"podset-slice-size", "2"}});
    CHECK(both.required == Names{"example.com/block"});
    CHECK(both.multiples == Multiples{{"example.com/rack", 2}});
}

TEST_CASE("a PodSet asks by its field as by annotations, and both must agree (Z30)") {
    const auto leaf_of = [](const json& request, const std::map<std::string, std::string>& keys) {
        auto set = pod_set("main", 4, keys);
        set["topologyRequest"] = request;
        return part_of(set_in(workload(json::array({set}))), "ns/g/main");
    };
    const auto by_field =
        leaf_of({{"required", "a/rack"}, {"podSetSliceRequiredTopology", "a/host"}, {"podSetSliceSize", 2}}, {});
    CHECK(by_field.problem.empty());
    CHECK(by_field.required == Names{"a/rack"});
    CHECK(by_field.multiples == Multiples{{"a/host", 2}});
    CHECK(leaf_of({{"preferred", "a/rack"}}, {}).preferred == Names{"a/rack"});
    CHECK(leaf_of({{"required", "a/rack"}}, {{"podset-required-topology", "a/rack"}}).problem.empty());
    CHECK(leaf_of({{"unconstrained", true}}, {{"podset-required-topology", "a/rack"}}).required == Names{"a/rack"});
    // The field knows the size that the annotations leave open.
    const auto sized = leaf_of({{"podSetSliceRequiredTopology", "a/host"}, {"podSetSliceSize", 2}},
                               {{"podset-slice-required-topology", "a/host"}});
    CHECK(sized.problem.empty());
    CHECK(sized.multiples == Multiples{{"a/host", 2}});
    CHECK(leaf_of({{"required", "a/rack"}}, {{"podset-required-topology", "a/block"}}).problem ==
          "spec.podSets[0].topologyRequest and the annotations of its template ask for unlike levels");
    CHECK(leaf_of({{"required", "a b"}}, {}).problem ==
          "spec.podSets[0].topologyRequest.required is \"a b\", which isn't a label key");
}

TEST_CASE("what only one place of a PodSet says binds beside what the other says (Z30)") {
    const auto leaf_of = [](const json& request, const std::map<std::string, std::string>& keys) {
        auto set = pod_set("main", 8, keys);
        set["topologyRequest"] = request;
        return part_of(set_in(workload(json::array({set}))), "ns/g/main");
    };
    const json slices = {{"podSetSliceRequiredTopology", "a/host"}, {"podSetSliceSize", 2}};
    const auto both = leaf_of(slices, {{"podset-required-topology", "a/rack"}});
    CHECK(both.problem.empty());
    CHECK(both.required == Names{"a/rack"});
    CHECK(both.multiples == Multiples{{"a/host", 2}});
    const auto turned =
        leaf_of({{"required", "a/rack"}}, {{"podset-slice-required-topology", "a/host"}, {"podset-slice-size", "2"}});
    CHECK(turned.problem.empty());
    CHECK(turned.required == Names{"a/rack"});
    CHECK(turned.multiples == Multiples{{"a/host", 2}});

    const std::string unlike =
        "spec.podSets[0].topologyRequest and the annotations of its template ask for unlike levels";
    CHECK(leaf_of({{"preferred", "a/rack"}}, {{"podset-required-topology", "a/rack"}}).problem == unlike);
    CHECK(leaf_of({{"unconstrained", true}}, {{"podset-required-topology", "a/rack"}}).problem == unlike);
    CHECK(leaf_of(slices, {{"podset-slice-required-topology", "a/host"}, {"podset-slice-size", "4"}}).problem ==
          unlike);

    // Slices within slices are a list there.
    const auto nested = [&](const json& list) {
        return leaf_of({{"podsetSliceRequiredTopologyConstraints", list}}, {});
    };
    const auto two = nested({{{"topology", "a/block"}, {"size", 4}}, {{"topology", "a/rack"}, {"size", 2}}});
    CHECK(two.problem.empty());
    CHECK(two.multiples == Multiples{{"a/block", 4}, {"a/rack", 2}});
    CHECK(nested({{{"topology", "a/block"}, {"size", 2}}, {{"topology", "a/rack"}, {"size", 4}}}).problem ==
          "slices of 4 pods don't divide the 2 pods");
    CHECK(nested({{{"topology", "a/block"}}}).problem ==
          "spec.podSets[0].topologyRequest.podsetSliceRequiredTopologyConstraints[0] isn't a slice of a level of its "
          "own");

    CHECK(leaf_of({{"podSetSliceRequiredTopology", "a/host"}}, {}).problem ==
          "spec.podSets[0].topologyRequest.podSetSliceRequiredTopology needs podSetSliceSize");
    CHECK(leaf_of({{"required", "a/rack"}, {"preferred", "a/host"}}, {}).problem ==
          "spec.podSets[0].topologyRequest asks for more than one of required, preferred and unconstrained");
}

TEST_CASE("the size of slices may be stated without their level, and fits a level in another place (Z30)") {
    const auto leaf_of = [](const json& request, const std::map<std::string, std::string>& keys) {
        auto set = pod_set("main", 4, keys);
        set["topologyRequest"] = request;
        return part_of(set_in(workload(json::array({set}))), "ns/g/main");
    };
    const json size = {{"podSetSliceSize", 2}};
    const json level = {{"podSetSliceRequiredTopology", "a/host"}};
    CHECK(leaf_of(size, {}).policy.slice_size == 2);
    CHECK(leaf_of(nullptr, {{"podset-slice-size", "2"}}).policy.slice_size == 2);
    CHECK(leaf_of(size, {}).multiples.empty());
    for (const Group& both : {leaf_of(size, {{"podset-slice-required-topology", "a/host"}}),
                              leaf_of(level, {{"podset-slice-size", "2"}})}) {
        CHECK(both.problem == "");
        CHECK(both.multiples == Multiples{{"a/host", 2}});
        CHECK(both.policy.slice_size == 0);
    }
    CHECK(leaf_of({{"podSetSliceSize", 3}}, {{"podset-slice-required-topology", "a/host"}}).problem ==
          "slices of 3 pods don't divide the 4 pods");
    CHECK(leaf_of(size, {{"podset-slice-size", "4"}}).problem.ends_with("ask for unlike levels"));
}

TEST_CASE("a level of slices without a size on a pod is a problem that only its PodSet can solve (A3, Z30)") {
    const auto asked = [](const std::map<std::string, std::string>& keys) {
        json annotations = annotated(keys);
        annotations.update(annotated({{"workload", "g"}}));
        const auto member = membership_of({{prefix + "podset", "main"}}, annotations);
        REQUIRE(member);
        REQUIRE(member->declared.size() == 1);
        return member->declared.front();
    };
    const Group open = asked({{"podset-slice-required-topology", "a/host"}});
    CHECK(open.only_supplements);
    CHECK(open.policy.unsized_slices == "a/host");
    CHECK(open.problem ==
          "the annotation kueue.x-k8s.io/podset-slice-required-topology needs kueue.x-k8s.io/podset-slice-size");
    const Group sized = asked({{"podset-slice-required-topology", "a/host"}, {"podset-slice-size", "2"}});
    CHECK(sized.policy.unsized_slices.empty());
    CHECK(sized.multiples == Multiples{{"a/host", 2}});
    // No size solves another problem.
    const Group wrong = asked({{"podset-required-topology", "/"}, {"podset-slice-required-topology", "a/host"}});
    CHECK(wrong.policy.unsized_slices.empty());
    CHECK(wrong.problem.ends_with("which isn't a label key"));
}

TEST_CASE("slices within slices: coarse to fine, each dividing the one above") {
    const auto nested = [](const std::string& text) {
        return leaf_with({{"podset-slice-required-topology-constraints", text}});
    };
    const Group two = nested(R"([{"topology": "block", "size": 4}, {"topology": "rack", "size": 2}])");
    CHECK(two.multiples == Multiples{{"block", 4}, {"rack", 2}});
    CHECK(two.problem == "");
    CHECK(nested(R"([{"topology": "block", "size": 2}, {"topology": "rack", "size": 4}])").problem ==
          "slices of 4 pods don't divide the 2 pods");
    for (const char* text :
         {"x", "{}", "[]", R"([{"topology": "a"}])", R"([{"size": 2}])", R"([{"topology": "a", "size": 0}])",
          R"([{"topology": "a", "size": "2"}])", R"([{"topology": "a", "size": 4}, {"topology": "a", "size": 2}])",
          R"([{"topology": "a", "size": 4}, {"topology": "b", "size": 4},
                                 {"topology": "c", "size": 2}, {"topology": "d", "size": 1}])"}) {
        CAPTURE(text);
        CHECK(nested(text).problem.find("which can't be read") != std::string::npos);
    }
    CHECK(leaf_with({{"podset-slice-required-topology-constraints", "[]"}, {"podset-slice-required-topology", "a"}})
              .problem.find("exclude each other") != std::string::npos);
}

TEST_CASE("a PodSet group binds a leader and its workers together") {
    const std::map<std::string, std::string> keys = {{"podset-group-name", "pair"},
                                                     {"podset-required-topology", "example.com/rack"}};
    const auto set = set_in(workload(json::array({pod_set("leader", 1, keys), pod_set("workers", 3, keys)})));
    const Group pair = part_of(set, "ns/g/pair");
    CHECK(pair.kind == GroupKind::composite);
    CHECK(pair.parent == GroupKey{"kueue-workload", "ns/g"});
    CHECK(pair.required == Names{"example.com/rack"});
    CHECK(part_of(set, "ns/g/leader").parent == pair.key);
    CHECK(part_of(set, "ns/g/workers").required == Names{"example.com/rack"});  // For their pods to agree with.
    CHECK(set.groups.front().problem == "");

    const auto problem = [](const json& pod_sets) { return set_in(workload(pod_sets)).groups.front().problem; };
    CHECK(problem(json::array({pod_set("a", 1, keys)})) ==
          "the PodSet group \"pair\" isn't a leader of one pod and its workers");
    CHECK(problem(json::array({pod_set("a", 2, keys), pod_set("b", 3, keys)})) ==
          "the PodSet group \"pair\" isn't a leader of one pod and its workers");
    CHECK(problem(json::array({pod_set("a", 1, keys), pod_set("b", 3, {{"podset-group-name", "pair"}})})) ==
          "the PodSets \"ns/g/a\" and \"ns/g/b\" are one group, but ask for unlike levels");
}

TEST_CASE("fields of Kueue's Workload, row by row (A3)") {
    const auto set = [](const json& fields) {
        json entry = {{"name", "a"}};
        entry.update(fields);
        return workload(json::array({entry}));
    };
    const auto status = [](const json& assignments) {
        return workload(json::array({pod_set("a", 1)}), {{"admission", {{"podSetAssignments", assignments}}}});
    };
    const std::vector<std::pair<json, std::string>> rows = {
        {workload(7), "spec.podSets: must be a list, not 7"},
        {workload(json::array({7})), "spec.podSets[0]: must be an object, not 7"},
        {workload(json::array({{{"count", 1}}})), "spec.podSets[0].name is missing"},
        {workload(json::array({pod_set("a", 1), pod_set("a", 1)})), "spec.podSets[1].name: \"a\" is given twice"},
        {set({{"count", -1}}), "spec.podSets[0].count: must be between 0 and 2147483647, not -1"},
        {set({{"count", "4"}}), "spec.podSets[0].count: must be an integer, not \"4\""},
        {set({{"count", 1.5}}), "spec.podSets[0].count: must be an integer, not 1.5"},
        {set({{"template", "x"}}), "spec.podSets[0].template: must be an object, not \"x\""},
        {set({{"template", {{"metadata", {{"annotations", {{prefix + "podset-required-topology", 7}}}}}}}}),
         "spec.podSets[0].template.metadata.annotations[\"kueue.x-k8s.io/podset-required-topology\"]: must be a "
         "string, "
         "not 7"},
        {status(7), "status.admission.podSetAssignments: must be a list, not 7"},
        {status(json::array({{{"name", "a"}, {"count", -1}}})),
         "status.admission.podSetAssignments[0].count: must be between 0 and 2147483647, not -1"},
    };
    for (const auto& [object, fault] : rows) {
        CAPTURE(fault);
        const auto events = decode(object, Change::seen);
        REQUIRE_FALSE(events);
        CHECK(events.error().sentence == "Workload ns/g: " + fault);
        CHECK(problem_of_refused(object, events.error()) == fault);
    }
}

TEST_CASE("annotations of Kueue, row by row (A3, Z11)") {
    struct Row {
        std::map<std::string, std::string> keys;
        const char* problem;
    };
    const std::vector<Row> rows = {
        {{{"podset-required-topology", ""}}, "podset-required-topology is \"\", which isn't a label key"},
        {{{"podset-slice-required-topology", "/"}, {"podset-slice-size", "2"}},
         "podset-slice-required-topology is \"/\", which isn't a label key"},
        {{{"podset-slice-required-topology", "a"}, {"podset-slice-size", "two"}},
         "podset-slice-size is \"two\", which isn't a number from 1 on"},
        {{{"podset-slice-required-topology", "a"}, {"podset-slice-size", "-2"}},
         "podset-slice-size is \"-2\", which isn't a number from 1 on"},
        {{{"podset-slice-required-topology", "a"}, {"podset-slice-size", "3"}}, "don't divide the 4 pods"},
        {{{"podset-slice-required-topology-constraints", ""}}, "which can't be read"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.problem);
        CHECK(leaf_with(row.keys).problem.find(row.problem) != std::string::npos);
    }
    CHECK(leaf_with({{"podset-unconstrained-topology", "false"}, {"podset-required-topology", "a"}}).required ==
          Names{"a"});
    CHECK(leaf_with({{"podset-slice-size", "2"}}).multiples.empty());  // Of nothing.
}

TEST_CASE("a PodSet without a count has one pod, and what isn't known changes nothing") {
    const auto plain = set_in(workload(json::array({{{"name", "a"}}})));
    CHECK(part_of(plain, "ns/g/a").minimum == 1);
    CHECK(set_in(workload(json::array({{{"name", "a"}, {"count", nullptr}, {"minCount", 7}, {"template", nullptr}}}),
                          {{"requeueState", 7}})) == plain);
    const json nobody = {{"admission", {{"podSetAssignments", json::array({{{"name", "a"}, {"count", 0}}})}}}};
    CHECK(part_of(set_in(workload(json::array({pod_set("a", 4)}), nobody)), "ns/g/a").minimum == 0);
}

TEST_CASE("plain pods form a group of their total count") {
    const auto member =
        membership_of({{prefix + "pod-group-name", "g"}, {prefix + "pod-group-pod-index", "3"}},
                      annotated({{"pod-group-total-count", "4"}, {"podset-required-topology", "example.com/rack"}}));
    REQUIRE(member);
    CHECK(member->leaf == GroupKey{"kueue-pod-group", "ns/g"});
    REQUIRE(member->declared.size() == 1);
    CHECK(member->declared.front().minimum == 4);
    CHECK(member->declared.front().expected == 4);
    CHECK(member->declared.front().required == Names{"example.com/rack"});
    CHECK(member->rank == 3);
    CHECK(membership_of({{prefix + "pod-group-name", "g"}})->declared.front().problem ==
          "the annotation kueue.x-k8s.io/pod-group-total-count is missing");
    CHECK(membership_of({{prefix + "pod-group-name", "g"}}, annotated({{"pod-group-total-count", "x"}}))
              ->declared.front()
              .problem == "kueue.x-k8s.io/pod-group-total-count is \"x\", which isn't a number from 1 on");
    CHECK(membership_of({{prefix + "pod-group-name", "g"}}, annotated({{"pod-group-total-count", "0"}}))
              ->declared.front()
              .problem == "kueue.x-k8s.io/pod-group-total-count is \"0\", which isn't a number from 1 on");
}

TEST_CASE("a pod names its PodSet by label and annotation, and its place by a label or by the name of one") {
    const auto member = membership_of(
        {{prefix + "podset", "main"}, {"app/index", "7"}},
        annotated({{"workload", "g"}, {"pod-group-pod-index-label", "app/index"}, {"pod-index-offset", "5"}}));
    REQUIRE(member);
    CHECK(member->leaf == GroupKey{"kueue-podset", "ns/g/main"});
    CHECK(member->rank == 2);
    CHECK(member->declared.empty());
    const auto rank = [](const std::string& index, const std::string& offset) {
        return membership_of({{prefix + "podset", "main"}, {prefix + "pod-group-pod-index", index}},
                             annotated({{"workload", "g"}, {"pod-index-offset", offset}}))
            ->rank;
    };
    CHECK(rank("3", "x") == 3);
    CHECK(rank("3", "4") == 3);  // Of another part.
    CHECK(rank("x", "1") == -1);
    // Kueue gives the offset to the workers of an MPIJob, whose launcher comes first.
    const auto worker = membership_of({{prefix + "podset", "worker"}, {"training.kubeflow.org/replica-index", "4"}},
                                      annotated({{"workload", "g"}, {"pod-index-offset", "1"}}));
    CHECK(worker->rank == 3);
    CHECK_FALSE(membership_of({{prefix + "podset", "main"}}));
    CHECK_FALSE(membership_of(nullptr, annotated({{"workload", "g"}})));
}

TEST_CASE("topology requests of Kueue supplement the group of another dialect") {
    const auto keys = annotated({{"podset-required-topology", "example.com/rack"}});
    const auto named = membership_of(nullptr, keys, {{"schedulingGroup", {{"podGroupName", "g"}}}});
    REQUIRE(named->declared.size() == 1);
    CHECK(named->declared.front().only_supplements);
    CHECK(named->declared.front().key == GroupKey{"podgroup", "ns/g"});
    CHECK(named->declared.front().required == Names{"example.com/rack"});

    json labelled = keys;
    labelled["echelon.sh/gang-minimum"] = "2";
    const auto own = membership_of({{"echelon.sh/gang", "g"}}, labelled);
    REQUIRE(own->declared.size() == 2);
    CHECK_FALSE(own->declared.front().only_supplements);
    CHECK(own->declared.back().key == own->leaf);
}

}  // namespace
}  // namespace echelon::kube
