// Large gangs that wait get a promised start, and nothing that starts meanwhile delays it (Q5 to Q7, Q15, Q17).

#include "unit-tests/simulate/small_worlds.hpp"

#include <functional>
#include <random>
#include <set>

using namespace echelon;
using namespace echelon::simulate;
using namespace echelon::simulate::testing;

namespace {

struct Made {
    std::string job;
    Promise promise;
    std::size_t lines = 0;  // That were written before.
    double now = 0;
};

struct Run {
    std::vector<Job> jobs;
    std::vector<Made> made;  // In order.
    std::vector<Line> lines;

    [[nodiscard]] double start_of(const std::string& job) const { return Outcome{{}, lines}.start_of(job); }
    [[nodiscard]] std::vector<double> promised_to(const std::string& job) const {
        std::vector<double> starts;
        for (const auto& each : made) {
            if (each.job == job)
                starts.push_back(each.promise.start);
        }
        return starts;
    }
};

Run run_of(const std::vector<model::Node>& nodes, const std::string& csv, double claim_after = 10) {
    Run run;
    run.jobs = read_trace(csv)->jobs;
    const auto trace = read_trace(csv);
    const auto world = world_of(cluster_of(nodes), *trace);
    REQUIRE(world);
    Options options{.claim_after = claim_after};
    options.on_promise = [&](std::uint32_t job, const Promise& promise, double now) {
        run.made.push_back({.job = trace->jobs[job].name, .promise = promise, .lines = run.lines.size(), .now = now});
    };
    static_cast<void>(simulate::simulate(*world, *trace, options, [&](const PodEvent& event) {
        run.lines.push_back({.kind = event.kind,
                             .time = event.time,
                             .pod = fmt::format("{}-{}", event.job, event.pod),
                             .node = std::string(event.node),
                             .devices = {}});
    }));
    return run;
}

const std::string header = "submit,duration,limit,name,pods,gpu,required,priority\n";

// One rack of three hosts. "a" and "b" run until 100 and 60, "large" waits for all three from 1 on.
std::string large_waits(const std::string& others) {
    return header + "0,100,100,a,1,8,,\n0,60,60,b,1,8,,\n1,50,50,large,3,8,rack,\n" + others;
}

}  // namespace

TEST_CASE("a gang that has waited gets a promised start: when the last pod in its way ends (Q17)") {
    const auto run = run_of(racks_of({3}), large_waits("12,5,5,tick,1,1,,\n"));
    CHECK(run.promised_to("large") == std::vector<double>{100});
    CHECK(run.start_of("large") == 100);
}

TEST_CASE("a job passes a promise only if it ends before (Q6)") {
    const auto run = run_of(racks_of({3}), large_waits("20,80,80,short,1,8,,\n21,79.5,79.5,long,1,8,,\n"));
    CHECK(run.start_of("short") == 20);
    CHECK(run.start_of("large") == 100);
    CHECK(run.start_of("long") == 150);
}

TEST_CASE("only what a job declares counts as its end, never how long it runs (Q17)") {
    // "quiet" would end in time, but doesn't say so; without a claim it would start at once.
    const auto rows = large_waits("20,10,,quiet,1,8,,\n");
    CHECK(run_of(racks_of({3}), rows).start_of("quiet") == 150);
    CHECK(run_of(racks_of({3}), rows, 0).start_of("quiet") == 20);
}

TEST_CASE("while a pod without a declared end is in the way nothing is promised (Q17)") {
    const auto run = run_of(racks_of({3}), header + "0,100,,a,1,8,,\n1,50,50,large,3,8,rack,\n20,200,200,x,1,8,,\n");
    CHECK(run.start_of("x") == 20);
    REQUIRE(run.made.size() == 1);
    CHECK(run.made.front().now == 100);  // When "a" has ended.
    CHECK(run.made.front().promise.start == 220);
}

TEST_CASE("a pod that ends sooner than declared brings the promised start forward (Q17)") {
    // "a" ends at 30 instead of 100: from then on only "b" is in the way, and "c" would end too late.
    const auto run = run_of(racks_of({3}), header +
                                               "0,30,100,a,1,8,,\n0,60,60,b,1,8,,\n1,50,50,large,3,8,rack,\n"
                                               "15,1,1,tick,1,8,,\n31,40,40,c,1,8,,\n");
    CHECK(run.promised_to("large") == std::vector<double>{100, 60});
    CHECK(run.start_of("large") == 60);
    CHECK(run.start_of("c") == 110);
}

TEST_CASE("a job of higher priority passes a promise (Q15)") {
    const auto run = run_of(racks_of({3}), large_waits("20,500,500,urgent,1,8,,5\n25,1,1,tick,1,1,,\n"));
    CHECK(run.start_of("urgent") == 20);
    CHECK(run.promised_to("large") == std::vector<double>{100, 520});
    CHECK(run.start_of("large") == 520);
}

TEST_CASE("a gang of at most a hundredth of the nodes gets no promise") {
    const auto rows = header + "0,100,100,a,1,60,,\n1,50,50,small,1,64,,\n20,1,1,tick,1,1,,\n";
    for (const int others : {98, 99}) {
        auto nodes = racks_of({others});
        nodes.push_back(host("big", "r9", 64));
        CHECK(run_of(nodes, rows).made.size() == (others == 98 ? 1 : 0));
    }
}

namespace {

constexpr double endless = 1e9;

// Then jobs of higher priority may break promises.
bool has_priorities(std::uint32_t seed) {
    return seed % 5 == 0;
}

// Whole hosts in racks, and jobs of some of them. Most declare exactly when they end.
std::string random_rows(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto upto = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
    std::string rows = header;
    for (int i = 0; i < 25; ++i) {
        const auto duration = 1 + upto(40);
        const auto limit = upto(9) == 0 ? "" : fmt::format("{}", duration + (seed % 2 == 0 ? 0 : upto(10)));
        rows += fmt::format("{},{},{},j{},{},8,{},{}\n", upto(100), duration, limit, i, 1 + upto(3),
                            upto(1) == 0 ? "rack" : "", has_priorities(seed) ? upto(1) : 0);
    }
    return rows;
}

// What runs, and what is reserved, after some of the lines.
struct Moment {
    std::map<std::string, double> ends;                    // Host -> the declared end of what runs there.
    std::map<std::string, std::vector<model::NodeId>> of;  // Gang -> nodes that are reserved for it.
    std::map<std::string, double> promised;                // Gang -> start.
    std::set<std::string> started;
};

Moment moment_after(const Run& run, std::size_t lines, std::size_t made) {
    Moment moment;
    const auto job_of = [&](const std::string& pod) -> const Job& {
        return *std::ranges::find(run.jobs, pod.substr(0, pod.find('-')), &Job::name);
    };
    for (std::size_t i = 0; i < made; ++i) {
        const auto& each = run.made[i];
        moment.of[each.job] = each.promise.nodes;
        moment.promised[each.job] = each.promise.start;
    }
    for (std::size_t i = 0; i < lines; ++i) {
        const auto& line = run.lines[i];
        const auto& job = job_of(line.pod);
        if (line.kind == PodEvent::Kind::start) {
            moment.ends[line.node] = job.limit ? line.time + *job.limit : endless;
            moment.started.insert(job.name);
            moment.of.erase(job.name);
        } else if (line.kind == PodEvent::Kind::end) {
            moment.ends.erase(line.node);
        }
    }
    return moment;
}

// Judges a run by counting hosts: every pod takes one.
class Judge {
public:
    Judge(const std::vector<model::Node>& nodes, const Run& run, const std::vector<LevelRequest>& levels)
        : nodes_(nodes), run_(run), levels_(levels) {}

    // The promise was kept, and no sooner one was possible.
    void check_promise(std::size_t made) const {
        const auto& [name, promise, lines, now] = run_.made[made];
        CAPTURE(name);
        CHECK(run_.start_of(name) <= promise.start);
        const auto before = moment_after(run_, lines, made);
        const auto& job = job_named(name);
        const auto fits_at = [&](double time) {
            return suffice(job, [&](const std::string& host) {
                const auto end = before.ends.find(host);
                return (end == before.ends.end() || end->second <= time) &&
                       !is_reserved(before, job, host, endless, -1);
            });
        };
        if (fits_at(0)) {
            CHECK(run_.start_of(name) == promise.start);
            return;
        }
        CHECK(fits_at(promise.start));
        for (const auto& [host, end] : before.ends)
            CHECK((end >= promise.start || !fits_at(end)));
    }

    // After these lines no job waits that could start without delaying a promise.
    void check_waiting(std::size_t lines) const {
        const auto now = run_.lines[lines - 1].time;
        const auto made = std::ranges::count_if(run_.made, [&](const Made& each) { return each.now <= now; });
        const auto moment = moment_after(run_, lines, static_cast<std::size_t>(made));
        for (const auto& job : run_.jobs) {
            if (job.submit > now || moment.started.contains(job.name) || run_.start_of(job.name) < 0)
                continue;
            CAPTURE(job.name);
            CAPTURE(now);
            const auto until = job.limit ? now + *job.limit : endless;
            CHECK(!suffice(job, [&](const std::string& host) {
                return !moment.ends.contains(host) && !is_reserved(moment, job, host, until, job.priority);
            }));
        }
    }

private:
    [[nodiscard]] const Job& job_named(const std::string& name) const {
        return *std::ranges::find(run_.jobs, name, &Job::name);
    }
    // For another gang of at least this priority, from before this time on.
    [[nodiscard]] bool is_reserved(const Moment& moment, const Job& job, const std::string& host, double until,
                                   std::int64_t priority) const {
        return std::ranges::any_of(moment.of, [&](const auto& entry) {
            const auto is_host = [&](model::NodeId node) { return nodes_[node].name == host; };
            return entry.first != job.name && moment.promised.at(entry.first) < until &&
                   priority <= job_named(entry.first).priority && std::ranges::any_of(entry.second, is_host);
        });
    }
    // Enough of these hosts are in one rack, or anywhere if the job needs none.
    [[nodiscard]] bool suffice(const Job& job, const std::function<bool(const std::string& host)>& may_use) const {
        const bool needs_rack = !levels_[job.levels].required.empty();
        std::map<std::string, std::uint32_t> in_rack;
        for (const auto& node : nodes_) {
            if (may_use(node.name))
                ++in_rack[needs_rack ? node.labels.at("rack") : ""];
        }
        return std::ranges::any_of(in_rack, [&](const auto& entry) { return entry.second >= job.pods; });
    }

    const std::vector<model::Node>& nodes_;  // [node]
    const Run& run_;
    const std::vector<LevelRequest>& levels_;
};

}  // namespace

TEST_CASE("no promised start is missed, each is the earliest possible, and no job waits that may start (Q17)") {
    const auto nodes = racks_of({3, 2, 1});
    std::size_t promises = 0;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        const auto rows = random_rows(seed);
        const auto levels = read_trace(rows)->levels;
        const auto run = run_of(nodes, rows);
        const Judge judge(nodes, run, levels);
        promises += has_priorities(seed) ? 0 : run.made.size();
        for (std::size_t made = 0; made < run.made.size() && !has_priorities(seed); ++made)
            judge.check_promise(made);
        for (std::size_t lines = 1; lines <= run.lines.size(); ++lines) {
            if (lines == run.lines.size() || run.lines[lines].time != run.lines[lines - 1].time)
                judge.check_waiting(lines);
        }
    }
    CHECK(promises > 100);
}
