#include "unit-tests/simulate/small_worlds.hpp"

using namespace echelon;
using namespace echelon::simulate;
using namespace echelon::simulate::testing;

namespace {

const Options packing{.packs = true};

// Four plain pods, then a gang of a whole rack.
const std::string pods_and_gang =
    "submit,duration,name,pods,gpu,cpu,required,gang\n"
    "0,,a,1,1,4000,,false\n"
    "1,,b,1,1,4000,,false\n"
    "2,,c,1,1,4000,,false\n"
    "3,,d,1,1,4000,,false\n"
    "4,,g,2,8,1000,rack,true\n";

}  // namespace

TEST_CASE("with scores plain pods fill used racks, and a gang of a whole rack fits afterwards (SC3)") {
    const auto packed = simulated(racks_of({2, 2}), pods_and_gang, packing);
    CHECK(packed.start_of("g") == 4);
    for (const auto* name : {"b", "c", "d"})
        CHECK(packed.nodes_of(name) == packed.nodes_of("a"));
    const auto spread = simulated(racks_of({2, 2}), pods_and_gang);
    CHECK(spread.start_of("g") == -1);
}

TEST_CASE("with scores whole racks of every family of labels stay whole (SC3)") {
    auto nodes = racks_of({2, 1});
    for (const char* name : {"a0", "a1", "z0"}) {
        auto& node = nodes.emplace_back(host(name, ""));
        node.labels = {{"cloud.google.com/gce-topology-block", "gb"},
                       {"cloud.google.com/gce-topology-subblock", std::string(name, 1)},
                       {"kubernetes.io/hostname", name}};
    }
    const auto outcome = simulated(nodes,
                                   "submit,name,gpu,gang\n"
                                   "0,first,8,false\n"
                                   "1,second,8,false\n"
                                   "2,third,8,false\n"
                                   "3,fourth,8,false\n"
                                   "4,fifth,8,false\n",
                                   packing);
    CHECK(outcome.nodes_of("first") == "r0-h0");
    CHECK(outcome.nodes_of("second") == "r0-h1");
    CHECK(outcome.nodes_of("third") == "r1-h0");
    CHECK(outcome.nodes_of("fourth") == "a0");
    CHECK(outcome.nodes_of("fifth") == "a1");
}

TEST_CASE("a pod that asks for no GPU goes where least of them is free (SC3)") {
    const auto outcome = simulated(racks_of({2}),
                                   "submit,name,gpu,cpu,gang\n"
                                   "0,a,6,1000,false\n"
                                   "1,b,,1000,false\n",
                                   packing);
    CHECK(outcome.nodes_of("b") == outcome.nodes_of("a"));
}

TEST_CASE("without devices cpu is what is scarce (SC4)") {
    auto nodes = racks_of({1, 1});
    for (auto& node : nodes)
        node.allocatable = {{"cpu", 8000}, {"memory", 1 << 30}, {"pods", 110}};
    const auto outcome = simulated(nodes, "submit,name,cpu,gang\n0,a,2000,false\n1,b,2000,false\n", packing);
    CHECK(outcome.nodes_of("b") == outcome.nodes_of("a"));
}

TEST_CASE("a resource counted in bytes is an amount, and devices are scarce beside it (SC4)") {
    auto nodes = racks_of({3});
    for (auto& node : nodes)
        node.allocatable.set("kubernetes.io/batch-memory", 8000);
    const auto outcome = simulated(nodes,
                                   "submit,name,gpu,gpu-resource,gpu-share,gang\n"
                                   "0,a,5,,,false\n"
                                   "1,b,5000,kubernetes.io/batch-memory,,false\n"
                                   "2,c,5000,kubernetes.io/batch-memory,,false\n"
                                   "3,d,3,,,false\n"
                                   "4,e,5000,kubernetes.io/batch-memory,,false\n"
                                   "5,f,5000,kubernetes.io/batch-memory,,false\n"
                                   "5,g,,kubernetes.io/batch-memory,500,false\n",
                                   packing);
    for (const auto* name : {"a", "b", "d"})
        CHECK(outcome.nodes_of(name) == "r0-h0");
    CHECK(outcome.nodes_of("c") == "r0-h1");
    CHECK(outcome.nodes_of("e") == "r0-h2");
    for (const auto* name : {"f", "g"})
        CHECK(outcome.start_of(name) == -1);
}

TEST_CASE("scores know only what has come: a cut of the trace changes nothing before") {
    std::string csv = "submit,name,gpu,gpu-share,cpu,gang\n";
    std::vector<std::string> rows;
    for (int i = 0; i < 120; ++i) {
        rows.push_back(fmt::format("{},p{},{},{},{},false\n", i, i, i % 3 == 0 ? "2" : "", i % 3 == 0 ? "" : "300",
                                   1000 * (i % 5)));
    }
    std::string half = csv;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        csv += rows[i];
        if (i < 60)
            half += rows[i];
    }
    auto whole_lines = simulated(racks_of({3, 3}), csv, packing).texts();
    const auto half_lines = simulated(racks_of({3, 3}), half, packing).texts();
    whole_lines.resize(half_lines.size());
    CHECK(whole_lines == half_lines);
}
