// Gangs of thousands at once: the engine on a thread, the real ports, a socket for each member (BD5). Only the API
// server is fake: it carries out writes at once.

#include "engine/engine.hpp"
#include "server/extender/extender.hpp"
#include "server/http/descriptors.hpp"
#include "server/http/port_shares.hpp"
#include "unit-tests/server/edge.hpp"
#include "unit-tests/server/wire.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr int nodes = 660;
constexpr int seats_per_node = 8;

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

config::Settings on_free_ports() {
    config::Settings settings;
    settings.extender = settings.bind = settings.admin = {"127.0.0.1", 0};
    return settings;
}

engine::Options options() {
    engine::Options options;
    options.profiles[std::string(our_scheduler)] = {.gang = true, .topology = true, .nominate = false};
    options.barrier_timeout = engine::Time{600'000};  // Other programs may use the machine, too.
    options.barrier_room = port_shares(on_free_ports(), descriptor_limit()).barrier;
    return options;
}

model::Pod pod_of(const std::string& name, const std::string& gang) {
    model::Pod pod;
    pod.uid = pod.name = name;
    pod.ns = "default";
    pod.scheduler_name = our_scheduler;
    pod.pod_class.requests = {{"cpu", 1}, {"pods", 1}};
    if (!gang.empty()) {
        pod.pod_class.requests = {{"cpu", 1}, {"pods", 1}, {"gpu", 1}};
        pod.membership = model::Membership{{"podgroup", "default/" + gang}, {}, -1, ""};
    }
    return pod;
}

// A complete cluster before the engine starts.
class World {
public:
    World() : engine_(options()), published_(engine_.published()) {
        for (int at = 0; at < nodes; ++at) {
            model::Node node;
            node.name = node.uid = fmt::format("n{}", at);
            node.allocatable = {{"cpu", 1'000'000}, {"pods", 1'000}, {"gpu", seats_per_node}};
            push(engine::Observed{model::NodeSeen{node}});
        }
    }
    ~World() {
        thread_ = {};
        server_.reset();
    }

    void gang(const std::string& name, int members) {
        model::Group group;
        group.key = {"podgroup", "default/" + name};
        group.minimum = members;
        group.uid = name;
        push(engine::Observed{model::GroupSeen{group}});
        for (int at = 0; at < members; ++at)
            pod(fmt::format("{}-{}", name, at), name);
    }
    void pod(const std::string& name, const std::string& gang) {
        pods_[name] = pod_of(name, gang);
        push(engine::Observed{model::PodSeen{pods_[name]}});
    }

    void start() {
        auto started = Server::start(on_free_ports(), backend());
        REQUIRE(started);
        server_ = std::move(*started);
        scheduler_ = std::make_unique<Wire>(server_->ports()[0]);
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    [[nodiscard]] int admin() const { return server_->ports()[2]; }
    bool await_pinned(const std::string& uid) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(120), [&] {
            const auto* verdict = published_->verdict(uid);
            return verdict != nullptr && verdict->kind == engine::Verdict::Kind::pinned;
        });
    }

    // Where filter lets the pod go; empty: nowhere.
    std::string filter(const std::string& name) {
        scheduler_->send(post("/v1/filter", fmt::format(R"({{"Pod":{{"metadata":{{"name":"{0}","namespace":"default",)"
                                                        R"("uid":"{0}"}},"spec":{{"schedulerName":"{1}"}}}},)"
                                                        R"("NodeNames":{2}}})",
                                                        name, our_scheduler, names(nodes))));
        const auto heard = scheduler_->hear();
        const auto begin = heard ? heard->body.find("[\"") : std::string::npos;
        if (begin == std::string::npos)
            return {};
        return heard->body.substr(begin + 2, heard->body.find('"', begin + 2) - begin - 2);
    }
    // A call that waits.
    Wire bind(const std::string& name, const std::string& node) {
        Wire wire(server_->ports()[1]);
        REQUIRE(wire.send(post(
            "/v1/bind",
            fmt::format(R"({{"PodName":"{0}","PodNamespace":"default","PodUID":"{0}","Node":"{1}"}})", name, node))));
        return wire;
    }

private:
    Backend backend() {
        Backend backend;
        backend.published = [this] {
            const std::lock_guard lock(mutex_);
            return published_;
        };
        backend.push_input = [this](engine::Input input) { push(std::move(input)); };
        backend.is_ours = [](std::string_view scheduler) { return scheduler == our_scheduler; };
        backend.named_gang = [](std::string_view) { return std::optional<std::string>(); };
        return backend;
    }

    void push(engine::Input input) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(input));
        }
        has_input_.notify_one();
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::vector<engine::Input> inputs;
            {
                std::unique_lock lock(mutex_);
                has_input_.wait_for(lock, stop, std::chrono::milliseconds(20), [this] { return !queue_.empty(); });
                inputs.swap(queue_);
            }
            if (inputs.empty())
                inputs.emplace_back(engine::Ticked{});
            const auto now = std::chrono::duration_cast<engine::Time>(Clock::now().time_since_epoch());
            auto actions = engine_.step(inputs, now);
            {
                const std::lock_guard lock(mutex_);
                published_ = engine_.published();
            }
            changed_.notify_all();
            for (auto& action : actions) {
                if (const auto* write = std::get_if<engine::StartWrite>(&action)) {
                    push(engine::Written{write->write, carried_out(write->what)});
                } else if (const auto* answer = std::get_if<engine::AnswerBind>(&action)) {
                    server_->answer(*answer);
                }
            }
        }
    }

    model::Outcome carried_out(const model::Write& write) {
        model::Outcome outcome;
        std::visit(
            Overloaded{[&](const model::BindPod& bind) {
                           auto& pod = pods_.at(bind.pod.name);
                           pod.node = bind.node;
                           pod.plan = bind.plan;
                           push(engine::Observed{model::PodSeen{pod}});
                       },
                       [&](const model::ApplyPlan& plan) { push(engine::Observed{model::PlanSeen{plan.record}}); },
                       [&](const model::ReadGroup& group) { outcome.uid = group.name; }, [](const auto&) {}},
            write);
        return outcome;
    }

    engine::Engine engine_;                   // Its thread's alone.
    std::map<std::string, model::Pod> pods_;  // Of the engine's thread, once that runs.
    std::mutex mutex_;
    std::condition_variable_any has_input_;
    std::condition_variable_any changed_;
    std::vector<engine::Input> queue_;                         // Guarded by mutex_.
    std::shared_ptr<const engine::PublishedState> published_;  // Guarded by mutex_.
    std::unique_ptr<Server> server_;
    std::unique_ptr<Wire> scheduler_;
    std::jthread thread_;
};

struct Size {
    std::string name;
    int members;
};

// All members come in turn, and plain pods between them.
void bind_all(const std::vector<Size>& gangs) {
    std::size_t all = 0;
    for (const auto& gang : gangs)
        all += static_cast<std::size_t>(gang.members);
    if (descriptor_limit() < 2 * all + 2'048) {
        raise_descriptor_limit();
        if (descriptor_limit() < 2 * all + 2'048) {
            MESSAGE("skipped: this machine allows too few descriptors");
            return;
        }
    }
    World world;
    constexpr int plain_pods = 10;
    for (const auto& gang : gangs)
        world.gang(gang.name, gang.members);
    for (int at = 0; at < plain_pods; ++at)
        world.pod(fmt::format("plain-{}", at), "");
    world.start();
    for (const auto& gang : gangs)
        REQUIRE(world.await_pinned(gang.name + "-0"));
    std::vector<Wire> waiting;
    const auto bind_plain = [&](int at) {
        const auto name = fmt::format("plain-{}", at);
        const auto node = world.filter(name);
        REQUIRE_FALSE(node.empty());
        const auto heard = world.bind(name, node).hear();
        REQUIRE(heard);
        CHECK(heard->body == R"({"Error":""})");
    };
    const int most = std::ranges::max(gangs, {}, &Size::members).members;
    for (int at = 0; at < most; ++at) {
        if (at % (most / plain_pods) == 0 && at / (most / plain_pods) < plain_pods)
            bind_plain(at / (most / plain_pods));
        for (const auto& gang : gangs) {
            if (at >= gang.members)
                continue;
            const auto name = fmt::format("{}-{}", gang.name, at);
            const auto node = world.filter(name);
            REQUIRE_FALSE(node.empty());
            waiting.push_back(world.bind(name, node));
        }
    }
    CHECK(ask(world.admin(), "GET /livez HTTP/1.1\r\n\r\n")->status == 200);
    std::map<std::string, int> answers;
    for (auto& wire : waiting) {
        const auto heard = wire.hear();
        ++answers[heard ? heard->body : "none"];
    }
    std::string heard;
    for (const auto& [body, count] : answers)
        heard += fmt::format("{} times {}\n", count, body);
    CAPTURE(heard);
    CHECK(answers == std::map<std::string, int>{{R"({"Error":""})", static_cast<int>(all)}});
}

}  // namespace

TEST_CASE("a gang of 4,200 is bound, and plain pods meanwhile (BD5)") {
    bind_all({{"large", 4'200}});
}

TEST_CASE("two gangs of 2,500 at once are bound, and plain pods meanwhile (BD5)") {
    bind_all({{"a", 2'500}, {"b", 2'500}});
}

}  // namespace echelon::server
