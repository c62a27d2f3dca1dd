#include "simulate/gang_placer.hpp"

#include "solver/violations.hpp"
#include "unit-tests/simulate/small_worlds.hpp"

#include <random>
#include <variant>

using namespace echelon;
using namespace echelon::simulate;
using namespace echelon::simulate::testing;

TEST_CASE("counted seats and the solver agree on whether a gang fits, and every plan passes the referee") {
    std::mt19937 random(7);
    const auto upto = [&](std::uint32_t most) { return static_cast<int>(random() % (most + 1)); };
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        const auto nodes = racks_of({1 + upto(3), 1 + upto(3), 1 + upto(3)});
        std::vector<model::Pod> pods;
        for (const auto& node : nodes) {
            if (const auto gpus = upto(8); gpus > 0)
                pods.push_back(running_pod("on-" + node.name, node.name, {{"nvidia.com/gpu", gpus}, {"pods", 1}}));
        }
        const bool is_share = upto(2) == 0;
        const auto trace =
            read_trace(fmt::format("submit,pods,gpu,gpu-share,required\n0,{},{},{},{}\n", 1 + upto(12),
                                   is_share ? "" : std::to_string(1 + upto(7)),
                                   is_share ? std::to_string(200 + upto(800)) : "", upto(1) == 0 ? "rack" : ""));
        REQUIRE(trace);
        const auto world = world_of(cluster_of(nodes, pods), *trace);
        REQUIRE(world);
        Machines machines(*world, *trace);
        const JobClass gang{.request = 0, .levels = 0, .pods = trace->jobs[0].pods, .is_gang = true};
        SeatCounts seats(machines.demand(0));
        seats.update(machines);
        const auto& view = machines.solver_view(machines.demand(0));
        const auto built = gang_of(gang, *world);
        const auto answer = solver::solve(view, built);
        const auto* plan = std::get_if<solver::Plan>(&answer);
        if (plan != nullptr)
            CHECK(solver::violations(view, built, *plan).empty());
        CHECK(GangPlacer(*world, {}, {}).place(gang, machines, seats).has_value() == (plan != nullptr));
    }
}
