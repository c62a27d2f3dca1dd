// The whole path of an explanation: from `echelon explain` through the admin port to the engine's thread, and back as
// text.

#include "app/explainer.hpp"

#include "cli/explain.hpp"
#include "server/extender/explain.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <cstdint>
#include <future>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace echelon;

namespace {

model::Pod member(const std::string& name, const std::string& group, std::int64_t priority = 0) {
    model::Pod pod;
    pod.uid = pod.name = name;
    pod.ns = "default";
    pod.scheduler_name = "default-scheduler";
    pod.priority = priority;
    pod.pod_class.requests = {{"gpu", 1}, {"pods", 1}};
    pod.membership = model::Membership{{"podgroup", "default/" + group}, {}, -1, {}};
    return pod;
}

// An engine on its thread with one node of three GPUs, and two gangs that want two each.
struct Running {
    // `runs`: the pods of the first gang are bound. `importance`: the priority of the second one.
    explicit Running(bool runs = false, std::int64_t importance = 0)
        : loop(options(), [](const engine::Action&) {}), runs_(runs) {
        loop.start();
        model::Node node;
        node.name = "n0";
        node.allocatable = {{"gpu", 3}, {"pods", 10}};
        loop.push(engine::Observed{model::NodeSeen{node}});
        push("a", 0, runs);
        if (importance > 0)
            REQUIRE(support::becomes_true([this] { return phase_of("default/a") == (runs_ ? "Bound" : "Held"); }));
        push("b", importance, false);
    }

    void push(const std::string& name, std::int64_t priority, bool runs) {
        model::Group group;
        group.key = {"podgroup", "default/" + name};
        group.minimum = 2;
        loop.push(engine::Observed{model::GroupSeen{group}});
        for (const auto* number : {"-0", "-1"}) {
            auto pod = member(name + number, name, priority);
            if (runs)
                pod.node = "n0";
            loop.push(engine::Observed{model::PodSeen{pod}});
        }
    }

    static engine::Options options() {
        engine::Options options;
        options.profiles["default-scheduler"] = {};
        options.settle = engine::Time{0};
        return options;
    }

    [[nodiscard]] std::string phase_of(const std::string& gang) const {
        const auto view = loop.published()->gangs.find(gang);
        return view == nullptr ? std::string() : std::string(model::to_string(view->record.phase));
    }
    // Waits until the published state says that one gang has seats and the other is refused.
    [[nodiscard]] bool await_decisions() const {
        return support::becomes_true([this] {
            const auto view = loop.published()->gangs.find("default/b");
            return phase_of("default/a") == (runs_ ? "Bound" : "Held") && view != nullptr &&
                   view->record.reason == "NoRoom";
        });
    }
    // The explanation of the second gang.
    [[nodiscard]] server::Explained explained() {
        app::Explainer explainer(loop);
        std::promise<base::Result<server::Explained>> promise;
        auto future = promise.get_future();
        REQUIRE(explainer.ask({"podgroup", "default/b"}, false,
                              [&](base::Result<server::Explained> said) { promise.set_value(std::move(said)); }));
        REQUIRE(future.wait_for(support::test_patience) == std::future_status::ready);
        auto said = future.get();
        REQUIRE(said);
        return std::move(*said);
    }

    app::EngineLoop loop;

private:
    bool runs_;
};

}  // namespace

TEST_CASE("whether preemption is on or not, an explanation says which running gangs would have to go") {
    Running running(true, 9);
    REQUIRE(running.await_decisions());
    const auto said = running.explained();
    CHECK(said.tree.without == std::vector<std::string>{"default/a"});
    CHECK(said.text.find("  would fit without: default/a\n") != std::string::npos);
    const auto json = server::explain_answer({}, &said.tree).body;
    CHECK(json.find("\"wouldFitWithout\": [\n      \"default/a\"\n    ]") != std::string::npos);
}

TEST_CASE("unbound seats of a less important gang would have to go first") {
    Running running(false, 9);
    REQUIRE(running.await_decisions());
    CHECK(running.explained().tree.without == std::vector<std::string>{"default/a"});
}

TEST_CASE("an explanation names no gang of the same priority, and none if the gang's class never preempts") {
    Running equal(true);
    REQUIRE(equal.await_decisions());
    CHECK(equal.explained().tree.without.empty());
    Running modest(true, 9);
    model::Group group;
    group.key = {"podgroup", "default/b"};
    group.minimum = 2;
    group.preempts = false;
    modest.loop.push(engine::Observed{model::GroupSeen{group}});
    REQUIRE(modest.await_decisions());
    CHECK(modest.explained().tree.without.empty());
}

TEST_CASE("the engine's thread hands out an explain snapshot, and the reply names the gang that holds the room") {
    Running running;
    REQUIRE(running.await_decisions());
    app::Explainer explainer(running.loop);
    std::promise<base::Result<server::Explained>> promise;
    REQUIRE(explainer.ask({"podgroup", "default/b"}, false,
                          [&](base::Result<server::Explained> explained) { promise.set_value(std::move(explained)); }));
    auto future = promise.get_future();
    REQUIRE(future.wait_for(support::test_patience) == std::future_status::ready);
    const auto explained = future.get();
    REQUIRE(explained);
    REQUIRE(explained->tree.groups.size() == 1);
    CHECK(explained->tree.groups[0].domains.at(0).blockers.at(0).owner == "default/a");
    CHECK(explained->text ==
          "default/b  refused: NoRoom\n"
          "  group default/b needs 2 seats; the cluster has room for 1: 1 missing (gpu)\n"
          "  default/b  needs 2 members; only 1 fits\n"
          "  ├─ each 1 gpu\n"
          "  └─ the cluster  room for 1 of 2, 2 when empty; short of gpu\n"
          "     └─ held for default/a  2 pods with 2 gpu, room for 2; priority 0\n");
}

TEST_CASE("a question about a gang that has just gone is answered with a sentence, at once") {
    Running running;
    app::Explainer explainer(running.loop);
    std::promise<base::Result<server::Explained>> promise;
    REQUIRE(explainer.ask({"podgroup", "default/nobody"}, false,
                          [&](base::Result<server::Explained> explained) { promise.set_value(std::move(explained)); }));
    auto future = promise.get_future();
    REQUIRE(future.wait_for(support::test_patience) == std::future_status::ready);
    CHECK(future.get().error().sentence == "gang \"default/nobody\" has just gone");
}

TEST_CASE("questions that the engine's thread never takes up end with the explainer, and too many are turned away") {
    app::EngineLoop stopped(Running::options(), [](const engine::Action&) {});
    int refused = 0;
    {
        app::Explainer explainer(stopped);
        for (int i = 0; i < 20; ++i) {
            const auto asked = explainer.ask({"podgroup", "default/b"}, false,
                                             [](const base::Result<server::Explained>&) { CHECK(false); });
            refused += asked ? 0 : 1;
        }
    }
    CHECK(refused >= 11);  // One is being asked, eight wait.
}

TEST_CASE("questions during shutdown are turned away at once, and so is a view") {
    Running running;
    app::Explainer explainer(running.loop);
    running.loop.stop();
    explainer.end();
    const auto asked =
        explainer.ask({"podgroup", "default/b"}, false, [](const base::Result<server::Explained>&) { CHECK(false); });
    REQUIRE(!asked);
    CHECK(asked.error().sentence == "echelon is shutting down");
    for (const auto* what : {"status", "topology", "holds", "snapshot"}) {
        const auto view = explainer.view({.what = what}, {}, [](const base::Result<std::string>&) { CHECK(false); });
        REQUIRE(!view);
        CHECK(view.error().sentence == "echelon is shutting down");
    }
    explainer.end();
}

TEST_CASE("echelon explain prints what the service says, and says what is wrong in one sentence") {
    Running running;
    REQUIRE(running.await_decisions());
    app::Explainer explainer(running.loop);
    server::Backend backend;
    backend.published = [&] { return running.loop.published(); };
    backend.push_input = [](const engine::Input&) {};
    backend.is_ours = [](std::string_view) { return true; };
    backend.named_gang = [](std::string_view) { return std::nullopt; };
    backend.explain = [&explainer](const model::GroupKey& root, bool has_colour, server::Backend::ExplainReply reply) {
        return explainer.ask(root, has_colour, std::move(reply));
    };
    config::Settings settings;
    settings.extender = settings.bind = settings.admin = {"127.0.0.1", 0};
    auto server = server::Server::start(settings, backend);
    REQUIRE(server);
    const auto address = "http://127.0.0.1:" + std::to_string((*server)->ports()[2]);
    const auto held = cli::query_explanation({.gang = "a", .server = address}, false);
    REQUIRE(held);
    CHECK(*held == "default/a  Held, 2 seats in n0\n  └─ n0: a-[0-1]\n");
    const auto refused = cli::query_explanation({.gang = "default/b", .server = address}, true);
    REQUIRE(refused);
    CHECK(refused->find("\033[31mrefused: NoRoom\033[0m\n") != std::string::npos);
    CHECK(cli::query_explanation({.gang = "other/b", .server = address}, false).error().sentence ==
          "no gang \"other/b\": its members have to ask for a scheduler of ours, and to name it");
    const auto nobody = cli::query_explanation({.gang = "b", .server = "http://127.0.0.1:1"}, false);
    REQUIRE(!nobody);
    CHECK(nobody.error().sentence.starts_with("the service doesn't answer at http://127.0.0.1:1: "));
    CHECK(!cli::query_explanation({.gang = "b", .server = "nonsense://x"}, false));
    explainer.end();  // Replies go to the server, which still asks.
    const auto late = cli::query_explanation({.gang = "a", .server = address}, false);
    REQUIRE(!late);
    CHECK(late.error().sentence.find("echelon is shutting down") != std::string::npos);
}
