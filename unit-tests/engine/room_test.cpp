// Room is taken from a snapshot by transactions: after planning it differs from before by what the reservations differ.

#include "engine/plan/gang_planner.hpp"
#include "engine/publish/state_publisher.hpp"
#include "engine/records/event_reporter.hpp"
#include "engine/reserve/taken_room.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

// Random numbers, the same for the same seed.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
    bool one_in(std::uint32_t sides) { return below(sides) == 0; }

private:
    std::mt19937 engine_;
};

constexpr const char* rack_key = "example.com/rack";
constexpr const char* gpu = "nvidia.com/gpu";
constexpr std::uint32_t node_count = 6;
constexpr std::uint32_t gang_count = 4;
constexpr std::uint32_t most_members = 6;

Options one_profile() {
    Options options;
    options.profiles["default-scheduler"] = {};
    return options;
}

// A planner with all that it needs, and a cluster that the test changes.
struct World {
    Facts facts{.options = one_profile(),
                .cluster = model::Cluster(model::Profiles{{"default-scheduler", {}}}, model::Limits{}),
                .unsynced = {}};
    Gangs gangs;
    Outbox outbox{facts.options.limits.message_bytes};
    Figures figures{outbox};
    StatePublisher publisher;
    Wakeups wakeups;
    FilterHistory filtered;
    Ledger ledger;
    DomainReservations reservations;
    RefusedNodes refused;
    NodeRoom room{facts, ledger};
    StepWork work{facts, ledger};
    PlanQueue queue{facts, gangs, wakeups, work};
    Seating seating{facts, outbox, figures, ledger, queue, wakeups, filtered};
    EventReporter event_reporter{facts, outbox};
    PlanRecords records{facts, gangs, outbox, figures, publisher, event_reporter, room, reservations, seating, wakeups};
    TreeChecker checker{facts, outbox};
    Releaser releaser{facts, outbox, figures};
    PlainBinds plain{facts, outbox, ledger, queue};
    Committer committer{facts, outbox, figures, seating, queue, records, checker};
    Barrier barrier{facts, gangs, outbox, figures, seating, queue, records, committer, wakeups};
    Placeholders placeholders{facts, outbox, figures, ledger, seating, queue, records, checker};
    Starvation starvation{facts, outbox, reservations, queue, records, work};
    GroupConditions conditions{facts, outbox};
    TreeRefresher tree{facts, seating, queue, checker, releaser, plain, conditions, ledger};
    LongSearches long_searches{facts, outbox, queue, work};
    PlanSearch search{facts, refused, long_searches, work};
    YieldingSeats extras{gangs, ledger, seating, queue, work};
    Clearings clearings{{facts, gangs, outbox, figures, ledger, queue, seating, records, event_reporter}};
    Preemptor preemptor{facts, gangs, ledger, refused, clearings, extras, work};
    PlanOutcome outcome{
        {facts, outbox, figures, queue, seating, records, checker, committer, placeholders, starvation, clearings}};
    GangPlanner planner{{facts, figures, ledger, reservations, room, refused, queue, work, seating, placeholders,
                         barrier, tree, search, long_searches, extras, clearings, preemptor, outcome}};

    void topology() {
        model::Topology topology;
        topology.name = "fabric";
        topology.source = model::TopologySource::configuration;
        topology.levels = {rack_key, "kubernetes.io/hostname"};
        static_cast<void>(facts.cluster.apply(model::TopologySeen{topology}));
    }
    void node(std::uint32_t number, std::int64_t gpus) {
        model::Node node;
        node.name = fmt::format("n{}", number);
        node.uid = "node-" + node.name;
        node.labels = {{rack_key, fmt::format("r{}", number / 3)}, {"kubernetes.io/hostname", node.name}};
        node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {gpu, gpus}};
        static_cast<void>(facts.cluster.apply(model::NodeSeen{node}));
    }
    void group(std::uint32_t number, std::int64_t minimum, std::int64_t expected) {
        model::Group group;
        group.key = root_of(number);
        group.minimum = minimum;
        group.expected = expected;
        group.start_set = minimum;
        static_cast<void>(facts.cluster.apply(model::GroupSeen{group}));
    }
    void pod(std::uint32_t gang, std::uint32_t number, const std::string& node, std::int64_t gpus) {
        model::Pod pod;
        pod.uid = fmt::format("u{}-{}", gang, number);
        pod.ns = "default";
        pod.name = pod.uid;
        pod.scheduler_name = "default-scheduler";
        pod.pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {gpu, gpus}};
        pod.node = node;
        pod.membership = model::Membership{root_of(gang), {}, -1, ""};
        static_cast<void>(facts.cluster.apply(model::PodSeen{pod}));
    }
    static model::GroupKey root_of(std::uint32_t gang) { return {"podgroup", fmt::format("default/g{}", gang)}; }
};

void change_facts(World& world, Dice& random) {
    const auto gang = random.below(gang_count);
    const auto member = random.below(most_members);
    switch (random.below(5)) {
        case 0:
            return world.node(random.below(node_count), static_cast<std::int64_t>(random.below(9)));
        case 1:
            return world.group(gang, 1 + random.below(4), 1 + random.below(6));
        case 2:
            static_cast<void>(world.facts.cluster.apply(model::PodGone{fmt::format("u{}-{}", gang, member)}));
            return;
        case 3:
            static_cast<void>(world.reservations.drop(World::root_of(gang)));
            if (random.one_in(2)) {
                world.reservations.put(World::root_of(gang),
                                       {{"fabric", rack_key, fmt::format("r{}", random.below(2))}, Time{1'000'000}});
            }
            return;
        default:
            return world.pod(gang, member, "", static_cast<std::int64_t>(1 + random.below(4)));
    }
}

// Calls come, bindings get under way.
void change_seats(GangState& gang, Dice& random) {
    std::vector<std::string> uids;
    for (const auto& [uid, seat] : gang.roster.seats())
        uids.push_back(uid);
    for (const auto& uid : uids) {
        if (random.one_in(4)) {
            gang.roster.change(
                uid, [&](SeatState& seat) { seat.binding = static_cast<SeatState::Binding>(random.below(3)); });
        }
    }
}

TEST_CASE("after planning a snapshot differs from before by what the reservations differ, and by nothing else") {
    std::size_t held = 0;
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Dice random(seed);
        World world;
        world.topology();
        for (std::uint32_t n = 0; n < node_count; ++n)
            world.node(n, 8);
        for (std::uint32_t g = 0; g < gang_count; ++g) {
            world.group(g, 2, 3);
            for (std::uint32_t m = 0; m < 3; ++m)
                world.pod(g, m, "", 4);
            world.gangs.add(World::root_of(g), Time{0});
        }
        for (int round = 0; round < 25; ++round) {
            CAPTURE(round);
            for (int change = 0; change < 4; ++change)
                change_facts(world, random);
            auto snapshot = world.room.snapshot();
            for (auto& [root, gang] : world.gangs.all()) {
                if (!world.facts.cluster.has_root(root))
                    continue;
                world.planner.plan(gang, world.planner.build(gang, snapshot), snapshot);
                const auto fresh = world.room.snapshot();
                REQUIRE(snapshot.room == fresh.room);
                REQUIRE(snapshot.eligible == fresh.eligible);
                held += gang.roster.seats().size();
                change_seats(gang, random);
            }
        }
    }
    CHECK(held > 1000);
}

TEST_CASE("room that was taken for a while is given back when its holder goes, once") {
    World world;
    world.topology();
    world.node(0, 8);
    world.group(0, 1, 1);
    world.pod(0, 0, "", 4);
    auto snapshot = world.room.snapshot();
    const auto before = snapshot.room;
    {
        TakenRoom room(snapshot);
        room.take(0, 0);
        CHECK(snapshot.room != before);
        room.take(0, 0);
        room.undo();
        room.take(0, std::size_t{0}, 5);
        auto moved = std::move(room);
        CHECK(snapshot.room != before);
    }
    CHECK(snapshot.room == before);
}

}  // namespace
}  // namespace echelon::engine
