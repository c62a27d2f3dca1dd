// `jobset.x-k8s.io` JobSet.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json job(const std::string& name, std::int64_t replicas, std::int64_t parallelism) {
    const json containers = json::array({{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}}});
    return {{"name", name},
            {"replicas", replicas},
            {"template",
             {{"spec", {{"parallelism", parallelism}, {"template", {{"spec", {{"containers", containers}}}}}}}}}};
}

json job_set(const std::string& ns, json jobs) {
    json out = object("jobset.x-k8s.io/v1alpha2", "JobSet", ns, "big");
    out["spec"] = {{"replicatedJobs", std::move(jobs)}};
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& job_name, std::int64_t index = 0) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"jobset.sigs.k8s.io/jobset-name", "big"},
                                 {"jobset.sigs.k8s.io/replicatedjob-name", job_name},
                                 {"jobset.sigs.k8s.io/job-index", std::to_string(index)}};
    return out;
}

Objects replicated_jobs(const std::string& ns, std::int64_t count) {
    return {job_set(ns, list(count, [](std::int64_t i) { return job(numbered("job", i), 1, 1); })),
            member(ns, "big", "job-0")};
}

Objects replicas(const std::string& ns, std::int64_t count) {
    return {job_set(ns, json::array({job("job", count, 1)})), member(ns, "big", "job")};
}

Objects parallelism(const std::string& ns, std::int64_t count) {
    return {job_set(ns, json::array({job("job", 1, count)})), member(ns, "big", "job")};
}

// Each job that starts later has a template whose every resource is remembered once per replica, unless it is shared.
Objects heavy_templates(const std::string& ns, std::int64_t count) {
    json requests = json::object();
    for (std::int64_t i = 0; i < 60; ++i)
        requests["example.com/" + numbered("device", i)] = "1";
    json later = job("later", count, 1);
    later["template"]["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] = std::move(requests);
    later["dependsOn"] = json::array({{{"name", "first"}, {"status", "Ready"}}});
    return {job_set(ns, json::array({job("first", 1, 1), std::move(later)})), member(ns, "big", "first")};
}

// The same with a long nodeSelector: 29 KB that were 3.3 GB.
Objects heavy_selectors(const std::string& ns, std::int64_t count) {
    json out = heavy_templates(ns, count)[0];
    json& spec = out["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"];
    for (std::int64_t i = 0; i < 400; ++i)
        spec["nodeSelector"]["example.com/" + numbered("label", i)] = std::string(40, 'v');
    return {out, member(ns, "big", "first")};
}

Objects groups(const std::string& ns, std::int64_t count) {
    json jobs = list(count, [](std::int64_t i) {
        json out = job(numbered("job", i), 1, 1);
        out["groupName"] = numbered("group", i);
        return out;
    });
    return {job_set(ns, std::move(jobs)), member(ns, "big", "job-0")};
}

// A chain: each job waits for the one before it.
Objects chain(const std::string& ns, std::int64_t count, const std::string& status) {
    json jobs = list(count, [&status](std::int64_t i) {
        json out = job(numbered("job", i), 1, 1);
        if (i > 0)
            out["dependsOn"] = json::array({{{"name", numbered("job", i - 1)}, {"status", status}}});
        return out;
    });
    return {job_set(ns, std::move(jobs)), member(ns, "big", "job-0")};
}

Objects depends_on(const std::string& ns, std::int64_t count) {
    return chain(ns, count, "Ready");
}

Objects stages(const std::string& ns, std::int64_t count) {
    return chain(ns, count, "Complete");
}

Objects status_rows(const std::string& ns, std::int64_t count) {
    json out = job_set(ns, json::array({job("job", 1, 1)}));
    out["status"]["replicatedJobsStatus"] =
        list(count, [](std::int64_t i) { return json{{"name", numbered("job", i)}, {"succeeded", 0}}; });
    return {out, member(ns, "big", "job")};
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out = replicas(ns, count);
    for (std::int64_t i = 1; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), "job", i));
    return out;
}

}  // namespace

Rows job_set_rows() {
    return {
        {"jobset/replicated-jobs", "replicatedJobs", 2'000, replicated_jobs},
        {"jobset/replicas", "replicas of one job", 4'094, replicas},
        {"jobset/parallelism", "parallelism of one job", 20'000, parallelism},
        {"jobset/heavy-templates", "replicas of a job with many resources", 4'092, heavy_templates},
        {"jobset/heavy-selectors", "replicas of a job with a long nodeSelector", 4'092, heavy_selectors},
        {"jobset/groups", "groups of jobs", 1'300, groups},
        {"jobset/depends-on", "jobs that wait for each other", 2'000, depends_on},
        {"jobset/stages", "jobs that each begin when the one before has ended", 2'000, stages},
        {"jobset/status-rows", "rows of the status", 20'000, status_rows},
        {"jobset/pods", "pods", 4'094, pods},
    };
}

}  // namespace echelon::big_objects
