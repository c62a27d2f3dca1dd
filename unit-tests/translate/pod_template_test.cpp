#include "translate/pod_template.hpp"

#include <doctest/doctest.h>

namespace echelon::translate {
namespace {

using nlohmann::json;

TEST_CASE("a template has what all pods of it have, without what the cluster adds to one (Z39)") {
    const auto pod = json::parse(R"({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ml", "uid": "u",
                     "labels": {"app": "x", "echelon.sh/gang": "g",
                                "pod-group.scheduling.sigs.k8s.io/min-available": "2",
                                "batch.kubernetes.io/job-completion-index": "3"},
                     "annotations": {"note": "n", "echelon.sh/gang-minimum": "2"}},
        "spec": {"schedulerName": "volcano", "nodeName": "n-1", "hostname": "p-3", "subdomain": "s", "priority": 7,
                 "priorityClassName": "high", "schedulingGates": [{"name": "echelon.sh/gang"}],
                 "volumes": [{"name": "kube-api-access-abcde"}, {"name": "data"}],
                 "containers": [{"name": "c", "image": "i",
                                 "volumeMounts": [{"name": "kube-api-access-abcde", "mountPath": "/t"}]}]},
        "status": {"phase": "Running"}})");
    CHECK(template_of(pod, "default-scheduler") == json::parse(R"({
        "metadata": {"labels": {"app": "x"}, "annotations": {"note": "n"}},
        "spec": {"schedulerName": "default-scheduler", "priorityClassName": "high", "volumes": [{"name": "data"}],
                 "containers": [{"name": "c", "image": "i"}]}})"));
    CHECK(template_of(json::parse(R"({"kind": "Pod", "metadata": {"name": "p"}})"), "s") ==
          json::parse(R"({"metadata": {}, "spec": {"schedulerName": "s"}})"));
}

}  // namespace
}  // namespace echelon::translate
