#include "kube/topology/topology_store.hpp"

#include "base/kubernetes_names.hpp"
#include "kube/json/packed_text.hpp"
#include "kube/write/write_request.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

constexpr std::size_t most_jobs = 16;

}  // namespace

bool is_topology_name(std::string_view name) {
    return base::is_label_name(name) && !name.ends_with(".json") && !name.ends_with(".yaml");
}

HttpRequest request_of_topology(const ConfigMapRef& place, const std::string& name,
                                const std::optional<std::string>& document) {
    // In a merge patch null deletes. Also deletes what was written by hand under this name.
    nlohmann::json patch;
    for (const char* ending : {"", ".json", ".yaml"}) {
        patch["data"][name + ending] = nullptr;
        patch["binaryData"][name + ending] = nullptr;
    }
    if (document)
        patch["binaryData"][name] = pack(*document);
    return {.method = "PATCH",
            .target = fmt::format("/api/v1/namespaces/{}/configmaps/{}?fieldManager={}", percent_encoded(place.ns),
                                  percent_encoded(place.name), field_manager),
            .body = patch.dump(),
            .content_type = "application/merge-patch+json"};
}

TopologyStore::TopologyStore(std::shared_ptr<Credentials> credentials, ConfigMapRef place)
    : place_(std::move(place)),
      client_(std::move(credentials)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void TopologyStore::end() {
    {
        const std::lock_guard lock(mutex_);
        is_ended_ = true;
    }
    thread_.request_stop();
    client_.cancel();
    if (thread_.joinable())
        thread_.join();
}

bool TopologyStore::keep(std::string name, std::optional<std::string> document, Done done) {
    {
        const std::lock_guard lock(mutex_);
        if (is_ended_ || jobs_.size() >= most_jobs)
            return false;
        jobs_.push_back({std::move(name), std::move(document), std::move(done)});
    }
    came_.notify_one();
    return true;
}

void TopologyStore::run(const std::stop_token& stop) {
    while (true) {
        std::unique_lock lock(mutex_);
        if (!came_.wait(lock, stop, [this] { return !jobs_.empty(); }) || stop.stop_requested())
            return;
        const Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        const HttpAnswer answer = client_.send(request_of_topology(place_, job.name, job.document));
        if (!stop.stop_requested())
            job.done(outcome_of(fmt::format("writing ConfigMap {}/{}", place_.ns, place_.name), answer));
    }
}

}  // namespace echelon::kube
