#include "kube/lease/lease_follower.hpp"

#include "kube/client/stoppable_sleep.hpp"
#include "kube/json/field.hpp"
#include "kube/json/splitter.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <unistd.h>

namespace echelon::kube {

namespace {

using Clock = std::chrono::steady_clock;

// Time since the renewal, in whole seconds; 0: unknown.
std::chrono::seconds age_of(const LeaseRecord& record, std::chrono::system_clock::time_point now) {
    const auto renewed = parse_time(record.renewed);
    if (!renewed)
        return {};
    const auto today = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    return std::chrono::seconds(std::clamp<std::int64_t>(today - *renewed, 0, most_int32));
}

}  // namespace

base::Result<LeaseRecord> read_lease(std::string_view object) {
    const auto parsed = parse_object(object);
    if (!parsed)
        return base::failure(parsed.error().sentence);
    FieldFault fault;
    const Field spec = Field(*parsed, fault).at("spec");
    LeaseRecord record;
    record.holder = spec.text("holderIdentity");
    record.renewed = spec.text("renewTime");
    record.transitions = spec.integer("leaseTransitions", 0, most_int32).value_or(0);
    if (const auto duration = spec.integer("leaseDurationSeconds", 1, most_int32))
        record.duration = std::chrono::seconds(*duration);
    if (fault.found())
        return base::failure(fault.sentence());
    return record;
}

bool LeaseObserver::observe(std::optional<LeaseRecord> record, Instant now, std::chrono::milliseconds age) {
    if (record && !(record_ && same_record(*record_, *record)))
        changed_at_ = now - std::max(age, std::chrono::milliseconds{0});
    record_ = std::move(record);
    return leads(now);
}

LeaseObserver::Instant LeaseObserver::leads_until() const {
    return is_ours() ? changed_at_ + record_->duration : Instant::min();
}

bool LeaseObserver::is_ours() const {
    if (!record_ || hostname_.empty())
        return false;
    // Compares the whole hostname: node1 is a prefix of node10.
    const std::string_view holder = record_->holder;
    const std::size_t end = holder.rfind('_');
    return end != std::string_view::npos && holder.substr(0, end) == hostname_;
}

LeaseFollower::LeaseFollower(std::shared_ptr<Credentials> credentials, LeaseFollowerOptions options, Report report,
                             Log log)
    : options_(std::move(options)),
      report_(std::move(report)),
      log_(std::move(log)),
      client_(std::move(credentials)),
      observer_(options_.hostname),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

LeaseFollower::~LeaseFollower() {
    thread_.request_stop();
    client_.cancel();
    thread_.join();
}

void LeaseFollower::run(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "lease");
    const HttpRequest request{.target = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}",
                                                    percent_encoded(options_.ns), percent_encoded(options_.name)),
                              .connect = options_.patience,
                              .silence = options_.patience};
    std::optional<std::optional<LeaseObserver::Instant>> reported;
    while (!stop.stop_requested()) {
        const auto asked_at = Clock::now();
        const auto asked_on = std::chrono::system_clock::now();
        const HttpAnswer answer = client_.send(request);
        if (answer.ending == HttpAnswer::Ending::cancelled)
            return;
        observe_answer(answer, asked_at, asked_on);
        std::optional<LeaseObserver::Instant> until;
        if (observer_.leads(Clock::now()))
            until = observer_.leads_until();
        if (!reported || *reported != until) {
            reported = until;
            report_(until);
        }
        sleep_unless_stopped(stop, options_.interval);
    }
}

// The record counts from the time of the request, so a slow answer never makes a lead longer.
void LeaseFollower::observe_answer(const HttpAnswer& answer, LeaseObserver::Instant asked_at,
                                   std::chrono::system_clock::time_point asked_on) {
    std::string trouble;
    if (answer.succeeded()) {
        auto record = read_lease(answer.body);
        if (record) {
            const auto age = age_of(*record, asked_on);
            observer_.observe(std::move(*record), asked_at, age);
        } else {
            trouble = record.error().sentence;
        }
    } else if (answer.ending != HttpAnswer::Ending::complete) {
        trouble = answer.sentence;
    } else if (answer.status == 404) {
        observer_.observe(std::nullopt, asked_at);
        trouble = "it doesn't exist";
    } else {
        trouble = fmt::format("it was answered with {}", answer.status);
    }
    if (!trouble.empty())
        log_(fmt::format("leader.lease {}/{} can't be read: {}", options_.ns, options_.name, trouble));
}

std::string own_hostname() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0)
        return {};
    return name.data();
}

}  // namespace echelon::kube
