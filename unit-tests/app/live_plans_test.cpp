// Z40: plans for gangs that don't exist yet, beside running pods.

#include "unit-tests/app/support/live_planning.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

namespace echelon::app {
namespace {

using namespace test;

// An engine on its thread, with one node of four GPUs and a gang of two that is Held there.
struct Service {
    Service() : loop(options(), [](const engine::Action&) {}) {
        loop.start();
        see(model::NodeSeen{node("n0", 4)});
        see(group("held", 2));
        see(member("held", 0));
        see(member("held", 1));
        REQUIRE(support::becomes_true([this] { return phase_of("default/held") == "Held"; }));
    }
    void see(model::Event event) { loop.push(engine::Observed{std::move(event)}); }
    [[nodiscard]] std::string phase_of(const std::string& gang) const {
        const auto view = loop.published()->gangs.find(gang);
        return view == nullptr ? "none" : std::string(model::to_string(view->record.phase));
    }

    EngineLoop loop;
};

// What is asked of it, and answered in the end.
PlanReply asked(LivePlans& plans, const std::string& text) {
    std::promise<PlanReply> promise;
    auto future = promise.get_future();
    plans.ask({.manifests = text, .gang = {}}, [&](PlanReply reply) { promise.set_value(std::move(reply)); });
    REQUIRE(future.wait_for(support::test_patience) == std::future_status::ready);
    return future.get();
}

LivePlans::Sources test_sources() {
    return {.reading = [] { return kube::Reading(); },
            .why_not = [] { return std::string(); },
            .first_profile = [] { return std::string("ours"); }};
}

}  // namespace

TEST_CASE("seats that a running gang holds are taken, and what is left is planned as the engine then does (Z40)") {
    Service service;
    LivePlans plans(service.loop, test_sources());
    const auto seats_before = service.loop.published()->gangs.find("default/held")->record.seats;
    CHECK(outcomes_of(asked(plans, manifest_of("large", 3))) == Outcomes{"default/large: NoRoom"});
    CHECK(outcomes_of(asked(plans, manifest_of("small", 2))) == Outcomes{"default/small: Placed"});
    CHECK(service.phase_of("default/small") == "none");
    CHECK(service.phase_of("default/large") == "none");
    CHECK(service.loop.published()->gangs.find("default/held")->record.seats == seats_before);
    service.see(group("small", 2));
    service.see(member("small", 0));
    service.see(member("small", 1));
    CHECK(support::becomes_true([&] { return service.phase_of("default/small") == "Held"; }));
}

TEST_CASE("gangs of one request share what is left, in the order of their priority (Z40)") {
    const auto text = manifest_of("first", 2, "priority: 5") + manifest_of("second", 2) + manifest_of("third", 2);
    const auto reply = planned(running({model::NodeSeen{node("n0", 4)}}), text);
    CHECK(outcomes_of(reply) == Outcomes{"default/first: Placed", "default/second: Placed", "default/third: NoRoom"});
}

TEST_CASE("gangs that run are not in the report, unless one is named (Z40)") {
    const std::vector<model::Event> facts = {model::NodeSeen{node("n0", 4)}, group("waits", 9), member("waits", 0)};
    CHECK(outcomes_of(planned(running(facts), manifest_of("job", 2))) == Outcomes{"default/job: Placed"});
    CHECK(planned(running(facts), "", {.manifests = {}, .gang = "default/none"}).status == 404);
    CHECK(outcomes_of(planned(running(facts), "", {.manifests = {}, .gang = "default/waits"})) ==
          Outcomes{"default/waits: Incomplete"});
}

TEST_CASE("a gang that waits for room is planned with the nodes of the request (Z40)") {
    const std::vector<model::Event> facts = {model::NodeSeen{node("n0", 1)}, group("waits", 2), member("waits", 0),
                                             member("waits", 1)};
    const PlanCall call{.manifests = {}, .gang = "default/waits"};
    CHECK(outcomes_of(planned(running(facts), "", call)) == Outcomes{"default/waits: Impossible"});
    const auto reply = planned(running(facts), R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {gpu: "1", pods: "110"}, conditions: [{type: Ready, status: "True"}]}
)",
                               call);
    CHECK(outcomes_of(reply) == Outcomes{"default/waits: Placed"});
}

TEST_CASE("objects of the request take the place of those that run under their names (Z40)") {
    auto state = running({model::NodeSeen{node("n0", 2)}, group("job", 2), member("job", 0, "n0"), member("job", 1)});
    state.ledger.put("uid-of-job-1",
                     {.node = "n0", .requests = {{"gpu", 1}, {"pods", 1}}, .owner = {"podgroup", "default/job"}});
    CHECK(outcomes_of(planned(state, manifest_of("other", 1))) == Outcomes{"default/other: NoRoom"});
    const auto reply = planned(state, manifest_of("job", 2));
    CHECK(outcomes_of(reply) == Outcomes{"default/job: Placed"});
    CHECK(gangs_of(reply)[0].at("seats").size() == 2);
}

TEST_CASE("members with a promised seat count where it is, and no seat is given twice (Z40)") {
    auto state = running({model::NodeSeen{node("n0", 2)}, model::NodeSeen{node("n1", 2)}, group("job", 2),
                          member("job", 0), member("job", 1)});
    const model::GroupKey owner{"podgroup", "default/job"};
    state.ledger.put("uid-of-job-0", {.node = "n1", .requests = {{"gpu", 1}, {"pods", 1}}, .owner = owner});
    state.ledger.put("uid-of-job-1", {.node = "n1", .requests = {{"gpu", 1}, {"pods", 1}}, .owner = owner});
    const auto reply = planned(state, manifest_of("other", 2), {.manifests = {}, .gang = "default/job"});
    CHECK(outcomes_of(reply) == Outcomes{"default/job: Placed", "default/other: Placed"});
    CHECK(gangs_of(reply)[0].at("seats").empty());
    CHECK(gangs_of(reply)[0].at("groups")[0].at("placed") == 2);
    CHECK(gangs_of(reply)[1].at("seats")[0].at("node") == "n0");
}

TEST_CASE("room of a reserved domain, of preempting pods and of refused nodes is kept from the gang (Z40)") {
    model::Topology racks;
    racks.name = "fabric";
    racks.source = model::TopologySource::configuration;
    racks.levels = {"example.com/rack"};
    const std::vector<model::Event> facts = {model::TopologySeen{racks}, model::NodeSeen{node("n0", 2)}};
    const auto job = manifest_of("job", 2);
    CHECK(outcomes_of(planned(running(facts), job)) == Outcomes{"default/job: Placed"});

    auto reserved = running(facts);
    reserved.reservations.put({"podgroup", "default/starved"},
                              {{"fabric", "example.com/rack", "r-n0"}, engine::Time{60'000}, 0});
    CHECK(outcomes_of(planned(reserved, job)) == Outcomes{"default/job: NoRoom"});
    CHECK(outcomes_of(planned(reserved, manifest_of("job", 2, "priority: 1"))) == Outcomes{"default/job: Placed"});

    auto nominated = running(facts);
    auto waiting = member("none", 0);
    waiting.pod.membership.reset();
    waiting.pod.nominated_node = "n0";
    nominated.events.emplace_back(waiting);
    CHECK(outcomes_of(planned(nominated, job)) == Outcomes{"default/job: NoRoom"});
    const auto text = planned(nominated, job, {.manifests = {}, .gang = {}, .is_text = true});
    CHECK(text.text.find("default/none-0") != std::string::npos);

    auto refused = running(facts);
    const auto manifests = kube::read_manifest_text(job, "the body");
    REQUIRE(manifests);
    refused.refused_nodes.add({"podgroup", "default/job"},
                              std::get<model::PodSeen>(manifests->events.at(1)).pod.pod_class, "n0",
                              engine::Time{60'000});
    CHECK(gangs_of(planned(refused, job))[0].at("outcome") == "Refused");
}

TEST_CASE("pods that name no scheduler are planned as ours, and classes have the values of the cluster (Z40)") {
    const std::vector<model::Event> facts = {model::NodeSeen{node("n0", 2)},
                                             model::PriorityClassSeen{.name = "high", .value = 7}};
    const auto text = manifest_of("low", 2, "", "default-scheduler") +
                      manifest_of("urgent", 2, "priorityClassName: high", "default-scheduler");
    CHECK(outcomes_of(planned(running(facts), text)) == Outcomes{"default/urgent: Placed", "default/low: NoRoom"});
}

TEST_CASE("pods that name no scheduler are of the first profile of the configuration, not of the first name (Z40)") {
    auto state = running({model::NodeSeen{node("n0", 2)}});
    state.options.profiles["a-first-name"] = {.gang = false, .topology = false};
    CHECK(outcomes_of(planned(state, manifest_of("job", 2, "", "default-scheduler"))) ==
          Outcomes{"default/job: Placed"});
}

TEST_CASE("a request with pods of other schedulers alone is refused, and names their scheduler (Z40)") {
    const auto reply = planned(running({model::NodeSeen{node("n0", 2)}}), manifest_of("job", 2, "", "strangers"));
    CHECK(reply.status == 400);
    CHECK(reply.text == "left out 2 pods of gangs: no profile has schedulerName \"strangers\"");
    const auto beside = manifest_of("job", 2, "", "strangers") + manifest_of("small", 1);
    CHECK(outcomes_of(planned(running({model::NodeSeen{node("n0", 2)}}), beside)) == Outcomes{"default/small: Placed"});
    CHECK(gangs_of(planned(running({}), "")).empty());
}

TEST_CASE("manifests that can't be read are answered with the sentence of `echelon plan` (Z40)") {
    Service service;
    LivePlans plans(service.loop, test_sources());
    const auto reply = asked(plans, "apiVersion: v1\nkind: Node\nmetadata: {name: 5}\n");
    CHECK(reply.status == 400);
    CHECK(reply.text ==
          kube::read_manifest_text("apiVersion: v1\nkind: Node\nmetadata: {name: 5}\n", "the body").error().sentence);
    CHECK(asked(plans, "{").status == 400);
    const auto of_faulty_node = asked(plans, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {taints: 7}\n");
    CHECK(of_faulty_node.status == 400);
    CHECK(of_faulty_node.text == "the body, document 1: Node n1: spec.taints: must be a list, not 7");
    CHECK(gangs_of(asked(plans, "")).empty());
}

TEST_CASE("one plan is made at a time, and none before the service is in sync and leads (Z40)") {
    Service service;
    std::promise<void> may_read;
    auto gate = may_read.get_future().share();
    auto sources = test_sources();
    sources.reading = [gate] {
        gate.wait();
        return kube::Reading();
    };
    LivePlans plans(service.loop, sources);
    std::promise<PlanReply> first;
    plans.ask({.manifests = manifest_of("job", 1), .gang = {}},
              [&](PlanReply reply) { first.set_value(std::move(reply)); });
    CHECK(asked(plans, manifest_of("other", 1)).status == 429);
    may_read.set_value();
    CHECK(first.get_future().get().status == 200);
    CHECK(asked(plans, manifest_of("other", 1)).status == 200);

    engine::PublishedState published;
    CHECK(why_no_plan(published, true).empty());
    CHECK(!why_no_plan(published, false).empty());
    published.unsynced = {"nodes", "pods"};
    CHECK(why_no_plan(published, true) == "not in sync yet: nodes, pods of the API server are missing");
    auto unsynced = test_sources();
    unsynced.why_not = [] { return "not yet"; };
    LivePlans closed(service.loop, unsynced);
    const auto reply = asked(closed, manifest_of("job", 1));
    CHECK(reply.status == 503);
    CHECK(reply.text == "not yet");
}

TEST_CASE("a service that is shutting down answers at once (Z40)") {
    Service service;
    LivePlans plans(service.loop, test_sources());
    service.loop.stop();
    plans.end();
    const auto reply = asked(plans, manifest_of("job", 1));
    CHECK(reply.status == 503);
    CHECK(reply.text == "echelon is shutting down");
    plans.end();
}

TEST_CASE("the gangs of one request share a bounded number of steps, and their number is bounded (Z40)") {
    auto state = running({model::NodeSeen{node("n0", 64)}});
    state.options.budget.steps = 1;
    std::string text;
    for (int gang = 0; gang < 30; ++gang)
        text += manifest_of(fmt::format("gang-{:02}", gang), 2);
    const auto gangs = gangs_of(planned(state, text));
    REQUIRE(gangs.size() == 30);
    CHECK(gangs.back().at("reason") == "OutOfBudget");
    CHECK(gangs.back().at("message").get<std::string>().starts_with("its search has no steps left"));
    for (int gang = 30; gang < 257; ++gang)
        text += manifest_of(fmt::format("gang-{}", gang), 1);
    const auto reply = planned(state, text);
    CHECK(reply.status == 400);
    CHECK(reply.text == "the manifests have 257 gangs; at most 256 are planned for one request");
}

TEST_CASE("no body takes memory without bound (Z40)") {
    const auto repeated = [](std::string_view part, std::size_t most = 1UL << 20U) {
        std::string text;
        while (text.size() + part.size() <= most)
            text += part;
        return text;
    };
    std::string anchors = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int level = 1; level < 30; ++level)
        anchors +=
            fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", level, level - 1);
    std::string huge_gangs;
    for (int gang = 0; gang < 200; ++gang) {
        huge_gangs += fmt::format(
            "---\napiVersion: echelon.sh/v1alpha1\nkind: Gang\nmetadata: {{name: big-{0}}}\n"
            "spec: {{minimum: 20000, expectedPods: 20000, startPods: 1}}\n"
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: big-{0}, labels: {{echelon.sh/gang: big-{0}}}}}\n"
            "spec: {{schedulerName: ours, containers: [{{name: main}}]}}\n",
            gang);
    }
    constexpr std::size_t largest_body = 4UL << 20U;
    const std::vector<std::string> bodies = {repeated("["),
                                             repeated("- "),
                                             repeated("a: b\n"),
                                             repeated("---\n"),
                                             "[" + repeated("a,"),
                                             repeated("x"),
                                             anchors,
                                             huge_gangs,
                                             repeated("{\"a\":", largest_body),
                                             repeated("{}", largest_body)};
    Service service;
    LivePlans plans(service.loop, test_sources());
    const auto most_kilobytes = [] {
        rusage usage{};
        REQUIRE(::getrusage(RUSAGE_SELF, &usage) == 0);
        return usage.ru_maxrss;
    };
    [[maybe_unused]] const auto before = most_kilobytes();
    for (const auto& body : bodies) {
        CAPTURE(body.substr(0, 40));
        const auto status = asked(plans, body).status;
        CHECK((status == 200 || status == 400));
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // They take several times as much.
    CHECK(most_kilobytes() - before < 400'000);
#endif
    CHECK(asked(plans, repeated("a: b\n", largest_body)).text == "the body: larger than 1 MB of YAML; give it as JSON");
    CHECK(service.phase_of("default/held") == "Held");
}

TEST_CASE("a pod that has the UID of a running pod is refused, and would not take its place (Z40)") {
    Service service;
    LivePlans plans(service.loop, test_sources());
    auto running = member("held", 0);
    auto text = manifest_of("copy", 1);
    const std::string name = "metadata: {name: copy-0";
    const auto at = text.find(name);
    REQUIRE(at != std::string::npos);
    text.insert(at + name.size(), fmt::format(", uid: {}", running.pod.uid));
    const auto reply = asked(plans, text);
    CHECK(reply.status == 400);
    CHECK(reply.text == fmt::format("pod default/copy-0 has the metadata.uid of pod {}, which exists: leave it out",
                                    running.pod.full_name()));
}

}  // namespace echelon::app
