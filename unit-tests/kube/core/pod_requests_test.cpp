#include "kube/core/pod_requests.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::Amounts;
using nlohmann::json;

struct Read {
    Amounts amounts;
    std::string fault;
};

Read request_of(const std::string& pod) {
    const json parsed = json::parse(pod);
    FieldFault fault;
    Amounts amounts = effective_request(Field(parsed, fault));
    return {std::move(amounts), fault.sentence()};
}

TEST_CASE("the effective request of a pod is what kube-scheduler counts") {
    struct Row {
        std::string name;
        std::string spec;
        Amounts expected;  // Besides "pods".
    };
    const Row rows[] = {
        {"nothing", "{}", {}},
        {"null containers", R"({"containers": null, "initContainers": null})", {}},
        {"containers add up",
         R"({"containers": [{"resources": {"requests": {"cpu": "500m", "memory": "1Ki"}}},
                            {"resources": {"requests": {"cpu": 1, "nvidia.com/gpu": "2"}}}]})",
         {{"cpu", 1500}, {"memory", 1024}, {"nvidia.com/gpu", 2}}},
        {"an init container that needs more rules",
         R"({"containers": [{"resources": {"requests": {"cpu": "1", "memory": "4"}}}],
             "initContainers": [{"resources": {"requests": {"cpu": "3"}}}, {"resources": {"requests": {"cpu": "2"}}}]})",
         {{"cpu", 3000}, {"memory", 4}}},
        {"sidecars run beside the containers",
         R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}],
             "initContainers": [{"restartPolicy": "Always", "resources": {"requests": {"cpu": "2"}}}]})",
         {{"cpu", 3000}}},
        {"an init container runs beside the sidecars before it only",
         R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}],
             "initContainers": [{"resources": {"requests": {"cpu": "4"}}},
                                {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
                                {"resources": {"requests": {"cpu": "3500m"}}},
                                {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}]})",
         {{"cpu", 4500}}},
        {"overhead comes on top",
         R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}], "overhead": {"cpu": "250m", "memory": "8"}})",
         {{"cpu", 1250}, {"memory", 8}}},
        {"pod-level requests replace cpu, memory and huge pages, and nothing else",
         R"({"containers": [{"resources": {"requests": {"cpu": "1", "memory": "9", "nvidia.com/gpu": "1"}}}],
             "resources": {"requests": {"cpu": "3", "memory": "5", "hugepages-2Mi": "2Mi", "nvidia.com/gpu": "7"}},
             "overhead": {"cpu": "1"}})",
         {{"cpu", 4000}, {"memory", 5}, {"hugepages-2Mi", 2097152}, {"nvidia.com/gpu", 1}}},
        {"a pod-level limit counts if nothing is requested",
         R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}], "resources": {"limits": {"cpu": "3", "memory": "5"}}})",
         {{"cpu", 1000}, {"memory", 5}}},
        {"a limit is the request where none is stated",
         R"({"containers": [{"resources": {"limits": {"nvidia.com/gpu": 4, "cpu": "2"}, "requests": {"cpu": "1"}}}]})",
         {{"cpu", 1000}, {"nvidia.com/gpu", 4}}},
        {"a request of 0 is stated",
         R"({"containers": [{"resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "0"}}}]})",
         {}},
        {"a null request isn't",
         R"({"containers": [{"resources": {"limits": {"cpu": "2"}, "requests": {"cpu": null}}}]})",
         {{"cpu", 2000}}},
        {"host ports of what runs as long as the pod, whatever the port is called",
         R"({"containers": [{"ports": [{"hostPort": 80}, {"containerPort": 81}, {"hostPort": 82, "protocol": "UDP"}]},
                            {"ports": [{"hostPort": 83, "hostIP": "0.0.0.0"}, {"hostPort": 84, "hostIP": "10.0.0.1"}]}],
             "initContainers": [{"restartPolicy": "Always", "ports": [{"hostPort": 85}]}, {"ports": [{"hostPort": 86}]}]})",
         {{"host port TCP 80", 1}, {"host port UDP 82", 1}, {"host port TCP 83", 1}, {"host port TCP 85", 1}}},
        {"container ports in the network of the host",
         R"({"hostNetwork": true, "containers": [{"ports": [{"containerPort": 80}, {"containerPort": 1, "hostPort": 81}]}]})",
         {{"host port TCP 80", 1}, {"host port TCP 81", 1}}},
        {"amounts saturate",
         R"({"containers": [{"resources": {"requests": {"memory": "7Ei"}}}, {"resources": {"requests": {"memory": "7Ei"}}}]})",
         {{"memory", INT64_MAX}}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const Read read = request_of("{\"spec\": " + row.spec + "}");
        CHECK(read.fault.empty());
        Amounts expected = row.expected;
        expected.set("pods", 1);
        CHECK(read.amounts == expected);
    }
}

TEST_CASE("64 host ports of a pod are counted, and more are left to kube-scheduler") {
    json ports = json::array();
    for (int port = 1; port <= 100; ++port)
        ports.push_back({{"hostPort", port}});
    const Read read = request_of(json{{"spec", {{"containers", {{{"ports", ports}}}}}}}.dump());
    CHECK(read.fault.empty());
    CHECK(read.amounts.entries().size() == 65);  // And "pods".
}

TEST_CASE("room that a resized container still has is counted") {
    const Read read = request_of(R"({
        "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1", "memory": "9"}}}]},
        "status": {"containerStatuses": [{"name": "a", "allocatedResources": {"cpu": "2"},
                                          "resources": {"requests": {"cpu": "3", "memory": "5"}}},
                                         {"name": "gone", "allocatedResources": {"cpu": "64"}}]}})");
    CHECK(read.fault.empty());
    CHECK(read.amounts == Amounts{{"cpu", 3000}, {"memory", 9}, {"pods", 1}});
}

TEST_CASE("of a resize that the kubelet can't carry out only what the pod has is counted") {
    const Read read = request_of(R"({
        "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1k", "memory": "9", "nvidia.com/gpu": 2}}},
                                {"name": "b", "resources": {"requests": {"cpu": "2"}}}]},
        "status": {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}],
                   "containerStatuses": [{"name": "a", "allocatedResources": {"cpu": "1", "memory": "5"}}]}})");
    CHECK(read.fault.empty());
    CHECK(read.amounts == Amounts{{"cpu", 3000}, {"memory", 5}, {"nvidia.com/gpu", 2}, {"pods", 1}});
}

TEST_CASE("room that a pod still has which is resized as a whole is counted") {
    const auto amounts = [](const std::string& conditions) {
        return request_of(R"({"spec": {"resources": {"requests": {"cpu": "1", "memory": "9"}}},
                              "status": {"allocatedResources": {"cpu": "6"}, "resources": {"requests": {"memory": "5"}},
                                         "conditions": )" +
                          conditions + "}}")
            .amounts;
    };
    CHECK(amounts("[]") == Amounts{{"cpu", 6000}, {"memory", 9}, {"pods", 1}});
    CHECK(amounts(R"([{"type": "PodResizePending", "reason": "Infeasible"}])") ==
          Amounts{{"cpu", 6000}, {"memory", 5}, {"pods", 1}});
}

TEST_CASE("what the kubelet has granted to a pod as a whole counts like its containers, and overhead comes on top") {
    const auto amounts = [](const std::string& status) {
        return request_of(R"({"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "2"}}}],
                                       "overhead": {"cpu": "500m"}},
                              "status": {)" +
                          status + "}}")
            .amounts;
    };
    CHECK(amounts("") == Amounts{{"cpu", 2500}, {"pods", 1}});
    CHECK(amounts(R"("allocatedResources": {"cpu": "2500m"}, "resources": {"requests": {"cpu": "2500m"}})") ==
          Amounts{{"cpu", 3000}, {"pods", 1}});
    CHECK(amounts(R"("allocatedResources": {"cpu": "2500m"})") == Amounts{{"cpu", 2500}, {"pods", 1}});
}

TEST_CASE("a request or limit beyond int64 is the largest one") {
    const Read read = request_of(R"({"spec": {"containers": [
        {"name": "a", "resources": {"requests": {"cpu": "3"}, "limits": {"cpu": "10P"}}}]}})");
    CHECK(read.fault.empty());
    CHECK(read.amounts == Amounts{{"cpu", 3000}, {"pods", 1}});
    const Read large =
        request_of(R"({"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "10P"}}}]}})");
    CHECK(large.fault.empty());
    CHECK(large.amounts.of("cpu") == INT64_MAX);
}

TEST_CASE("a bad quantity is named by its path") {
    struct Row {
        std::string spec;
        std::string fault;
    };
    const Row rows[] = {
        {R"({"containers": [{}, {"resources": {"requests": {"cpu": "abc"}}}]})",
         R"(spec.containers[1].resources.requests.cpu: "abc" isn't a quantity)"},
        {R"({"containers": [{"resources": {"limits": {"nvidia.com/gpu": "-1"}}}]})",
         R"(spec.containers[0].resources.limits["nvidia.com/gpu"]: "-1" is negative)"},
        {R"({"initContainers": [{"resources": {"requests": {"memory": "-1e30"}}}]})",
         R"(spec.initContainers[0].resources.requests.memory: "-1e30" is negative)"},
        {R"({"overhead": {"cpu": [1]}})", "spec.overhead.cpu: a list isn't a quantity"},
        {R"({"resources": {"requests": {"cpu": ""}}})", R"(spec.resources.requests.cpu: "" isn't a quantity)"},
        {R"({"containers": [{"ports": [{"hostPort": 65536}]}]})",
         "spec.containers[0].ports[0].hostPort: must be between 0 and 65535, not 65536"},
        {R"({"containers": {}})", "spec.containers: must be a list, not an object"},
        {R"({"containers": [7]})", "spec.containers[0]: must be an object, not 7"},
        {R"({"containers": [{"resources": {"requests": []}}]})",
         "spec.containers[0].resources.requests: must be an object, not a list"},
    };
    for (const Row& row : rows)
        CHECK(request_of("{\"spec\": " + row.spec + "}").fault == row.fault);
}

}  // namespace
}  // namespace echelon::kube
