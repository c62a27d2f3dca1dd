#pragma once

// How does echelon take in a large cluster that exists when it starts? An API server in this process makes up each node
// and pod while it is listed, as JSON; the watchers, the engine's loop and the engine are the real ones.
//
// Shared by a test and by bench/scale.cpp.

#include "app/engine_loop.hpp"
#include "kube/watch/watcher.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"

#include <atomic>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::app {

struct ClusterSize {
    int nodes = 0;
    int pods = 0;     // That run, of no gang.
    int members = 0;  // Of one gang that waits, each as large as a host.
};

class LargeCluster {
public:
    explicit LargeCluster(const ClusterSize& size)
        : size_(size), server_([this](const auto& request, auto& response) { answer(request, response); }) {}

    [[nodiscard]] std::shared_ptr<kube::Credentials> credentials() const { return server_.credentials(); }
    // Processor time of the lists: the server's share of this process.
    [[nodiscard]] double processor_seconds() const { return static_cast<double>(nanoseconds_.load()) * 1e-9; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    static constexpr std::size_t piece = 64 * 1024;
    using Item = std::string (*)(const ClusterSize& size, int number);

    void answer(const httplib::Request& request, httplib::Response& response) {
        if (request.has_param("watch"))
            return server_.stream(response, {}, kube::FakeApiServer::Then::hang);
        if (request.path == "/api/v1/nodes")
            return list(response, size_.nodes, node);
        if (request.path == "/api/v1/pods")
            return list(response, size_.pods + size_.members, pod);
        response.status = 404;
    }

    void list(httplib::Response& response, int count, Item item) {
        // Of a type that the server doesn't compress.
        response.set_chunked_content_provider("application/octet-stream",
                                              [this, count, item](std::size_t, httplib::DataSink& sink) {
                                                  std::string text = R"({"metadata":{"resourceVersion":"7"},"items":[)";
                                                  const auto send = [&] {
                                                      bytes_ += text.size();
                                                      return sink.write(text.data(), text.size());
                                                  };
                                                  const auto begin = processor_time();
                                                  for (int number = 0; number < count; ++number) {
                                                      text.append(number == 0 ? "" : ",").append(item(size_, number));
                                                      if (text.size() < piece)
                                                          continue;
                                                      if (!send())
                                                          return false;
                                                      text.clear();
                                                  }
                                                  text += "]}";
                                                  const bool is_sent = send();
                                                  nanoseconds_ += processor_time() - begin;
                                                  sink.done();
                                                  return is_sent;
                                              });
    }

    [[nodiscard]] static std::int64_t processor_time() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    }

    static std::string name_of(int node) { return fmt::format("host-{:06}", node); }

    static std::string node(const ClusterSize& /*size*/, int number) {
        std::string labels;
        for (int label = 0; label < 20; ++label)
            labels += fmt::format(R"("example.com/property-{0}":"value-{1}",)", label, number % (label + 1));
        return fmt::format(
            R"({{"metadata":{{"name":"{0}","uid":"{0}-uid","resourceVersion":"{1}","creationTimestamp":"2026-01-02T03:04:05Z",)"
            R"("labels":{{{2}"topology.kubernetes.io/zone":"z{3}","topology.kubernetes.io/rack":"r{4}","kubernetes.io/hostname":"{0}"}}}},)"
            R"("status":{{"allocatable":{{"cpu":"96","memory":"1056Gi","pods":"110","nvidia.com/gpu":"8"}},)"
            R"("conditions":[{{"type":"Ready","status":"True","reason":"KubeletReady"}}]}}}})",
            name_of(number), number + 1, labels, number / 1000, number / 50);
    }

    static std::string pod(const ClusterSize& size, int number) {
        constexpr std::string_view spec =
            R"("containers":[{"name":"main","image":"registry.example.com/main:1","command":["main","--verbose"],)"
            R"("env":[{"name":"LEVEL","value":"debug"}],"resources":{"requests":{"cpu":"1","memory":"4Gi"}},)"
            R"("volumeMounts":[{"name":"scratch","mountPath":"/scratch"}]}],"volumes":[{"name":"scratch","emptyDir":{}}],)"
            R"("schedulerName":"default-scheduler","priority":0,)"
            R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}])";
        constexpr std::string_view member_spec =
            R"("containers":[{"name":"main","image":"registry.example.com/main:1","resources":{"requests":{"cpu":"1","nvidia.com/gpu":"8"}}}],)"
            R"("schedulerName":"default-scheduler","schedulingGates":[{"name":"echelon.sh/gang"}])";
        const bool is_member = number >= size.pods;
        const auto metadata = fmt::format(
            R"("metadata":{{"name":"pod-{0}","namespace":"default","uid":"5b2f4c1e-9d53-4a44-8f0e-{0:012}","resourceVersion":"{0}",)"
            R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{{"app":"app-{1}"{2}}},"annotations":{{"example.com/note":"n"{3}}}}})",
            number, number % 100, is_member ? R"(,"echelon.sh/gang":"train")" : "",
            is_member ? fmt::format(R"(,"echelon.sh/gang-minimum":"{}")", size.members) : "");
        if (is_member)
            return fmt::format(R"({{{},"spec":{{{}}},"status":{{"phase":"Pending"}}}})", metadata, member_spec);
        return fmt::format(R"({{{},"spec":{{{},"nodeName":"{}"}},"status":{{"phase":"Running"}}}})", metadata, spec,
                           name_of(number % size.nodes));
    }

    const ClusterSize size_;
    std::atomic<std::int64_t> nanoseconds_{0};
    std::atomic<std::size_t> bytes_{0};
    kube::FakeApiServer server_;  // Last: its threads use the others.
};

// Echelon without its ports and writers.
class Intake {
public:
    explicit Intake(const LargeCluster& cluster)
        : loop_(options(), [](const engine::Action&) {}),
          watcher_((loop_.start(), cluster.credentials()), watched(),
                   [this](model::Event event) { loop_.push(engine::Observed{std::move(event)}); },
                   [](const std::string&) {}) {}

    [[nodiscard]] std::shared_ptr<const engine::PublishedState> published() const { return loop_.published(); }

private:
    static kube::WatcherOptions watched() {
        kube::WatcherOptions watched;
        watched.watch_plans = false;
        return watched;
    }
    static engine::Options options() {
        engine::Options options;
        options.profiles["default-scheduler"] = {};
        options.wait_for = kube::Watcher::resources(watched());
        options.step_work = engine::service_step_work;
        return options;
    }

    EngineLoop loop_;
    kube::Watcher watcher_;  // Ended before the loop.
};

}  // namespace echelon::app
