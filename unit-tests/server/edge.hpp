#pragma once

// How does a test run the server? On free ports, with a scripted published state, and a record of the engine's inputs.

#include "server/extender/extender.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace echelon::server::test {

// The backend without a server. Thread-safe.
class FakeBackend {
public:
    FakeBackend();

    Backend as_backend();
    void show(std::shared_ptr<const engine::PublishedState> published);
    // Another echelon leads from now on, or not any more.
    void lose_lead(bool is_lost) { has_lost_lead_ = is_lost; }
    // Waits until `enough` holds for the inputs received; false: it doesn't after 20 s.
    bool await(const std::function<bool(const std::vector<engine::Input>&)>& enough);
    // The numbers of the bind calls so far.
    std::vector<std::uint64_t> calls();
    std::vector<engine::Filtered> filtered();
    std::size_t gone();
    // Waits for that many bind calls, or callers gone.
    bool await_calls(std::size_t count);
    bool await_gone(std::size_t count);

    // Sets the answer of /v1/explain, which is an empty tree before.
    void explain(base::Result<Explained> explained);
    // The last gang that was explained, and whether in colour.
    std::pair<model::GroupKey, bool> explained_last();
    void finish_replies();

    void trouble(std::vector<Check> checks);
    void add_metrics(std::vector<prometheus::MetricFamily> families);

private:
    std::atomic<bool> has_lost_lead_ = false;
    std::mutex mutex_;
    std::condition_variable told_more_;
    std::vector<engine::Input> told_;
    std::vector<Check> troubles_;
    std::vector<prometheus::MetricFamily> metrics_;
    base::Result<Explained> explained_;
    std::pair<model::GroupKey, bool> asked_;
    std::jthread replier_;
    std::shared_ptr<const engine::PublishedState> published_;
};

// Pods of these schedulers are ours: "echelon-scheduler". A pod names a gang by label `gang`.
inline constexpr std::string_view our_scheduler = "echelon-scheduler";

std::shared_ptr<engine::PublishedState> published_with(
    const std::vector<std::pair<std::string, engine::Verdict>>& verdicts);
engine::Verdict pinned(std::string node, std::string gang = "default/train");
engine::Verdict refused(std::string text, std::string gang = "default/train");

// A server on 127.0.0.1 with free ports.
struct Edge {
    explicit Edge(std::optional<config::Tls> tls = std::nullopt);
    ~Edge() { backend.finish_replies(); }  // While there is a server to reply to.

    [[nodiscard]] int extender() const { return server->ports()[0]; }
    [[nodiscard]] int bind() const { return server->ports()[1]; }
    [[nodiscard]] int admin() const { return server->ports()[2]; }

    FakeBackend backend;
    std::unique_ptr<Server> server;
};

// ExtenderArgs of a pod with these names; `more_metadata` goes into the metadata (", \"labels\": ...").
std::string filter_args(const std::string& uid, std::string_view names_json, std::string_view scheduler = our_scheduler,
                        std::string_view more_metadata = {});
std::string bind_args(const std::string& uid, const std::string& node);
// ["n0","n1",...]
std::string names(int count);

}  // namespace echelon::server::test
