#include "cli/simulate.hpp"

#include "cli/simulation_report.hpp"
#include "unit-tests/cli/files.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace echelon;
using cli::SimulateArguments;

namespace {

constexpr const char* cluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n0, labels: {rack: r0}}
status: {allocatable: {cpu: "8", memory: 64Gi, pods: "10", nvidia.com/gpu: "4"}, conditions: [{type: Ready, status: "True"}]}
)";

std::string content_of(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

simulate::Report small_report() {
    simulate::Report report;
    report.arrived = 3;
    report.placed = 2;
    report.refused["Impossible"] = 1;
    report.end = 20;
    report.allocated["nvidia.com/gpu"] = {.mean = 0.5, .while_gangs_wait = {}, .last = 0.25, .over_time = {0, 0.5, 1}};
    report.wait = simulate::WaitFigures{.mean = 1, .p50 = 1, .p90 = 2, .p99 = 90, .max = 90'061};
    report.by_pods = {{"1", report.wait}, {"2-8", std::nullopt}};
    report.whole_domains = {{"rack", {.mean = 1.5, .last = 2}}};
    report.largest_gang = {{"rack", {.mean = 3, .last = 4}}};
    report.decisions = 7;
    return report;
}

}  // namespace

TEST_CASE("the report in JSON has the fields of the contract") {
    const auto json = nlohmann::json::parse(cli::to_json(small_report(), 1.5));
    CHECK(json["kind"] == "SimulationReport");
    CHECK(json["apiVersion"] == "echelon.sh/v1alpha1");
    CHECK(json["arrived"] == 3);
    CHECK(json["refused"]["Impossible"] == 1);
    CHECK(json["end"] == 20);
    CHECK(json["allocated"]["nvidia.com/gpu"]["mean"] == 0.5);
    CHECK(json["allocated"]["nvidia.com/gpu"]["whileGangsWait"].is_null());
    CHECK(json["wait"]["all"]["max"] == 90'061);
    CHECK(json["wait"]["byPods"]["2-8"]["mean"].is_null());
    CHECK(json["wholeDomains"]["rack"]["mean"] == 1.5);
    CHECK(json["largestGang"]["rack"]["last"] == 4);
    CHECK(json["evicted"] == 0);
    CHECK(json["decisions"] == 7);
    CHECK(json["milliseconds"] == 1.5);
}

TEST_CASE("the report in text has the same figures, and draws the allocation over time") {
    const auto text = cli::to_text(small_report(), 1.5);
    CHECK(text.find("3 arrived, 2 placed, 0 finished, 0 waiting, 1 refused (1 Impossible) in 20 s") !=
          std::string::npos);
    CHECK(text.find("| ▄█|") != std::string::npos);
    CHECK(text.find("1 d 01:01:01") != std::string::npos);
    CHECK(text.find("00:01:30") != std::string::npos);
}

TEST_CASE("the file of placements has a line for each start and end of a pod") {
    const cli::testing::Folder folder;
    const SimulateArguments arguments{.files = {folder.write("cluster.yaml", cluster)},
                                      .trace_file = folder.write("trace.csv",
                                                                 "submit,duration,name,pods,gpu\n"
                                                                 "0.5,10.25,\"a,b\",2,2\n0.5,1,c,1,5\n"),
                                      .config_file = {},
                                      .placements_file = folder.path("placements.csv"),
                                      .until = {},
                                      .is_json = true};
    CHECK(cli::simulate(arguments) == 0);
    CHECK(content_of(arguments.placements_file) ==
          "time,event,job,pod,node,devices\n"
          "0.5,refused,c,c-0,Impossible,\n"
          "0.5,start,\"a,b\",\"a,b-0\",n0,0|1\n"
          "0.5,start,\"a,b\",\"a,b-1\",n0,2|3\n"
          "10.75,end,\"a,b\",\"a,b-0\",n0,0|1\n"
          "10.75,end,\"a,b\",\"a,b-1\",n0,2|3\n");
}

// Four devices of a class, of which a claim has one and a rule taints another.
TEST_CASE("devices of ResourceSlices are simulated, without those that claims have and that are tainted (DR1)") {
    const cli::testing::Folder folder;
    const std::string devices = std::string(cluster) + R"(
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n0
  pool: {name: n0, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}, {name: gpu-2}, {name: gpu-3}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: broken}
spec: {deviceSelector: {device: gpu-3}, taint: {key: broken, effect: NoSchedule}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
status: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n0, device: gpu-0}]}}}
)";
    const SimulateArguments arguments{.files = {folder.write("cluster.yaml", devices)},
                                      .trace_file = folder.write("trace.csv",
                                                                 "submit,duration,name,pods,gpu,gpu-resource\n"
                                                                 "0,10,a,2,1,devices of class gpu.example.com\n"
                                                                 "1,10,b,1,1,devices of class gpu.example.com\n"),
                                      .config_file = {},
                                      .placements_file = folder.path("placements.csv"),
                                      .until = {},
                                      .is_json = true};
    CHECK(cli::simulate(arguments) == 0);
    const auto placements = content_of(arguments.placements_file);
    CHECK(placements.find("0,start,a,a-0,n0,") != std::string::npos);
    CHECK(placements.find("0,start,a,a-1,n0,") != std::string::npos);
    CHECK(placements.find("10,start,b,b-0,n0,") != std::string::npos);
}

TEST_CASE("bad input of a simulation ends with status 2, and writes no placements") {
    const cli::testing::Folder folder;
    const auto nodes = folder.write("cluster.yaml", cluster);
    const auto placements = folder.path("placements.csv");
    const auto status_of = [&](const std::string& files, const std::string& trace) {
        return cli::simulate({.files = {files},
                              .trace_file = trace,
                              .config_file = {},
                              .placements_file = placements,
                              .until = {},
                              .is_json = true});
    };
    CHECK(status_of(nodes, folder.write("number.csv", "submit,pods\n0,x\n")) == 2);
    CHECK(status_of(nodes, folder.write("level.csv", "submit,required\n0,aisle\n")) == 2);
    CHECK(status_of(nodes, folder.path("absent.csv")) == 2);
    CHECK(status_of(nodes, folder.path("")) == 2);  // A folder.
    const auto good = folder.write("good.csv", "submit\n0\n");
    CHECK(status_of(folder.write("broken.yaml", "kind: ["), good) == 2);
    const std::string faulty = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: four}}\n";
    CHECK(status_of(folder.write("faulty.yaml", faulty), good) == 2);
    CHECK(!std::ifstream(placements).is_open());
}
