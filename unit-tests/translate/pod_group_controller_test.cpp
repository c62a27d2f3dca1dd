// PodGroups follow their PodGangs through a fake API server that stores objects and injects failures.

#include "translate/pod_group_controller.hpp"

#include "kube/decode.hpp"
#include "translate/pod_group_diff.hpp"
#include "unit-tests/translate/kept_pod_groups.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {
namespace {

using nlohmann::json;

json layers(const std::string& name) {
    return {{"apiVersion", "scheduling.koordinator.sh/v1alpha1"},
            {"kind", "ClusterNetworkTopology"},
            {"metadata", {{"name", "default"}}},
            {"spec", {{"networkTopologySpec", {{{"topologyLayer", name}, {"labelKey", {"example.com/x"}}}}}}}};
}

TEST_CASE("a PodGang gets its PodGroups, keeps them as it changes, and leaves them to the garbage collector (K2)") {
    GroveStore store;
    store.put_gang(pod_gang(two_groups));
    Kept kept(store);
    kept.see(pod_gang(two_groups));
    store.await([&] { return store.groups().size() == 2; });
    CHECK(store.writes() == std::vector<std::string>{"POST demo-0-a", "POST demo-0-b"});
    CHECK(is_controlled_by(store.groups()["demo-0-a"], "u-1"));
    CHECK(store.groups()["demo-0-a"]["spec"]["minMember"] == 2);

    SUBCASE("one that left the gang goes, after the others were changed") {
        store.put_gang(pod_gang(one_group));
        kept.see(pod_gang(one_group));
        store.await([&] { return store.groups().size() == 1; });
        CHECK(store.writes() ==
              std::vector<std::string>{"POST demo-0-a", "POST demo-0-b", "PATCH demo-0-a", "DELETE demo-0-b"});
        CHECK(store.groups()["demo-0-a"]["metadata"]["annotations"]["gang.scheduling.koordinator.sh/groups"] ==
              "[\"ml/demo-0-a\"]");
    }
    SUBCASE("a failure half-way deletes nothing, and is made up for") {
        store.fail("PATCH", "demo-0-a", 500);
        store.put_gang(pod_gang(one_group));
        kept.see(pod_gang(one_group));
        store.await([&] { return store.groups().size() == 1; });
        const std::vector<std::string> writes = store.writes();
        CHECK(std::vector<std::string>(writes.begin() + 2, writes.end()) ==
              std::vector<std::string>{"PATCH demo-0-a", "PATCH demo-0-a", "DELETE demo-0-b"});
    }
    SUBCASE("what others wrote on it stays") {
        auto group = store.groups()["demo-0-a"];
        group["metadata"]["labels"]["team"] = "x";
        group["metadata"]["annotations"]["note"] = "y";
        group["metadata"]["finalizers"] = {"example.com/z"};
        group["spec"]["minMember"] = 9;
        store.put_group(group);
        kept.see(group);
        store.await([&] { return store.groups()["demo-0-a"]["spec"]["minMember"] == 2; });
        const auto metadata = store.groups()["demo-0-a"]["metadata"];
        CHECK(metadata["labels"] == json{{"team", "x"}, {"grove.io/podgang", "demo-0"}});
        CHECK(metadata["annotations"]["note"] == "y");
        CHECK(metadata["finalizers"] == json{"example.com/z"});
    }
    SUBCASE("one that somebody deleted comes back") {
        const auto group = store.groups()["demo-0-b"];
        store.remove_group("demo-0-b");
        kept.lose(group);
        store.await([&] { return store.groups().size() == 2; });
    }
    SUBCASE("a change that met another's is tried again") {
        store.fail("PATCH", "demo-0-a", 409);
        const char* const grown =
            R"({"podgroups": [{"name": "a", "minReplicas": 5}, {"name": "b", "minReplicas": 1}]})";
        store.put_gang(pod_gang(grown));
        kept.see(pod_gang(grown));
        store.await([&] { return store.groups()["demo-0-a"]["spec"]["minMember"] == 5; });
    }
    SUBCASE("a minimum that falls to 0 stays what it was, also after a restart") {
        const char* const released =
            R"({"podgroups": [{"name": "a", "minReplicas": 0}, {"name": "b", "minReplicas": 3}]})";
        store.put_gang(pod_gang(released));
        Kept restarted(store);
        restarted.see(pod_gang(released));
        store.await([&] { return store.groups()["demo-0-b"]["spec"]["minMember"] == 3; });
        CHECK(store.groups()["demo-0-a"]["spec"]["minMember"] == 2);
    }
    SUBCASE("after a restart nothing is written that is there already") {
        const auto writes = store.writes().size();
        Kept restarted(store);
        restarted.see(pod_gang(two_groups));
        auto more = pod_gang(two_groups);
        more["metadata"]["name"] = "demo-1";  // A second gang shows that the first was handled.
        store.put_gang(more);
        restarted.see(more);
        store.await([&] { return store.writes().size() > writes; });
        CHECK(store.writes()[writes].starts_with("POST demo-1"));
    }
    SUBCASE("a PodGang that is gone is left to the garbage collector") {
        const auto writes = store.writes().size();
        store.remove_gang();
        kept.lose(pod_gang(two_groups));
        store.put_gang(pod_gang(one_group, "u-2"));  // A younger one: what the old one owns isn't its own.
        kept.see(pod_gang(one_group, "u-2"));
        store.await([&] { return !kept.sentences().empty(); });
        CHECK(store.writes().size() == writes);
        CHECK(kept.sentences().front() ==
              "PodGang ml/demo-0: PodGroup ml/demo-0-a is there already, and isn't controlled by this PodGang");
        store.remove_group("demo-0-a");
        store.await([&] { return store.groups().contains("demo-0-a"); });
        CHECK(is_controlled_by(store.groups()["demo-0-a"], "u-2"));
        CHECK(store.groups().contains("demo-0-b"));
    }
}

TEST_CASE("a PodGroup of another owner is never changed") {
    GroveStore store;
    store.put_gang(pod_gang(two_groups));
    store.put_group({{"metadata", {{"name", "demo-0-a"}, {"namespace", "ml"}}}, {"spec", {{"minMember", 7}}}});
    Kept kept(store);
    kept.see(pod_gang(two_groups));
    store.await([&] { return !store.events().empty(); });
    CHECK(store.groups()["demo-0-a"]["spec"]["minMember"] == 7);
    CHECK(store.writes().empty());
    const json event = store.events().front();
    CHECK(event["reason"] == "NotTranslated");
    CHECK(event["regarding"]["kind"] == "PodGang");
    CHECK(event["regarding"]["uid"] == "u-1");
    store.remove_group("demo-0-a");
    store.await([&] { return store.groups().size() == 2; });
    CHECK(store.events().size() == 1);  // Told once, however often it was tried.
}

TEST_CASE("a gang whose level has no layer gets a warning, and is written once there is one") {
    const char* const spec = R"({"topologyConstraint": {"packConstraint": {"required": "topology.kubernetes.io/rack"}},
                                 "podgroups": [{"name": "a", "minReplicas": 2}]})";
    GroveStore store;
    store.put_gang(pod_gang(spec));
    Kept kept(store);
    kept.see(layers("blockLayer"));
    kept.see(pod_gang(spec));
    store.await([&] { return !store.events().empty(); });
    CHECK(store.writes().empty());
    CHECK(store.events().front()["note"].get<std::string>().find("\"rackLayer\"") != std::string::npos);
    kept.see(layers("rackLayer"));
    store.await([&] { return store.groups().size() == 1; });
}

json clique_set(const char* scheduler, const char* nvlink) {
    return {
        {"apiVersion", "grove.io/v1alpha1"},
        {"kind", "PodCliqueSet"},
        {"metadata", {{"name", "demo"}, {"namespace", "ml"}, {"annotations", {{"grove.io/mnnvl-group", nvlink}}}}},
        {"spec",
         {{"template", {{"cliques", {{{"name", "a"}, {"spec", {{"podSpec", {{"schedulerName", scheduler}}}}}}}}}}}}};
}

json pod_gang_of_set(const char* backend) {
    auto gang = pod_gang(one_group);
    gang["metadata"]["ownerReferences"] = {{{"apiVersion", "grove.io/v1alpha1"},
                                            {"kind", "PodCliqueSet"},
                                            {"name", "demo"},
                                            {"uid", "s-1"},
                                            {"controller", true}}};
    if (*backend != 0)
        gang["metadata"]["labels"] = {{"grove.io/scheduler-name", backend}};
    return gang;
}

TEST_CASE("a set that was there before the webhook is judged before any object of a gang is written (Z25, K10)") {
    struct Row {
        const char* scheduler;  // Of the set's pods.
        const char* backend;    // By the label of the PodGang.
        const char* nvlink;
        bool is_written;
    };
    for (const auto& row : std::vector<Row>{{"koord-scheduler", "", "fast", false},
                                            {"koord-scheduler", "koord-scheduler", "fast", false},
                                            {"", "koord-scheduler", "fast", false},
                                            {"", "", "fast", true},
                                            {"koord-scheduler", "", "none", true}}) {
        CAPTURE(row.scheduler);
        CAPTURE(row.backend);
        GroveStore store;
        store.put_set(clique_set(row.scheduler, row.nvlink));
        const auto gang = pod_gang_of_set(row.backend);
        store.put_gang(gang);
        Kept kept(store);
        kept.see(gang);
        store.await([&] { return !store.events().empty() || store.groups().size() == 1; });
        CHECK(store.groups().size() == (row.is_written ? 1 : 0));
        if (row.is_written)
            continue;
        CHECK(store.events().front()["reason"] == "NotTranslated");
        CHECK(kept.sentences().front() ==
              "PodGang ml/demo-0: PodCliqueSet \"demo\": metadata: the annotation grove.io/mnnvl-group asks for "
              "multi-node NVLink, which Koordinator doesn't support: use kai-scheduler");
        store.put_set(clique_set(row.scheduler, "none"));  // Mended, and found so by itself.
        store.await([&] { return store.groups().size() == 1; });
    }
}

TEST_CASE("nothing is written of a gang whose set can't be read (Z25)") {
    GroveStore store;
    store.put_set(clique_set("koord-scheduler", "none"));
    auto gang = pod_gang(one_group);
    gang["metadata"]["labels"] = {{"app.kubernetes.io/part-of", "demo"}};
    store.put_gang(gang);
    store.fail("GET", "demo", 403);
    Kept kept(store);
    kept.see(gang);
    store.await([&] { return !store.events().empty(); });
    CHECK(kept.sentences().front().starts_with("PodGang ml/demo-0: reading PodCliqueSet ml/demo"));
    store.await([&] { return store.groups().size() == 1; });
}

TEST_CASE("what can't be translated is reported at the PodGang, and the rest is written") {
    const char* const spec = R"({"priorityClassName": "high", "podgroups": [{"name": "a", "minReplicas": 2}]})";
    GroveStore store;
    store.put_gang(pod_gang(spec));
    Kept kept(store);
    kept.see(pod_gang(spec));
    store.await([&] { return !store.events().empty(); });
    CHECK(store.groups().size() == 1);
    CHECK(store.events().front()["reason"] == "PartlyTranslated");
}

json member(const char* name, const char* group, int gpus, const char* scheduler = "koord-scheduler") {
    const std::string amount = std::to_string(gpus);
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata",
             {{"name", name},
              {"namespace", "ml"},
              {"uid", name},
              {"labels", {{"grove.io/podgang", "demo-0"}, {"grove.io/podclique", group}}}}},
            {"spec",
             {{"schedulerName", scheduler},
              {"containers", {{{"name", "main"}, {"resources", {{"requests", {{"nvidia.com/gpu", amount}}}}}}}}}}};
}

TEST_CASE("roles with different requests are reported once, in any order") {
    const std::string sentence =
        "pods of group \"ml/demo-0/a\" and group \"ml/demo-0/b\" ask for different amounts: Koordinator may refuse "
        "the gang although it fits";
    GroveStore store;
    store.put_gang(pod_gang(two_groups));
    Kept kept(store);
    SUBCASE("its pods") {
        kept.see(member("p-0", "b", 1));
        kept.see(member("p-1", "a", 8));
        kept.see(pod_gang(two_groups));
    }
    SUBCASE("the gang") {
        kept.see(pod_gang(two_groups));
        store.await([&] { return store.groups().size() == 2; });
        kept.see(member("p-0", "b", 1));
        kept.see(member("p-2", "b", 8, "another"));  // One of another owner doesn't count.
        kept.see(member("p-1", "a", 8));
    }
    store.await([&] { return !store.events().empty(); });
    for (int i = 0; i < 3; ++i) {
        kept.see(member("p-0", "b", 1));
        kept.see(pod_gang(two_groups));
    }
    store.put_gang(pod_gang(one_group));  // Its result shows that it was handled.
    kept.see(pod_gang(one_group));
    store.await([&] { return store.groups().size() == 1; });
    CHECK(store.events().size() == 1);
    CHECK(store.events().front()["reason"] == "PartlyTranslated");
    CHECK(store.events().front()["note"] == sentence);
    CHECK(store.events().front()["regarding"]["name"] == "demo-0");
    CHECK(kept.sentences() == std::vector<std::string>{"PodGang ml/demo-0: " + sentence});
}

TEST_CASE("gangs for another scheduler are left alone, and nothing is written without the lead") {
    GroveStore store;
    auto foreign = pod_gang(one_group);
    foreign["metadata"]["labels"] = {{"grove.io/scheduler-name", "kai-scheduler"}};
    store.put_gang(foreign);
    Kept kept(store);
    kept.see(foreign);
    kept.leads = false;
    auto ours = pod_gang(one_group);
    ours["metadata"]["labels"] = {{"grove.io/scheduler-name", "koord-scheduler"}};
    kept.see(ours);
    CHECK(store.writes().empty());
    store.put_gang(ours);
    kept.leads = true;
    kept.see(ours);
    store.await([&] { return store.groups().size() == 1; });
}

TEST_CASE("nothing is written before the layers are known") {
    GroveStore store;
    store.put_gang(pod_gang(one_group));
    PodGroupController keeper(store.credentials(), Kept::options(), [] { return true; }, [](const std::string&) {});
    const auto events = kube::decode(pod_gang(one_group), kube::Change::seen);
    REQUIRE(events);
    keeper.notice(events->front());
    CHECK(store.writes().empty());
    keeper.notice(model::Synced{"clusternetworktopologies.scheduling.koordinator.sh"});
    store.await([&] { return store.groups().size() == 1; });
}

}  // namespace
}  // namespace echelon::translate
