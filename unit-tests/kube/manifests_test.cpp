#include "kube/manifests.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

// What each event is about, in their order.
Names names_in(const Manifests& manifests) {
    Names out;
    for (const model::Event& event : manifests.events) {
        if (const auto* pod = std::get_if<model::PodSeen>(&event))
            out.push_back(pod->pod.full_name());
        if (const auto* node = std::get_if<model::NodeSeen>(&event))
            out.push_back(node->node.name);
        if (const auto* group = std::get_if<model::GroupSeen>(&event))
            out.push_back(group->group.key.name);
        if (const auto* topology = std::get_if<model::TopologySeen>(&event))
            out.push_back(topology->topology.name);
        if (const auto* priority = std::get_if<model::PriorityClassSeen>(&event))
            out.push_back(priority->name);
    }
    return out;
}

Manifests read(const std::string& text) {
    auto out = read_manifest_text(text, "f.yaml");
    REQUIRE_MESSAGE(out, (out ? "" : out.error().sentence));
    return std::move(*out);
}

std::string fault_of(const std::string& text) {
    const auto out = read_manifest_text(text, "f.yaml");
    return out ? "" : out.error().sentence;
}

// A separate directory for one test.
class Directory {
public:
    Directory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "manifests-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~Directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

std::string node(const std::string& name) {
    return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\n";
}
std::string json_node(const std::string& name) {
    return json{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}}.dump();
}

TEST_CASE("YAML of several documents, lists in lists and empty documents are read") {
    const Manifests got = read("---\n" + node("a") + "---\n---\n# nothing\n---\n" + R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: b}}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}}
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {name: g}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
)");
    CHECK(names_in(got) == Names{"a", "b", "ns/p", "default/g"});
    CHECK(got.skipped_kinds.empty());
}

TEST_CASE("JSON is read as one object, as a list, one after another, and beside YAML") {
    CHECK(names_in(read(json_node("a"))) == Names{"a"});
    CHECK(names_in(read(R"({"apiVersion": "v1", "items": [)" + json_node("a") + "," + json_node("b") +
                        R"(], "kind": "List", "metadata": {"resourceVersion": ""}})")) == Names{"a", "b"});
    CHECK(names_in(read(json_node("a") + json_node("b") + "\n" + json_node("c") + "\n")) == Names{"a", "b", "c"});
    CHECK(names_in(read("---\n" + json_node("a") + "\n---\n" + json_node("b") + "\n---\n" + node("c"))) ==
          Names{"a", "b", "c"});
    CHECK(names_in(read(node("a") + "---\n" + json_node("b"))) == Names{"a", "b"});
    CHECK(names_in(read("--- " + json_node("a"))) == Names{"a"});
    CHECK(names_in(read("\xef\xbb\xbf" + json_node("a"))) == Names{"a"});
    CHECK(names_in(read("{apiVersion: v1, kind: Node, metadata: {name: a}}")) == Names{"a"});
    CHECK(names_in(read("")).empty());
    CHECK(names_in(read("\n \n")).empty());
}

TEST_CASE("a typed list tells its items what they are") {
    const std::string json_list = R"({"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "p"}}]})";
    CHECK(names_in(read(json_list)) == Names{"default/p"});
    CHECK(read("kind: List\napiVersion: v1\n").skipped_kinds.empty());
    CHECK(names_in(read("kind: NodeList\napiVersion: v1\nitems:\n- metadata: {name: n}\n")) == Names{"n"});
    CHECK(fault_of("kind: List\napiVersion: v1\nitems:\n- metadata: {name: n}\n") ==
          "f.yaml, document 1, items[0]: apiVersion is missing");
}

TEST_CASE("the same objects as YAML and as JSON are the same events") {
    const std::string yaml = R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns, labels: {echelon.sh/gang: g}, annotations: {echelon.sh/gang-minimum: "2"}}
spec:
  containers: [{name: c, resources: {requests: {cpu: 1.5, memory: 1Gi, nvidia.com/gpu: 8}}}]
)";
    const std::string as_json = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns",
        "labels":{"echelon.sh/gang":"g"},"annotations":{"echelon.sh/gang-minimum":"2"}},"spec":{"containers":
        [{"name":"c","resources":{"requests":{"cpu":1.5,"memory":"1Gi","nvidia.com/gpu":8}}}]}})";
    const model::Pod one = std::get<model::PodSeen>(read(yaml).events.at(0)).pod;
    const model::Pod other = std::get<model::PodSeen>(read(as_json).events.at(0)).pod;
    CHECK(one == other);
    CHECK(one.pod_class.requests.of("cpu") == 1500);
    CHECK(one.uid == "ns/p");
}

TEST_CASE("unknown kinds are skipped and named once") {
    const Manifests got = read(
        "apiVersion: apps/v1\nkind: Deployment\n---\napiVersion: v1\nkind: ConfigMap\n---\n"
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b}\n---\n" +
        node("a"));
    CHECK(got.skipped_kinds == Names{"ConfigMap", "Deployment.apps"});
    CHECK(names_in(got) == Names{"a"});
}

TEST_CASE("a malformed object is named by file, document and field") {
    struct Row {
        std::string text;
        std::string fault;
    };
    const std::string bad_pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: train-0}\n"
        "spec: {containers: [{resources: {requests: {cpu: abc}}}]}\n";
    const Row rows[] = {
        {node("a") + "---\n" + node("b") + "---\n" + bad_pod,
         "f.yaml, document 3: Pod default/train-0: spec.containers[0].resources.requests.cpu: \"abc\" isn't a "
         "quantity"},
        {R"({"apiVersion": "v1", "kind": "List", "items": [)" + json_node("a") +
             R"(, {"apiVersion": "v1", "kind": "Node"}]})",
         "f.yaml, document 1, items[1]: Node: metadata.name is missing"},
        {"kind: List\napiVersion: v1\nitems:\n- kind: List\n  apiVersion: v1\n  items: [{kind: Pod, apiVersion: v1}]\n",
         "f.yaml, document 1, items[0], items[0]: Pod: metadata.name is missing"},
        {"kind: Node\nmetadata: {name: a}\n", "f.yaml, document 1: apiVersion is missing"},
        {json_node("a") + R"({"apiVersion": "v1", "metadata": {"name": "b"}})", "f.yaml, document 2: kind is missing"},
        {"apiVersion: v1\nkind: 7\n", "f.yaml, document 1: kind: must be a string, not 7"},
        {"- a\n", "f.yaml, document 1: must be an object, not a list"},
        {"text", "f.yaml, document 1: must be an object, not \"text\""},
        {"[" + json_node("a") + "]", "f.yaml, document 1: must be an object, not a list"},
        {"kind: List\napiVersion: v1\nitems: 7\n", "f.yaml, document 1: items: must be a list, not 7"},
        {R"({"kind": "List", "apiVersion": "v1", "items": {}})",
         "f.yaml, document 1: items: must be a list, not an object"},
        {R"({"kind": "List", "apiVersion": "v1", "items": [null]})",
         "f.yaml, document 1, items[0]: must be an object, not null"},
        {"kind: List\napiVersion: v1\nitems: [null]\n", "f.yaml, document 1, items[0]: must be an object, not null"},
        {R"({"apiVersion": "v1", "kind": "Node",)"
         "\n  \"metadata\": {\"name\": x}}",
         "f.yaml, document 1: isn't valid JSON at line 2, column 24 of the document"},
        {json_node("a") + json_node("b").substr(0, 20),
         "f.yaml, document 2: isn't valid JSON at line 1, column 20 of the document"},
        {json_node("a") + " x", "f.yaml, document 2: must be an object, not \"x\""},
        {R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "name": "b"}})",
         "f.yaml, document 1: metadata.name: the key is given twice"},
        {R"({"apiVersion": "v1", "kind": "List", "items": [{"metadata": {"labels": {"a": "1", "a": "2"}}}]})",
         "f.yaml, document 1, items[0]: metadata.labels.a: the key is given twice"},
        {"apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  name: b\n",
         "f.yaml, document 1: line 5: metadata.name: the key is given twice"},
        {json_node("a") + "\n---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\nkind: Pod\n",
         "f.yaml, document 2: line 6: kind: the key is given twice"},
    };
    for (const Row& row : rows)
        CHECK(fault_of(row.text) == row.fault);
}

TEST_CASE("an object that occurs twice is named with both places") {
    CHECK(fault_of(node("a") + "---\n" + node("a")) == "f.yaml, document 2: Node a is also in f.yaml, document 1");
    const std::string pods = R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}})";
    CHECK(fault_of(pods) == "f.yaml, document 2: Pod default/p is also in f.yaml, document 1");
    const std::string versions =
        R"({"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "PodGroup", "metadata": {"name": "g"}}
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}})";
    CHECK(fault_of(versions) == "f.yaml, document 2: PodGroup g is also in f.yaml, document 1");
    const std::string uids = R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "u"}}
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q", "uid": "u"}})";
    CHECK(fault_of(uids) == "f.yaml, document 2: the UID of Pod q is also in f.yaml, document 1");
    // Other namespaces, kinds and groups are other objects.
    CHECK(fault_of("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}}\n---\n"
                   "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: b}}\n---\n" +
                   node("p"))
              .empty());
}

TEST_CASE("one object in several served versions is one object, and the newest counts (Z44)") {
    const auto in = [](const std::string& version, int minimum, const std::string& uid) {
        return R"({"apiVersion": "scheduling.k8s.io/)" + version +
               R"(", "kind": "PodGroup", "metadata": {"name": "g", "uid": ")" + uid +
               R"("}, "spec": {"schedulingPolicy": {"gang": {"minCount": )" + std::to_string(minimum) + "}}}}\n";
    };
    const auto minimums_in = [](const std::string& text) {
        const auto out = read_manifest_text(text, "f.yaml", Keep::texts_too);
        REQUIRE(out);
        CHECK(out->texts.size() == out->events.size());
        std::vector<std::int64_t> minimums;
        for (const auto& event : out->events) {
            if (const auto* seen = std::get_if<model::GroupSeen>(&event))
                minimums.push_back(seen->group.minimum.value_or(0));
        }
        return minimums;
    };
    using Minimums = std::vector<std::int64_t>;
    const auto old = in("v1alpha3", 3, "u");
    CHECK(minimums_in(old + in("v1beta1", 4, "u")) == Minimums{4});
    CHECK(minimums_in(in("v1beta1", 4, "u") + old) == Minimums{4});
    CHECK(minimums_in(old + in("v1", 6, "u") + in("v1beta1", 4, "u") + in("v1beta2", 5, "u")) == Minimums{6});
    CHECK(minimums_in(in("v1alpha10", 1, "u") + in("v1alpha9", 2, "u")) == Minimums{1});
    // One version twice, or another UID, is a fault.
    CHECK(fault_of(old + old) == "f.yaml, document 2: PodGroup g is also in f.yaml, document 1");
    CHECK(!fault_of(old + in("v1beta1", 4, "other")).empty());
    CHECK(!fault_of(old + in("v1beta1", 4, "")).empty());
}

TEST_CASE("hostile texts end in one sentence") {
    const std::string depth = std::string(70, '[') + std::string(70, ']');
    CHECK(fault_of(R"({"apiVersion": "v1", "kind": "X", "deep": )" + depth + "}").ends_with(": nested deeper than 64"));
    CHECK(fault_of(R"({"apiVersion": "v1", "kind": "X", "deep": )" + std::string(10'000'000, '[')).size() < 500);
    CHECK(fault_of("{\"a\":" + std::string(1'000'000, '{')).size() < 500);
    CHECK(fault_of(R"({"a": "\ud800"})").starts_with("f.yaml, document 1: isn't valid JSON"));
    CHECK(fault_of("{\"a\": \"\xff\"}").starts_with("f.yaml, document 1: isn't valid JSON"));
    CHECK(fault_of("{\"a\": 1e999}").starts_with("f.yaml, document 1: isn't valid JSON"));
    CHECK(fault_of("{\"a\": 99999999999999999999999}").starts_with("f.yaml, document 1: "));
    CHECK(fault_of(std::string("{\"a\"\0: 1}", 9)).starts_with("f.yaml, document 1: isn't valid JSON"));
    CHECK(fault_of("{\"" + std::string(1000, 'k') + "\": 1, \"apiVersion\": [}").size() < 500);
    CHECK(fault_of("apiVersion: v1\nkind: Node\nmetadata: {name: \"a\\nb\"}\n") ==
          "f.yaml, document 1: Node a\\nb: metadata.name: \"a\\nb\" isn't a name");
    // Lists in lists count as depth, too.
    std::string lists = R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})";
    for (int i = 0; i < 40; ++i)
        lists = R"({"apiVersion": "v1", "kind": "List", "items": [)" + lists + "]}";
    CHECK(fault_of(lists).ends_with(": nested deeper than 64"));
}

TEST_CASE("no cut of a manifest crashes, and none is taken for the whole") {
    const std::string yaml =
        "apiVersion: v1\nkind: Node\nmetadata: {name: abc, labels: {\"a\": 'b'}}\nspec: {x: [1, 2]}\n";
    for (const std::string& text : {yaml, json_node("abc")}) {
        for (std::size_t length = 1; length < text.size(); ++length) {
            const auto got = read_manifest_text(text.substr(0, length), "f");
            if (got && !got->events.empty())
                CHECK(names_in(*got) == Names{"abc"});
            if (!got)
                CHECK(got.error().sentence.starts_with("f, document 1: "));
        }
    }
}

TEST_CASE("a pod without a priority has that of the class") {
    const Manifests got = read(R"(
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priorityClassName: high}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {priorityClassName: high, priority: 3}}
---
{apiVersion: v1, kind: Pod, metadata: {name: c}}
---
{apiVersion: v1, kind: Pod, metadata: {name: d}, spec: {priorityClassName: system-node-critical}}
---
{apiVersion: v1, kind: Pod, metadata: {name: e}, spec: {priorityClassName: unknown}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 5, globalDefault: true}
)");
    std::vector<std::int64_t> priorities;
    for (const model::Event& event : got.events) {
        if (const auto* pod = std::get_if<model::PodSeen>(&event))
            priorities.push_back(pod->pod.priority);
    }
    CHECK(priorities == std::vector<std::int64_t>{100, 3, 5, 2'000'001'000, 0});
}

TEST_CASE("of several default classes the least counts, whatever their order") {
    const std::string pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n";
    const auto usual = [](const std::string& name, const std::string& value) {
        return "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name +
               "}, value: " + value + ", globalDefault: true}\n---\n";
    };
    for (const std::string& text : {pod + usual("a", "7") + usual("b", "5"), pod + usual("b", "5") + usual("a", "7")}) {
        const Manifests got = read(text);
        CHECK(std::get<model::PodSeen>(got.events.front()).pod.priority == 5);
    }
}

TEST_CASE("a pod that states no preemption policy takes it from the class (U5)") {
    const Manifests got = read(R"(
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: meek}, value: 9, preemptionPolicy: Never}
---
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priorityClassName: meek}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {priorityClassName: meek, priority: 9}}
)");
    REQUIRE(got.events.size() == 3);
    for (const auto at : {std::size_t{1}, std::size_t{2}}) {
        const auto& pod = std::get<model::PodSeen>(got.events[at]).pod;
        CHECK(pod.priority == 9);
        CHECK_FALSE(pod.preempts);
    }
}

TEST_CASE("a pod that is over and states no priority is read, in a gang or in none") {
    const Manifests got = read(R"(
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n0}, status: {phase: Succeeded}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {nodeName: n0, priorityClassName: high}, status: {phase: Succeeded}}
---
{apiVersion: v1, kind: Pod, metadata: {name: c, labels: {echelon.sh/gang: g}}, spec: {nodeName: n0}, status: {phase: Succeeded}}
)");
    REQUIRE(got.events.size() == 3);
    CHECK(std::holds_alternative<model::PodGone>(got.events[0]));
    CHECK(std::holds_alternative<model::PodGone>(got.events[1]));
    CHECK(std::holds_alternative<model::PodSeen>(got.events[2]));
    CHECK(got.priority_classes.size() == 1);
}

TEST_CASE("files and directories are read in order, and only manifests of a directory") {
    const Directory directory;
    (void)directory.write("b.yaml", node("b"));
    (void)directory.write("a.json", json_node("a"));
    (void)directory.write("c.yml", node("c"));
    (void)directory.write("d.txt", "not yaml: [");
    std::filesystem::create_directory(directory.path() + "/deeper.yaml");
    const Directory other;
    const std::string file = other.write("plain", node("z"));

    const auto got = read_manifests({file, directory.path()});
    REQUIRE_MESSAGE(got, (got ? "" : got.error().sentence));
    CHECK(names_in(*got) == Names{"z", "a", "b", "c"});

    const auto twice = read_manifests({directory.path() + "/b.yaml", directory.path()});
    REQUIRE_FALSE(twice);
    CHECK(twice.error().sentence ==
          directory.path() + "/b.yaml, document 1: Node b is also in " + directory.path() + "/b.yaml, document 1");
}

TEST_CASE("what can't be read is named") {
    const Directory empty;
    CHECK(read_manifests({empty.path()}).error().sentence == empty.path() + ": has no file *.yaml, *.yml or *.json");
    CHECK(read_manifests({"/nonexistent/x.yaml"}).error().sentence ==
          "/nonexistent/x.yaml: can't be read: No such file or directory");
    CHECK(read_manifests({"-", "-"}).error().sentence == "standard input: is named twice");
    CHECK(read_manifests({})->events.empty());
}

TEST_CASE("YAML has a limit that JSON doesn't share") {
    std::string text = "# " + std::string(64U << 20U, 'x') + "\n";
    CHECK(fault_of(text) == "f.yaml: larger than 64 MB of YAML; give it as JSON");
    text = R"({"apiVersion": "v1", "kind": "X", "data": ")" + std::string(65U << 20U, 'x') + "\"}";
    CHECK(read(text).skipped_kinds == Names{"X"});
}

}  // namespace
}  // namespace echelon::kube
