#include "kube/write/writer.hpp"

#include "base/time_text.hpp"
#include "kube/write/plan_order.hpp"
#include "kube/write/plan_recorder.hpp"
#include "kube/write/write_lane.hpp"
#include "kube/write/write_request.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <utility>

namespace echelon::kube {

namespace {

constexpr double binds_per_second = 2000;
constexpr double bind_burst = 2000;

std::string now_as_text() {
    return base::time_text(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

// "namespace/name" of the GangPlan that the write changes; empty: none.
std::string plan_of(const model::Write& write) {
    if (const auto* record = std::get_if<model::ApplyPlan>(&write))
        return record->record.ns + "/" + record->record.name;
    if (const auto* deletion = std::get_if<model::DeletePlan>(&write))
        return deletion->ns + "/" + deletion->name;
    return {};
}

bool is_read(const model::Write& write) {
    return std::holds_alternative<model::ReadPod>(write) || std::holds_alternative<model::ReadGroup>(write);
}

// The outcome of a write that was never sent.
model::Outcome not_sent(model::Outcome::Kind kind, std::string sentence) {
    model::Outcome outcome;
    outcome.kind = kind;
    outcome.sentence = std::move(sentence);
    return outcome;
}

std::string namespace_of(const model::Write& write) {
    return std::visit(
        [](const auto& each) -> std::string {
            if constexpr (requires { each.pod; }) {
                return each.pod.ns;
            } else if constexpr (requires { each.record; }) {
                return each.record.ns;
            } else {
                return each.ns;
            }
        },
        write);
}

// What the start of a gang waits for goes ahead of what only reports. Gates go first: kube-scheduler takes one pod at a
// time, and has work while others are nominated. Evictions and commit records wait for the record before them.
std::size_t rank_of(const model::Write& write) {
    if (std::holds_alternative<model::UngatePod>(write))
        return 0;
    const auto* record = std::get_if<model::ApplyPlan>(&write);
    const bool is_awaited =
        std::holds_alternative<model::NominatePod>(write) || std::holds_alternative<model::KickPod>(write) ||
        std::holds_alternative<model::EvictPod>(write) ||
        (record != nullptr &&
         (record->record.phase == model::Phase::clearing || record->record.phase == model::Phase::held));
    return is_awaited ? 1 : 2;
}

WriteLane::Job job_of(std::uint64_t id, model::Write write, std::shared_ptr<const Lead> lead) {
    const int tokens = std::holds_alternative<model::ApplyPlan>(write) ? 2 : 1;
    WriteLane::Job job{.id = id, .write = std::move(write), .tokens = tokens};
    job.plan = plan_of(job.write);
    job.rank = rank_of(job.write);
    job.ns = namespace_of(job.write);
    if (!is_read(job.write))
        job.lead = std::move(lead);
    return job;
}

}  // namespace

struct Writer::State {
    State(const std::shared_ptr<Credentials>& credentials, const WriterOptions& options, Done report,
          WriteFigures::Warn warn)
        : done(std::move(report)),
          reporter(options.reporter),
          most_events_waiting(options.most_events_waiting),
          writes(std::move(warn)),
          binds(credentials, options.bind_connections, TokenBucket(binds_per_second, bind_burst), begin(), perform()),
          others(credentials, options.other_connections, TokenBucket(options.qps, options.burst), begin(), perform()),
          events(credentials, 1, TokenBucket(options.events_per_second, options.event_burst), begin(), perform()) {}

    ~State() {
        for (WriteLane* lane : {&binds, &others, &events})
            lane->close();
        // All lanes close first: a job that ends in one lane may start a job in another one (`PlanOrder`).
        for (WriteLane* lane : {&binds, &others, &events})
            lane->join();
    }

    WriteLane::Begin begin() {
        return [this](WriteLane::Job& job) {
            if (job.plan.empty())
                return true;
            auto newest = order.begin(job.plan);
            if (newest)
                job = std::move(*newest);
            return newest.has_value();
        };
    }

    WriteLane::Perform perform() {
        return [this](HttpClient& client, const WriteLane::Job& job) {
            done(job.id, job.is_over() ? not_sent(model::Outcome::Kind::rejected,
                                                  action_of(job.write) + ": not sent, this echelon no longer leads")
                                       : carried_out(client, job));
            if (!job.plan.empty())
                order.ended(job.plan);
        };
    }

    model::Outcome carried_out(HttpClient& client, const WriteLane::Job& job) {
        const auto kind = kind_of(job.write);
        if (!kind)
            return read(client, job.write);
        auto outcome = written(client, job, *kind);
        if (outcome.kind == model::Outcome::Kind::unknown)
            writes.failed(*kind, outcome.sentence, std::chrono::steady_clock::now());
        return outcome;
    }

    static model::Outcome read(HttpClient& client, const model::Write& write) {
        if (const auto* pod = std::get_if<model::ReadPod>(&write))
            return outcome_of_read(*pod, client.send(request_of(*pod)));
        const auto& group = std::get<model::ReadGroup>(write);
        return outcome_of_read(group, client.send(request_of(group)));
    }

    // Requires: a write of this kind.
    model::Outcome written(HttpClient& client, const WriteLane::Job& job, WriteKind kind) {
        const auto sent = [&](const HttpRequest& request) { return writes.counted(kind, client.send(request)); };
        return std::visit(
            Overloaded{
                [&](const model::ApplyPlan& write) { return recorder.record(client, write, now_as_text(), job.lead); },
                [&](const model::DeletePlan& write) { return recorder.remove(client, write); },
                [&](const model::BindPod& write) { return bind(client, write); },
                [&](const model::EvictPod& write) { return outcome_of_eviction(write, sent(request_of(write))); },
                [&](const model::WriteGroupCondition& write) {
                    return outcome_of(action_of(write), sent(request_of(write, now_as_text())));
                },
                [&](const model::EmitGangEvent& write) {
                    const auto uid = recorder.uid_of(write.ns, write.plan);
                    const auto now = base::time_text_with_microseconds(std::chrono::system_clock::now());
                    return outcome_of(action_of(write), sent(request_of(write, uid, reporter, now)));
                },
                [&](const auto& write) { return outcome_of(action_of(write), sent(request_of(write))); },
            },
            job.write);
    }

    model::Outcome bind(HttpClient& client, const model::BindPod& write) {
        const auto begin = std::chrono::steady_clock::now();
        const HttpAnswer answer = writes.counted(WriteKind::bind, client.send(request_of(write)));
        const auto took = std::chrono::steady_clock::now() - begin;
        {
            const std::lock_guard lock(figures_mutex);
            figures.add(answer, took);
        }
        return outcome_of(action_of(write), answer);
    }

    const Done done;
    mutable std::mutex figures_mutex;
    BindFigures figures;  // Guarded by figures_mutex.
    const std::string reporter;
    const std::size_t most_events_waiting;
    WriteFigures writes;
    PlanRecorder recorder{writes};
    PlanOrder order;
    WriteLane binds;  // After the members that its workers use.
    WriteLane others;
    WriteLane events;
};

Writer::Writer(const std::shared_ptr<Credentials>& credentials, const WriterOptions& options, Done done,
               WriteFigures::Warn warn)
    : state_(std::make_unique<State>(credentials, options, std::move(done), std::move(warn))) {}

Writer::~Writer() = default;

void BindFigures::add(const HttpAnswer& answer, std::chrono::nanoseconds took) {
    ++requests.at(answer_code(answer));
    durations.add(took);
}

BindFigures Writer::bind_figures() const {
    const std::lock_guard lock(state_->figures_mutex);
    return state_->figures;
}

WriteCounts Writer::write_counts() const {
    return state_->writes.counts();
}

void Writer::submit(std::uint64_t id, model::Write write, std::shared_ptr<const Lead> lead) {
    if (std::holds_alternative<model::EmitGangEvent>(write)) {
        if (state_->events.waiting() < state_->most_events_waiting)
            return state_->events.submit(job_of(id, std::move(write), std::move(lead)));
        auto sentence = action_of(write) + ": too many events wait already";
        return state_->done(id, not_sent(model::Outcome::Kind::unknown, std::move(sentence)));
    }
    // Writes that a bind call waits for go ahead of nominations and gates.
    const auto* record = std::get_if<model::ApplyPlan>(&write);
    const bool is_awaited = std::holds_alternative<model::BindPod>(write) || is_read(write) ||
                            (record != nullptr && record->record.phase == model::Phase::committed);
    WriteLane& lane = is_awaited ? state_->binds : state_->others;
    auto job = job_of(id, std::move(write), std::move(lead));
    if (job.plan.empty())
        return lane.submit(std::move(job));
    const std::string plan = job.plan;
    if (const auto replaced = state_->order.submit(plan, std::move(job), lane))
        state_->done(*replaced, not_sent(model::Outcome::Kind::unknown, "a later record goes out instead"));
}

}  // namespace echelon::kube
