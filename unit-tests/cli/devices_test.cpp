// Gangs whose pods claim devices, through `echelon plan` (DR1 to DR7).

#include "cli/plan.hpp"
#include "kube/manifests.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;

namespace {

std::string node(const std::string& name, const std::string& rack) {
    return fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {}, labels: {{example.com/rack: {}}}}}
status: {{allocatable: {{cpu: "64", pods: "110"}}, conditions: [{{type: Ready, status: "True"}}]}}
---)",
                       name, rack);
}

std::string slice(const std::string& node, int devices) {
    std::string text = fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s-{0}}}
spec:
  driver: gpu.example.com
  nodeName: {0}
  pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}
  devices:
)",
                                   node);
    for (int number = 0; number < devices; ++number)
        text += fmt::format("  - {{name: gpu-{0}, attributes: {{large: {{bool: {1}}}}}}}\n", number, number == 0);
    return text + "---";
}

constexpr const char* device_class = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---)";

std::string claim_template(const std::string& exactly) {
    return fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: one}}
spec: {{spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu.example.com, {}}}}}]}}}}}}
---)",
                       exactly);
}

std::string gang(int pods) {
    std::string text = fmt::format(R"(
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {{name: train}}
spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}, schedulingConstraints: {{topology: [{{key: example.com/rack}}]}}}}
---)",
                                   pods);
    for (int number = 0; number < pods; ++number) {
        text += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: train-{}}}
spec:
  schedulerName: default-scheduler
  schedulingGroup: {{podGroupName: train}}
  resourceClaims: [{{name: gpu, resourceClaimTemplateName: one}}]
  containers: [{{name: main, resources: {{claims: [{{name: gpu}}]}}}}]
---)",
                            number);
    }
    return text;
}

// Two racks of two hosts: with one device each, and with two each, of which one is large.
std::string cluster() {
    return node("a0", "a") + node("a1", "a") + node("b0", "b") + node("b1", "b") + slice("a0", 1) + slice("a1", 1) +
           slice("b0", 2) + slice("b1", 2) + device_class;
}

report::GangReport planned(const std::string& text) {
    const auto manifests = kube::read_manifest_text(text, "test");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    auto report = cli::decide(manifests->events, {}, {}, false, {});
    REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));
    REQUIRE(report->gangs.size() == 1);
    return std::move(report->gangs.front());
}

}  // namespace

TEST_CASE("a gang goes to the rack that has the devices, and one more is refused by the class's name (DR1, DR7)") {
    const auto placed = planned(cluster() + claim_template("count: 1") + gang(4));
    REQUIRE_MESSAGE(placed.is_placed(), placed.message);
    for (const auto& seat : placed.seats)
        CHECK(seat.node.starts_with("b"));
    const auto refused = planned(cluster() + claim_template("count: 1") + gang(5));
    CHECK(
        refused.message ==
        "group default/train needs 5 seats in one example.com/rack; the best, b, has room for 4 when empty: 1 missing "
        "(devices of class gpu.example.com)");
}

TEST_CASE("a selector of a request counts the devices that it admits (DR2)") {
    const std::string large = "selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com\"].large'}}]";
    CHECK(planned(cluster() + claim_template(large) + gang(2)).is_placed());
    CHECK(planned(cluster() + claim_template(large) + gang(3)).message.find("has room for 2 when empty: 1 missing") !=
          std::string::npos);
}

TEST_CASE("a claim for two devices takes two (DR3)") {
    CHECK(planned(cluster() + claim_template("count: 2") + gang(2)).is_placed());
    CHECK_FALSE(planned(cluster() + claim_template("count: 2") + gang(3)).is_placed());
    CHECK(planned(cluster() + claim_template("allocationMode: All") + gang(2)).is_placed());
    CHECK_FALSE(planned(cluster() + claim_template("allocationMode: All") + gang(3)).is_placed());
}

TEST_CASE("pods that share a claim go to one node that has its devices, and an allocated claim pins them (DR4)") {
    std::string pods = gang(3);
    for (auto at = pods.find("resourceClaimTemplateName: one"); at != std::string::npos;
         at = pods.find("resourceClaimTemplateName: one"))
        pods.replace(at, 30, "resourceClaimName: both");
    const auto claim = [](int count, const std::string& status) {
        return fmt::format(R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {{name: both}}
spec: {{devices: {{requests: [{{name: gpu, deviceClassName: gpu.example.com, count: {}}}]}}}}
status: {}
---)",
                           count, status);
    };
    const auto shared = planned(cluster() + claim(2, "{}") + pods);
    REQUIRE_MESSAGE(shared.is_placed(), shared.message);
    for (const auto& seat : shared.seats) {
        CHECK(seat.node.starts_with("b"));
        CHECK(seat.node == shared.seats.front().node);
    }
    CHECK_FALSE(planned(cluster() + claim(3, "{}") + pods).is_placed());
    const std::string on_a1 =
        R"({allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: a1, device: gpu-0}]},
        nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a1]}]}]}}})";
    const auto pinned = planned(cluster() + claim(1, on_a1) + pods);
    REQUIRE_MESSAGE(pinned.is_placed(), pinned.message);
    for (const auto& seat : pinned.seats)
        CHECK(seat.node == "a1");
}

TEST_CASE("a template that is missing, and what isn't understood, are named (DR4, DR5)") {
    const auto missing = planned(cluster() + gang(2));
    CHECK(missing.message ==
          "group \"default/train\" has 0 of at least 2 pods, 2 more wait for resource claim template \"default/one\", "
          "which doesn't exist yet");
    const auto odd = planned(
        cluster() + claim_template("selectors: [{cel: {expression: 'device.driver.matches(\"g\")'}}]") + gang(5));
    CHECK(odd.is_placed());
    CHECK(odd.message.find(
              "devices of request \"gpu\" are left to kube-scheduler: a selector of its request has `matches()`") !=
          std::string::npos);
}

TEST_CASE("a part of a GPU in KAI's words gets a warning, for gangs by objects and by labels") {
    const std::string marked = "annotations: {gpu-fraction: \"0.5\"}";
    const std::string word =
        "gpu-fraction is not counted: KAI Scheduler shares out parts of GPUs, kube-scheduler does not";
    std::string by_object = node("a0", "a") + gang(2) + claim_template("count: 1") + slice("a0", 2) + device_class;
    by_object.replace(by_object.find("metadata: {name: train-0}"), 25, "metadata: {name: train-0, " + marked + "}");
    const auto whole = planned(by_object);
    CHECK(whole.is_placed());
    CHECK(whole.message.find(word) != std::string::npos);
    std::string by_label = node("a0", "a");
    for (int number = 0; number < 2; ++number) {
        by_label += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: p-{}
  labels: {{echelon.sh/gang: g}}
  annotations: {{echelon.sh/gang-minimum: "2", gpu-memory: "2000"}}
spec: {{schedulerName: default-scheduler, containers: [{{name: main}}]}}
---)",
                                number);
    }
    const auto labelled = planned(by_label);
    CHECK(labelled.is_placed());
    CHECK(labelled.message.find("gpu-memory is not counted") != std::string::npos);
}

namespace {

// Two pods that each ask for a part of a GPU, and one node, which may offer some of the resource.
std::string shares(const std::string& resource, const std::string& offered) {
    std::string text = node("a0", "a");
    if (!offered.empty())
        text.replace(text.find("pods:"), 5, fmt::format("{}: {}, pods:", resource, offered));
    for (int number = 0; number < 2; ++number) {
        text += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: p-{}
  labels: {{echelon.sh/gang: g}}
  annotations: {{echelon.sh/gang-minimum: "2"}}
spec: {{schedulerName: default-scheduler, containers: [{{name: main, resources: {{limits: {{{}: "3000"}}}}}}]}}
---)",
                            number, resource);
    }
    return text;
}

}  // namespace

TEST_CASE("a part of a GPU that no node offers is not counted, and a warning says so (DR8)") {
    const auto hami = planned(shares("nvidia.com/gpumem", ""));
    CHECK(hami.is_placed());
    CHECK(hami.message.find("nvidia.com/gpumem is not counted: no node offers it, and parts of a GPU are shared out by "
                            "HAMi") != std::string::npos);
    const auto koordinator = planned(shares("koordinator.sh/gpu-memory-ratio", ""));
    CHECK(koordinator.is_placed());
    CHECK(koordinator.message.find("koordinator.sh/gpu-memory-ratio is not counted") != std::string::npos);
}

TEST_CASE("a part of a GPU that a node offers is an amount (DR8)") {
    const auto fits = planned(shares("nvidia.com/gpumem", "6000"));
    CHECK(fits.is_placed());
    CHECK(fits.message.find("not counted") == std::string::npos);
    const auto lacks = planned(shares("nvidia.com/gpumem", "5000"));
    CHECK(!lacks.is_placed());
    CHECK(lacks.message.find("nvidia.com/gpumem") != std::string::npos);
    CHECK(lacks.message.find("not counted") == std::string::npos);
}

TEST_CASE("an unknown resource that no node offers is still refused by name") {
    const auto lacks = planned(shares("example.com/odd", ""));
    CHECK(!lacks.is_placed());
    CHECK(lacks.message.find("example.com/odd") != std::string::npos);
}

namespace {

// A pod of 8 x 8 x 16 chips: 16 cubes of 4 x 4 x 4, each of 16 hosts with 4 chips, as amounts or as devices. In the
// first cubes one chip is broken.
std::string tpu_hosts(bool has_devices, int broken_cubes) {
    std::string text = device_class;
    for (int host = 0; host < 256; ++host) {
        const int chips = host % 16 == 0 && host / 16 < broken_cubes ? 3 : 4;
        text += fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: host-{0}, labels: {{example.com/cube: cube-{1}}}}}
status: {{allocatable: {{cpu: "64", pods: "110", tpu: "{2}"}}, conditions: [{{type: Ready, status: "True"}}]}}
---)",
                            host, host / 16, has_devices ? 0 : chips);
        if (has_devices)
            text += slice(fmt::format("host-{}", host), chips);
    }
    return text;
}

std::string tpu_slice(bool by_claims) {
    std::string text = R"(
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {name: slice}
spec: {schedulingPolicy: {gang: {minCount: 16}}, schedulingConstraints: {topology: [{key: example.com/cube}]}}
---)";
    const std::string wish =
        by_claims ? "resourceClaims: [{name: tpu, resourceClaimTemplateName: one}], containers: [{name: main}]"
                  : "containers: [{name: main, resources: {requests: {tpu: \"4\"}, limits: {tpu: \"4\"}}}]";
    for (int number = 0; number < 16; ++number) {
        text += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: worker-{}}}
spec: {{schedulerName: default-scheduler, schedulingGroup: {{podGroupName: slice}}, {}}}
---)",
                            number, wish);
    }
    return text + claim_template("count: 4");
}

}  // namespace

TEST_CASE("KEP-6012: a TPU slice of 4x4x4 in 8x8x16, by counts and by claims") {
    for (const bool by_claims : {false, true}) {
        CAPTURE(by_claims);
        const auto placed = planned(tpu_hosts(by_claims, 15) + tpu_slice(by_claims));
        REQUIRE_MESSAGE(placed.is_placed(), placed.message);
        CHECK(placed.seats.size() == 16);
        for (const auto& seat : placed.seats)
            CHECK(std::stoi(seat.node.substr(5)) / 16 == 15);
        const auto refused = planned(tpu_hosts(by_claims, 16) + tpu_slice(by_claims));
        CHECK(refused.reason == model::Reason::impossible);
        CHECK(refused.message.find("has room for 15 when empty: 1 missing") != std::string::npos);
        CHECK(refused.message.ends_with(by_claims ? "(devices of class gpu.example.com)" : "(tpu)"));
    }
}
