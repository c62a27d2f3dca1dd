#include "unit-tests/simulate/small_worlds.hpp"

using namespace echelon;
using namespace echelon::simulate;
using namespace echelon::simulate::testing;

namespace {

using Texts = std::vector<std::string>;

const AllocatedFigures& gpus_of(const Outcome& outcome) {
    return outcome.report.allocated.at("nvidia.com/gpu");
}

}  // namespace

TEST_CASE("a gang starts at once where it fits, and ends after its duration") {
    const auto outcome = simulated(racks_of({2}), "submit,duration,name,pods,gpu\n5,10,a,2,8\n");
    CHECK(outcome.texts() == Texts{"5 start a-0 r0-h0 0|1|2|3|4|5|6|7", "5 start a-1 r0-h1 0|1|2|3|4|5|6|7",
                                   "15 end a-0 r0-h0 0|1|2|3|4|5|6|7", "15 end a-1 r0-h1 0|1|2|3|4|5|6|7"});
    CHECK(outcome.report.end == 15);
    CHECK(outcome.report.arrived == 1);
    CHECK(outcome.report.placed == 1);
    CHECK(outcome.report.finished == 1);
    CHECK(gpus_of(outcome).mean == doctest::Approx(10.0 / 15));
    CHECK(gpus_of(outcome).last == 0);
    CHECK(!gpus_of(outcome).while_gangs_wait);
}

TEST_CASE("pods end before others start at the same moment") {
    const auto outcome = simulated(racks_of({1}), "submit,duration,name,gpu\n0,10,a,8\n10,5,b,8\n");
    CHECK(outcome.start_of("b") == 10);
    CHECK(outcome.texts()[1].starts_with("10 end a-0"));
    CHECK(outcome.texts()[2].starts_with("10 start b-0"));
}

TEST_CASE("a gang waits until one rack has room for all of it") {
    const auto outcome = simulated(racks_of({2, 2}),
                                   "submit,duration,name,pods,gpu,required\n"
                                   "0,20,x,1,8,\n"
                                   "0,10,y,2,8,rack\n"
                                   "2,5,g,2,8,rack\n");
    CHECK(outcome.nodes_of("y").substr(0, 2) != outcome.nodes_of("x").substr(0, 2));
    CHECK(outcome.start_of("g") == 10);
    CHECK(outcome.nodes_of("g") == outcome.nodes_of("y"));
    CHECK(outcome.report.blocked == 0);
    CHECK(*gpus_of(outcome).while_gangs_wait == 0.75);
    CHECK(outcome.report.wait->max == 8);
}

TEST_CASE("blocked is the share of time in which enough seats are free, but not in one domain") {
    // Four pods that run for ever leave one host of each rack free: g never fits, although two hosts are free.
    const auto outcome =
        simulated(cluster_of(racks_of({2, 2}), {running_pod("p", "r0-h0", {{"nvidia.com/gpu", 8}, {"pods", 1}}),
                                                running_pod("q", "r1-h0", {{"nvidia.com/gpu", 8}, {"pods", 1}})}),
                  "submit,duration,name,pods,gpu,required\n5,1,g,2,8,rack\n20,0,t,1,1,\n", {.until = 25});
    CHECK(outcome.report.waiting == 1);
    CHECK(outcome.report.end == 20);
    CHECK(outcome.report.blocked == doctest::Approx(15.0 / 20));
    CHECK(gpus_of(outcome).mean == 0.5);
}

TEST_CASE("a small job passes a gang that waits") {
    const auto outcome =
        simulated(racks_of({2}), "submit,duration,name,pods,gpu\n0,10,a,1,8\n1,5,big,2,8\n2,3,small,1,8\n");
    CHECK(outcome.start_of("small") == 2);
    CHECK(outcome.start_of("big") == 10);
}

TEST_CASE("the queue is ordered by priority, submit and name (Q1)") {
    const auto outcome = simulated(racks_of({1}),
                                   "submit,duration,name,gpu,priority\n"
                                   "0,10,first,8,0\n"
                                   "3,10,late,8,0\n"
                                   "2,10,b,8,0\n"
                                   "2,10,a,8,0\n"
                                   "4,10,high,8,9\n");
    CHECK(outcome.start_of("high") == 10);
    CHECK(outcome.start_of("a") == 20);
    CHECK(outcome.start_of("b") == 30);
    CHECK(outcome.start_of("late") == 40);
}

TEST_CASE("a job that not even the empty cluster could take is refused for ever") {
    const auto outcome = simulated(racks_of({2, 2}),
                                   "submit,name,pods,gpu,required,gang\n"
                                   "0,wide,4,8,,\n"
                                   "1,rack,3,8,rack,\n"
                                   "2,fat,1,9,,false\n");
    CHECK(outcome.report.refused == std::map<std::string, std::uint64_t>{{"Impossible", 2}});
    CHECK(outcome.report.arrived == 3);
    CHECK(outcome.report.placed == 1);
    CHECK(outcome.texts().back() == "2 refused fat-0 Impossible");
    CHECK(std::ranges::count(outcome.lines, PodEvent::Kind::refused, &Line::kind) == 4);
}

TEST_CASE("plain pods spread with LeastAllocated, and fill nodes with MostAllocated; ties go by name") {
    const std::string csv = "submit,name,pods,cpu,gang\n0,a,2,8000,false\n1,b,1,8000,false\n";
    CHECK(simulated(racks_of({2}), csv).nodes_of("a") == "r0-h0 r0-h1");
    CHECK(simulated(racks_of({2}), csv).nodes_of("b") == "r0-h0");
    const Options most{.scoring = StockScoring::most_allocated};
    CHECK(simulated(racks_of({2}), csv, most).nodes_of("a") == "r0-h0 r0-h0");
    CHECK(simulated(racks_of({2}), csv, most).nodes_of("b") == "r0-h0");
}

TEST_CASE("plain pods start one by one, and their job is placed with the last of them") {
    const auto outcome =
        simulated(racks_of({1}), "submit,duration,name,pods,gpu,gang\n0,10,a,1,4,\n0,20,b,2,4,false\n");
    CHECK(outcome.report.wait->max == 10);
    CHECK(outcome.report.finished == 2);
    CHECK(outcome.report.end == 30);
    CHECK(!gpus_of(outcome).while_gangs_wait);  // No gang waits, only a plain pod.
}

TEST_CASE("no pod has parts of two devices, and a share goes where least is left") {
    const auto outcome = simulated({host("n0", "r0", 2)},
                                   "submit,duration,name,pods,gpu,gpu-share,gang\n"
                                   "0,10,a,1,,600,false\n"
                                   "1,,b,1,,600,false\n"
                                   "2,,c,1,1,400,false\n"
                                   "3,,d,1,1,,false\n"
                                   "4,,e,1,,700,false\n");
    CHECK(outcome.texts() == Texts{"0 start a-0 n0 0", "1 start b-0 n0 1", "2 start c-0 n0 0", "10 end a-0 n0 0"});
    CHECK(outcome.report.waiting == 2);  // d needs a whole one, e 700 of one; 600 + 400 are free of two.
    CHECK(gpus_of(outcome).last == 0.5);
}

TEST_CASE("a gang of shares gets only nodes whose devices have them") {
    // 1200 thousandths are free, but only two shares of 500 beside two of 400.
    const auto outcome =
        simulated({host("n0", "r0", 2)}, "submit,duration,name,pods,gpu-share\n0,10,a,2,400\n1,5,g,3,500\n");
    CHECK(outcome.start_of("g") == 10);
    CHECK(outcome.report.blocked == 0);
}

TEST_CASE("a pod goes only to nodes with its model of GPU") {
    auto nodes = racks_of({2});
    nodes[1].labels["nvidia.com/gpu.product"] = "A100";
    const auto outcome = simulated(nodes, "submit,name,gpu,gpu-model,gang\n0,a,1,A100|H100,false\n1,b,1,H100,false\n");
    CHECK(outcome.nodes_of("a") == "r0-h1");
    CHECK(outcome.report.refused.at("Impossible") == 1);
}

TEST_CASE("a pod ends at its declared limit at the latest") {
    const auto outcome = simulated(racks_of({1}), "submit,duration,name,limit\n0,100,a,30\n0,20,b,30\n0,,c,30\n");
    CHECK(outcome.report.end == 30);
    CHECK(outcome.report.finished == 3);
}

TEST_CASE("what runs already takes its room for ever") {
    const auto outcome =
        simulated(cluster_of(racks_of({1}), {running_pod("p", "r0-h0", {{"nvidia.com/gpu", 6}, {"pods", 1}})}),
                  "submit,duration,name,gpu,gang\n0,10,a,2,false\n1,10,b,3,false\n");
    CHECK(outcome.texts()[0] == "0 start a-0 r0-h0 6|7");
    CHECK(outcome.report.waiting == 1);
    CHECK(gpus_of(outcome).last == 0.75);
}

TEST_CASE("the simulation ends with the last event, or at --until when something was still to come") {
    const std::string csv = "submit,duration,name,gpu\n0,10,a,8\n20,10,b,8\n";
    CHECK(simulated(racks_of({1}), csv).report.end == 30);
    CHECK(simulated(racks_of({1}), csv, {.until = 100}).report.end == 30);
    const auto cut = simulated(racks_of({1}), csv, {.until = 15});
    CHECK(cut.report.end == 15);
    CHECK(cut.report.arrived == 1);
    CHECK(gpus_of(cut).mean == doctest::Approx(10.0 / 15));
    const auto at_event = simulated(racks_of({1}), csv, {.until = 20});
    CHECK(at_event.report.arrived == 2);  // Events at the end itself happen.
    CHECK(at_event.report.placed == 2);
    CHECK(gpus_of(at_event).last == 1);
}

TEST_CASE("percentiles of waits are by nearest rank, and by the number of pods") {
    const auto outcome = simulated(racks_of({1}), "submit,duration,name,gpu\n0,1,a,8\n0,1,b,8\n0,1,c,8\n0,1,d,8\n");
    const auto& wait = *outcome.report.wait;  // 0, 1, 2, 3
    CHECK(wait.mean == 1.5);
    CHECK(wait.p50 == 1);
    CHECK(wait.p90 == 3);
    CHECK(wait.p99 == 3);
    CHECK(wait.max == 3);
    CHECK(outcome.report.by_pods[0].first == "1");
    CHECK(outcome.report.by_pods[0].second->max == 3);
    CHECK(!outcome.report.by_pods[1].second);
}

TEST_CASE("a domain is whole while no node of it runs a pod") {
    const auto outcome = simulated(racks_of({2, 3}), "submit,duration,name,gpu\n0,10,a,8\n10,10,t,0\n");
    std::map<std::string, DomainFigures> whole(outcome.report.whole_domains.begin(),
                                               outcome.report.whole_domains.end());
    std::map<std::string, DomainFigures> largest(outcome.report.largest_gang.begin(),
                                                 outcome.report.largest_gang.end());
    CHECK(outcome.nodes_of("a").starts_with("r0"));
    CHECK(whole.at("rack").mean == 1);
    CHECK(whole.at("rack").last == 2);
    CHECK(largest.at("rack").mean == 3);
    CHECK(whole.at("kubernetes.io/hostname").mean == 4);
    CHECK(largest.at("kubernetes.io/hostname").last == 1);
}

TEST_CASE("an unknown level is a fault of the trace, in the first line that names it") {
    const auto trace = read_trace("submit,name,required\n0,a,rack\n5,b,aisle\n1,c,aisle\n");
    REQUIRE(trace);
    const auto world = world_of(cluster_of(racks_of({1})), *trace);
    REQUIRE(!world);
    CHECK(world.error().line == 3);
    CHECK(world.error().what.find("aisle") != std::string::npos);
    const auto preferring = read_trace("submit,name,preferred\n0,a,aisle\n");
    REQUIRE(preferring);
    CHECK(!world_of(cluster_of(racks_of({1})), *preferring));
}
