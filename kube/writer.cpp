#include "kube/writer.hpp"

#include "kube/plan_recorder.hpp"
#include "kube/write_lane.hpp"
#include "kube/write_request.hpp"

#include <ctime>
#include <utility>

#include <fmt/chrono.h>

namespace echelon::kube {

namespace {

constexpr double binds_per_second = 2000;
constexpr double bind_burst = 2000;

std::string now_as_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

std::string plan_key(const std::string& ns, const std::string& name) {
    return ns + "/" + name;
}

WriteLane::Job job_of(std::uint64_t id, model::Write write) {
    WriteLane::Job job{.id = id, .write = std::move(write)};
    if (const auto* record = std::get_if<model::RecordPlan>(&job.write)) {
        job.key = plan_key(record->record.ns, record->record.name);
        job.tokens = 2;
    } else if (const auto* forget = std::get_if<model::ForgetPlan>(&job.write)) {
        job.key = plan_key(forget->ns, forget->name);
    }
    return job;
}

}  // namespace

struct Writer::State {
    State(const std::shared_ptr<Credentials>& credentials, const WriterOptions& options, Done report)
        : done(std::move(report)),
          binds(credentials, options.bind_connections, TokenBucket(binds_per_second, bind_burst),
                [this](HttpClient& client, const WriteLane::Job& job) { perform(client, job); }),
          others(credentials, options.other_connections, TokenBucket(options.qps, options.burst),
                 [this](HttpClient& client, const WriteLane::Job& job) { perform(client, job); }) {}

    ~State() {
        binds.close();
        others.close();
    }

    void perform(HttpClient& client, const WriteLane::Job& job) {
        const model::Outcome outcome = std::visit(
            Overloaded{
                [&](const model::RecordPlan& write) { return recorder.record(client, write, now_as_text()); },
                [&](const model::ForgetPlan& write) { return recorder.forget(client, write); },
                [&](const model::ReadPod& write) { return outcome_of_read(write, client.send(request_of(write))); },
                [&](const model::ReadGroup& write) { return outcome_of_read(write, client.send(request_of(write))); },
                [&](const auto& write) { return outcome_of(deed_of(write), client.send(request_of(write))); },
            },
            job.write);
        done(job.id, outcome);
    }

    const Done done;
    PlanRecorder recorder;
    WriteLane binds;  // After what its workers use.
    WriteLane others;
};

Writer::Writer(std::shared_ptr<Credentials> credentials, WriterOptions options, Done done)
    : state_(std::make_unique<State>(credentials, options, std::move(done))) {}

Writer::~Writer() = default;

void Writer::submit(std::uint64_t id, model::Write write) {
    // Whatever a bind call waits for goes ahead of nominations and gates.
    const auto* record = std::get_if<model::RecordPlan>(&write);
    const bool is_awaited = std::holds_alternative<model::BindPod>(write) ||
                            std::holds_alternative<model::ReadPod>(write) ||
                            std::holds_alternative<model::ReadGroup>(write) ||
                            (record != nullptr && record->record.phase == model::Phase::committed);
    WriteLane& lane = is_awaited ? state_->binds : state_->others;
    lane.submit(job_of(id, std::move(write)));
}

}  // namespace echelon::kube
