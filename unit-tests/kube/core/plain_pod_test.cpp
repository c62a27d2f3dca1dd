#include "kube/core/plain_pod.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::kube {
namespace {

std::string pod(std::string_view metadata, std::string_view spec) {
    return fmt::format(R"({{"metadata":{{"name":"p","namespace":"ns"{}}},"spec":{{"containers":[{{"resources":)"
                       R"({{"requests":{{"cpu":"2","nvidia.com/gpu":"4"}}}}}}]{}}}}})",
                       metadata, spec);
}

TEST_CASE("what a plain pod asks for is read from the pod in the call (PR1)") {
    const auto read = read_plain_pod(pod("", R"(,"priority":7,"activeDeadlineSeconds":60)"));
    REQUIRE(read);
    CHECK(read->requests == model::Amounts{{"cpu", 2000}, {"nvidia.com/gpu", 4}, {"pods", 1}});
    CHECK(read->priority == 7);
    CHECK(read->active_deadline == 60);
    CHECK_FALSE(read->is_exempt);
}

TEST_CASE("pods of DaemonSets and pods that name their host are exempt (PR2)") {
    struct Row {
        std::string_view metadata;
        std::string_view spec;
        bool is_exempt;
    };
    const Row rows[] = {
        {R"(,"ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}])", "", true},
        {R"(,"ownerReferences":[{"kind":"ReplicaSet","name":"d","controller":true}])", "", false},
        {R"(,"annotations":{"echelon.sh/evict":"never"})", "", false},
        {"", R"(,"nodeSelector":{"kubernetes.io/hostname":"n1"})", true},
        {"", R"(,"nodeSelector":{"example.com/rack":"r1"})", false},
        {"",
         R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)"
         R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}})",
         true},
    };
    for (const auto& row : rows) {
        CAPTURE(row.metadata);
        CAPTURE(row.spec);
        const auto read = read_plain_pod(pod(row.metadata, row.spec));
        REQUIRE(read);
        CHECK(read->is_exempt == row.is_exempt);
    }
}

TEST_CASE("a pod that can't be read is no plain pod") {
    CHECK_FALSE(read_plain_pod("[]"));
    CHECK_FALSE(read_plain_pod("{"));
    CHECK_FALSE(read_plain_pod(pod("", R"(,"priority":"high")")));
}

}  // namespace
}  // namespace echelon::kube
