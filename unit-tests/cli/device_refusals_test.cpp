// Why is a gang refused whose devices others have, through `echelon plan` (DR3 to DR5, V1).

#include "unit-tests/cli/preempting.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;
using namespace echelon::cli::testing;

namespace {

std::string of_devices(const std::string& kind, const std::string& name, const std::string& spec) {
    return fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: {}
metadata: {{name: {}}}
{}
---)",
                       kind, name, spec);
}

// `claim`: how it names the claim that it uses.
std::string member(const std::string& name, const std::string& claim) {
    return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}}}
spec:
  schedulerName: default-scheduler
  priority: 10
  schedulingGroup: {{podGroupName: train}}
  resourceClaims: [{{name: gpu, {}}}]
  containers: [{{name: main, resources: {{requests: {{gpu: 1}}}}}}]
---)",
                       name, claim);
}

// A GPU in two halves; a running pod has the device of this name.
std::string partitioned(const std::string& taken) {
    const auto slice = [](const std::string& what) {
        return "spec: {driver: gpu.example.com, nodeName: n0, pool: {name: n0, generation: 1, resourceSliceCount: "
               "2}, " +
               what + "}";
    };
    const auto device = [](const std::string& name, const std::string& type, int units) {
        return fmt::format(
            "{{name: {}, attributes: {{type: {{string: {}}}}}, consumesCounters: [{{counterSet: gpu-0, "
            "counters: {{units: {{value: '{}'}}}}}}]}}",
            name, type, units);
    };
    const auto of_type = [](const std::string& type) {
        return fmt::format(
            "spec: {{selectors: [{{cel: {{expression: "
            "'device.attributes[\"gpu.example.com\"].type == \"{}\"'}}}}]}}",
            type);
    };
    return node("n0", "r0", 8) +
           of_devices("ResourceSlice", "counters",
                      slice("sharedCounters: [{name: gpu-0, counters: {units: {value: '2'}}}]")) +
           of_devices("ResourceSlice", "devices",
                      slice("devices: [" + device("whole", "gpu", 2) + ", " + device("half-0", "mig", 1) + ", " +
                            device("half-1", "mig", 1) + "]")) +
           of_devices("DeviceClass", "gpu", of_type("gpu")) + of_devices("DeviceClass", "mig", of_type("mig")) +
           of_devices("ResourceClaim", "run",
                      "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}\n"
                      "status: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n0, "
                      "device: " +
                          taken + "}]}}}") +
           pod("run", "", 0, "n0") +
           of_devices("ResourceClaimTemplate", "half",
                      "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: mig}}]}}}");
}

constexpr const char* half = "resourceClaimTemplateName: half";
constexpr const char* shared = "resourceClaimName: shared";

}  // namespace

TEST_CASE("a gang waits for room while a running pod has the whole GPU whose parts it wants (DR3)") {
    for (const auto* taken : {"whole", "half-0"}) {
        CAPTURE(taken);
        const auto report =
            planned(partitioned(taken) + group("train", 2, 10) + member("train-0", half) + member("train-1", half));
        REQUIRE(report.gangs.size() == 1);
        CHECK(report.gangs.front().reason == model::Reason::no_room);
    }
}

TEST_CASE("nobody is evicted for a gang that may lack the pod which asks for its shared claim (DR4, V1)") {
    const std::string world =
        node("n0", "r0", 2) + of_devices("DeviceClass", "gpu", "spec: {}") +
        of_devices("ResourceClaim", "shared",
                   "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}") +
        pod("low", "", 0, "n0") + group("train", 2, 10);
    const auto report =
        planned(world + member("train-0", shared) + member("train-1", shared) + member("train-2", shared));
    REQUIRE(report.gangs.size() == 1);
    CHECK(report.gangs.front().victims.empty());
}
