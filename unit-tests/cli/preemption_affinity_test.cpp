// `echelon plan --preempt` where pod affinity and anti-affinity decide which pods have to go (D14).

#include "unit-tests/cli/preempting.hpp"

using namespace echelon;
using cli::Preemption;
using namespace echelon::cli::testing;

namespace {

// A required term that selects pods of app x, in one host or rack.
std::string term(const std::string& kind, const std::string& key = "example.com/host") {
    return fmt::format(
        "affinity: {{{}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{labelSelector: {{matchLabels: {{app: "
        "x}}}}, topologyKey: {}}}]}}}}, ",
        kind, key);
}

std::string host(const std::string& name, const std::string& rack, int gpus) {
    auto text = node(name, rack, gpus);
    return text.replace(text.find("labels: {"), 9, fmt::format("labels: {{example.com/host: {}, ", name));
}

TEST_CASE("a pod goes that only anti-affinity puts in the way, of the gang or of the pod (U5, D14)") {
    const std::string avoiding = group("high", 1, 9) + pod("high-0", "high", 9, "", "{}", term("podAntiAffinity"));
    CHECK(victims_of(planned(host("n0", "r0", 2) + pod("p", "", 1, "n0", "{app: x}") + avoiding).gangs[0]) ==
          "default/p");
    const std::string avoided = group("high", 1, 9) + pod("high-0", "high", 9, "", "{app: x}");
    CHECK(victims_of(
              planned(host("n0", "r0", 2) + pod("p", "", 1, "n0", "{}", term("podAntiAffinity")) + avoided).gangs[0]) ==
          "default/p");
    // Nobody goes for a host where a pod stays that is in the way.
    const auto kept = planned(host("n0", "r0", 3) + pod("p", "", 1, "n0", "{app: x}") +
                              pod("top", "", 9, "n0", "{app: x}") + avoiding);
    CHECK(kept.gangs[0].reason == model::Reason::no_room);
}

TEST_CASE("pods go that take room and pods that anti-affinity puts in the way, together (U5, D14)") {
    const std::string text = host("n0", "r0", 1) + pod("p", "", 1, "n0", "{app: x}") + group("high", 1, 9) +
                             pod("high-0", "high", 9, "", "{}", term("podAntiAffinity"));
    CHECK(victims_of(planned(text).gangs[0]) == "default/p");
    const std::string two = host("n0", "r0", 2) + host("n1", "r0", 1) + pod("p", "", 1, "n1", "{app: x}") +
                            pod("q", "", 1, "n0") + pod("r", "", 1, "n0") + group("high", 2, 9) +
                            pod("high-0", "high", 9, "", "{}", term("podAntiAffinity", "example.com/rack")) +
                            pod("high-1", "high", 9, "", "{}", term("podAntiAffinity", "example.com/rack"));
    const auto victims = victims_of(planned(two).gangs[0]);
    CHECK(victims.starts_with("default/p default/"));
    CHECK(planned(two).gangs[0].victims.size() == 2);
}

TEST_CASE("a pod that the gang must be beside stays, and another one goes (U5, D14)") {
    const std::string following = group("high", 1, 9) + pod("high-0", "high", 9, "", "{}", term("podAffinity"));
    const std::string text = host("n0", "r0", 2) + host("n1", "r1", 1) + pod("x", "", 1, "n0", "{app: x}") +
                             pod("q", "", 5, "n0") + pod("r", "", 1, "n1") + following;
    CHECK(victims_of(planned(text).gangs[0]) == "default/q");
    const auto alone =
        planned(host("n0", "r0", 1) + pod("x", "", 1, "n0", "{app: x}") + following, Preemption::on, true);
    CHECK(alone.gangs[0].reason == model::Reason::no_room);
    CHECK(alone.gangs[0].explanation->without.empty());
}

TEST_CASE("nobody goes where only a bound member that the others don't follow pins their level (D7, D14)") {
    const std::string text = host("n0", "r0", 3) + host("n1", "r1", 2) + pod("web-0", "", 1, "n0") +
                             pod("web-1", "", 1, "n0") + group("high", 3, 9) + pod("high-0", "high", 9, "n0") +
                             pod("high-1", "high", 9, "", "{app: x}", term("podAffinity", "example.com/rack")) +
                             pod("high-2", "high", 9, "", "{app: x}", term("podAffinity", "example.com/rack"));
    const auto report = planned(text);
    CHECK(report.gangs[0].reason == model::Reason::out_of_budget);
    CHECK(victims_of(report.gangs[0]).empty());
}

}  // namespace
