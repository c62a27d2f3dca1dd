#pragma once

// How does a test run an engine? In a small world of nodes, pods, groups, an API server that carries out writes, and
// callbacks.
//
// Nothing runs by itself: `settle()` carries out actions and feeds results back until nothing is left to do;
// `advance()` lets time pass. Writes can be held back, failed or lost.

#include "engine/engine.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::engine::test {

inline constexpr const char* block_key = "example.com/block";
inline constexpr const char* rack_key = "example.com/rack";
inline constexpr const char* gpu = "nvidia.com/gpu";

struct GangSpec {
    std::string name;
    std::int64_t minimum = 1;
    std::string required = {};
    std::optional<std::int64_t> priority = {};
    std::int64_t created = 0;
};

class Rig {
public:
    explicit Rig(Options options = default_options());

    [[nodiscard]] static Options default_options();

    // --- The cluster. Each call is seen by the engine at once.
    void node(const std::string& name, const std::string& block, const std::string& rack, std::int64_t gpus = 8);
    // `racks` racks per block and `hosts` hosts per rack; rack names repeat in every block.
    void fabric(int blocks, int racks, int hosts);
    void change_node(const std::string& name, const std::function<void(model::Node&)>& change);
    void remove_node(const std::string& name);
    void gang(const GangSpec& spec);
    void change_gang(const std::string& name, const std::function<void(model::Group&)>& change);
    void remove_gang(const std::string& name);
    // Changes the gang only at the API server: the watch lags until the next `change_gang`.
    void change_gang_unseen(const std::string& name, const std::function<void(model::Group&)>& change) {
        change(groups_.at(name));
    }
    void show_gang(const std::string& name) {
        change_gang(name, [](const model::Group&) {});
    }
    void remove_gang_unseen(const std::string& name) { groups_.erase(name); }
    // A group that `gang` can't describe, such as a composite or a child; `name` is for `change_gang` and
    // `remove_gang`.
    void add_group(const std::string& name, const model::Group& group);
    // A whole-host pod of a gang; an empty gang: of none.
    void pod(const std::string& name, const std::string& gang, bool gated = true, std::int64_t gpus = 8);
    void pods(const std::string& gang, int first, int last, bool gated = true);  // gang-FIRST .. gang-(LAST-1).
    void change_pod(const std::string& name, const std::function<void(model::Pod&)>& change);
    void label_pod(const std::string& name, const model::Labels& labels);
    void remove_pod(const std::string& name);
    void finish_evicted();  // kubelets have ended what was evicted.
    // Deletes the pod without an event for the engine, as while echelon is down.
    void forget_silently(const std::string& name) { pods_.erase(name); }
    void synced();

    // --- kube-scheduler.

    // filter, answered from the published state as the server would; returns the answer for the pod.
    struct FilterAnswer {
        std::string node;  // Pinned there.
        std::string text;  // Refused.
        bool passed = false;
    };
    FilterAnswer filter(const std::string& pod, const std::vector<std::string>& offered = {});
    std::set<std::string> exempt;  // Plain pods that may use promised room, as the server would find.
    std::uint64_t bind(const std::string& pod, const std::string& node);
    // Members gang-FIRST .. gang-(LAST-1) come to the barrier: filter, then bind where pinned. Doesn't settle. Returns
    // the calls.
    std::vector<std::uint64_t> arrive(const std::string& gang, int first, int last);
    void hang_up(std::uint64_t call) { step(CallerGone{call}); }
    // One attempt of kube-scheduler for every pod without node and gate: filter, then bind where it was pinned.
    void schedule_all();
    [[nodiscard]] const AnswerBind* answer(std::uint64_t call) const;

    // --- Time and the API server.
    void settle();          // Carries out everything that is due now.
    void advance(Time by);  // Lets time pass, tick by tick, and settles.
    void step(const Input& input);
    void end_search();      // The first of `searches`.
    void live(int rounds);  // `rounds` attempts of kube-scheduler, a second apart.
    // Decides the fate of a write; nullopt: carry it out. Set before the write is asked for.
    std::function<std::optional<model::Outcome>(const model::Write&)> fate;
    // Writes with late outcomes: they come, in order, with the first `settle` after this is empty again.
    std::function<bool(const model::Write&)> is_late;
    bool holds_back_writes = false;  // Writes stay in `pending` until `settle` after it is false again.

    // --- What is there.
    [[nodiscard]] std::map<std::string, std::string> bound() const;               // Pod -> node, of the API server.
    [[nodiscard]] std::set<std::string> racks_of(const std::string& gang) const;  // "block/rack" of each bound pod.
    [[nodiscard]] int gated(const std::string& gang) const;
    [[nodiscard]] const model::PlanRecord* record(const std::string& gang) const;
    [[nodiscard]] const model::Pod& pod_of(const std::string& name) const { return pods_.at(name); }
    // A new engine over the same API server, as after kill -9.
    void restart();
    void restart_before_sync();  // The same until `synced()`.

    Engine engine;
    Time now{1000};
    std::vector<std::string> log;     // One line per action, for comparing runs.
    std::vector<std::string> writes;  // Kinds of writes in order: "nominate a", "ungate a", "record Held", "bind a n1".
    std::vector<Note> notes;
    std::vector<model::EmitGangEvent> events;  // In order.
    std::vector<model::WritePlacementScore> scores;
    std::vector<model::WriteGroupCondition> conditions;
    std::deque<StartSearch> searches;  // Long searches under way; see `end_search`.
    std::vector<std::string> evicted;  // Pods, in order. They stay until `finish_evicted` or `remove_pod`.

private:
    void take(const Action& action);
    model::Outcome carry_out(const model::Write& write);
    model::Outcome keep(const model::WriteGroupCondition& write);
    void show(const model::Pod& pod);

    Options options_;
    std::map<std::string, model::Node> nodes_;
    std::map<std::string, model::Group> groups_;
    std::map<std::string, model::Pod> pods_;
    std::map<std::string, model::Labels> labels_;  // Of pods.
    std::map<std::string, model::PlanRecord> records_;
    std::map<std::string, std::string> record_uids_;
    std::deque<StartWrite> pending_;
    std::deque<StartWrite> late_;
    std::map<std::uint64_t, AnswerBind> answers_;
    std::uint64_t last_call_ = 0;
    std::uint64_t last_uid_ = 0;
    std::uint64_t last_plan_uid_ = 0;
};

// Gang "train": 16 whole-host pods, rack required, on 2 x 2 racks of 16.
void gang_of_16(Rig& rig, bool gated = true);

// A composite of several groups, for `Rig::add_group`.
[[nodiscard]] model::Group composite(const std::string& name, std::int64_t minimum);
// Adds the composite, and below it groups of `size` whole-host pods each.
void add_parts(Rig& rig, const model::Group& root, const std::vector<std::string>& names, int size,
               const std::string& required = "");
// A gang of which `first` members must exist before the others are created.
void late_gang(Rig& rig, const GangSpec& spec, std::int64_t first = 1);
// The API server answers each binding of the pod like this, until `Rig::fate` is empty again.
void answer_bindings(Rig& rig, const std::string& pod, model::Outcome::Kind kind);

// How many lines of a log begin like this, and the index of the first (the size if there is none).
[[nodiscard]] int count_of(const std::vector<std::string>& lines, const std::string& start);
[[nodiscard]] std::size_t first_of(const std::vector<std::string>& lines, const std::string& start);

}  // namespace echelon::engine::test
