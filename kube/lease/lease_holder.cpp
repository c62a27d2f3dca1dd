#include "kube/lease/lease_holder.hpp"

#include "base/time_text.hpp"
#include "kube/client/stoppable_sleep.hpp"
#include "kube/json/compact_text.hpp"
#include "kube/json/splitter.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>

namespace echelon::kube {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds release_timeout{
    500};  // For the connection and the answer when the Lease is released.

std::string now_as_text() {
    return base::time_text_with_microseconds(std::chrono::system_clock::now());
}

std::string trouble_of(const HttpAnswer& answer) {
    return answer.ending == HttpAnswer::Ending::complete ? fmt::format("it was answered with {}", answer.status)
                                                         : answer.sentence;
}

json& child(json& parent, const char* key) {
    json& value = parent[key];
    if (!value.is_object())
        value = json::object();
    return value;
}

}  // namespace

LeaseTerm::Step LeaseTerm::observe(const std::optional<LeaseRecord>& record, Instant answered_at) {
    if (record && !(record_ && same_record(*record_, *record)))
        changed_at_ = answered_at;
    record_ = record;
    if (!record_) {
        lose();
        return Step::create;
    }
    if (record_->holder == identity_)
        return Step::renew;
    lose();
    const bool is_over = record_->holder.empty() || answered_at - changed_at_ >= record_->duration;
    return is_over ? Step::take : Step::wait;
}

// The lead lasts two thirds of the duration; others may take the Lease only after all of it.
void LeaseTerm::wrote(const LeaseRecord& record, Instant sent_at) {
    if (record.holder != identity_)
        return lose();
    leads_until_ = sent_at + std::min<std::chrono::milliseconds>(duration_, record.duration) * 2 / 3;
}

base::Result<std::string> written_lease(std::string_view object, const LeaseWriting& writing) {
    json lease = json::object();
    if (!object.empty()) {
        auto parsed = parse_object(object);
        if (!parsed)
            return base::failure(parsed.error().sentence);
        lease = std::move(*parsed);
    }
    lease["apiVersion"] = "coordination.k8s.io/v1";
    lease["kind"] = "Lease";
    json& metadata = child(lease, "metadata");
    metadata["namespace"] = writing.ns;
    metadata["name"] = writing.name;
    json& spec = child(lease, "spec");
    const json before = spec.contains("holderIdentity") ? spec["holderIdentity"] : json("");
    if (before != writing.identity) {
        const auto transitions = spec.find("leaseTransitions");
        const bool is_counted = transitions != spec.end() && transitions->is_number_integer();
        // As in client-go, taking a released Lease is a transition, and releasing it is not.
        if (!writing.identity.empty()) {
            spec["leaseTransitions"] = object.empty() || !is_counted ? 0 : transitions->get<std::int64_t>() + 1;
            spec["acquireTime"] = writing.now_text;
        }
    }
    spec["holderIdentity"] = writing.identity;
    spec["renewTime"] = writing.now_text;
    spec["leaseDurationSeconds"] = writing.identity.empty() ? 1 : writing.duration.count();
    return compact_text(lease);
}

LeaseHolder::LeaseHolder(std::shared_ptr<Credentials> credentials, LeaseHolderOptions options, Report report, Log log)
    : options_(std::move(options)),
      interval_(options_.interval.count() > 0 ? options_.interval
                                              : std::chrono::milliseconds(options_.duration) * 2 / 15),
      retry_period_(std::chrono::milliseconds(options_.duration) / 5),
      report_(std::move(report)),
      log_(std::move(log)),
      credentials_(std::move(credentials)),
      client_(credentials_),
      term_(options_.identity, options_.duration),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

LeaseHolder::~LeaseHolder() {
    thread_.request_stop();
    client_.cancel();
    thread_.join();
}

void LeaseHolder::run(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "lease");
    while (!stop.stop_requested()) {
        check();
        if (stop.stop_requested())
            break;
        report_lead();
        sleep_unless_stopped(stop, interval_);
    }
    if (!term_.leads(options_.clock()))
        return;
    term_.lose();
    report_lead();  // Queued writes are dropped before another process may lead.
    release();
}

// A slow answer never makes our lead longer, nor another's shorter.
void LeaseHolder::check() {
    const HttpAnswer answer = client_.send(request("GET", true));
    if (answer.ending == HttpAnswer::Ending::cancelled)
        return;
    std::optional<LeaseRecord> record;
    if (answer.succeeded()) {
        auto read = read_lease(answer.body);
        if (!read) {
            return log_(
                fmt::format("leader.lease {}/{} can't be read: {}", options_.ns, options_.name, read.error().sentence));
        }
        record = std::move(*read);
        object_ = answer.body;
    } else if (answer.ending == HttpAnswer::Ending::complete && answer.status == 404) {
        object_.clear();
    } else {
        return log_(
            fmt::format("leader.lease {}/{} can't be read: {}", options_.ns, options_.name, trouble_of(answer)));
    }
    const auto step = term_.observe(record, options_.clock());
    if (step != LeaseTerm::Step::wait)
        write(step, object_);
}

void LeaseHolder::write(LeaseTerm::Step step, const std::string& object) {
    const bool is_new = step == LeaseTerm::Step::create;
    const auto body =
        written_lease(object, {options_.ns, options_.name, options_.identity, options_.duration, now_as_text()});
    if (!body) {
        return log_(
            fmt::format("leader.lease {}/{} can't be read: {}", options_.ns, options_.name, body.error().sentence));
    }
    HttpRequest put = request(is_new ? "POST" : "PUT", !is_new);
    put.body = *body;
    put.content_type = "application/json";
    const auto sent_at = options_.clock();
    const HttpAnswer answer = client_.send(put);
    if (answer.succeeded()) {
        object_ = answer.body;
        const auto written = read_lease(answer.body);
        if (written)
            return term_.wrote(*written, sent_at);
        return log_(fmt::format("leader.lease {}/{}: the answer to its renewal can't be read: {}", options_.ns,
                                options_.name, written.error().sentence));
    }
    const bool has_lost_race = answer.ending == HttpAnswer::Ending::complete && answer.status == 409;
    if (answer.ending == HttpAnswer::Ending::cancelled || has_lost_race)
        return;  // Another process was faster; the next read shows which.
    log_(fmt::format("leader.lease {}/{} can't be written: {}", options_.ns, options_.name, trouble_of(answer)));
}

void LeaseHolder::report_lead() {
    std::optional<LeaseTerm::Instant> until;
    if (term_.leads(options_.clock()))
        until = term_.leads_until();
    if (std::exchange(has_reported_, true) && until == reported_)
        return;
    reported_ = until;
    report_(until);
}

// The renewal that was cancelled may have arrived: then the Lease is a newer one, and still ours.
void LeaseHolder::release() {
    HttpClient client(credentials_);  // client_ is cancelled.
    if (put_without_holder(client, object_).status != 409)
        return;
    HttpRequest get = request("GET", true);
    get.connect = get.silence = release_timeout;
    const HttpAnswer there = client.send(get);
    if (!there.succeeded())
        return;
    const auto record = read_lease(there.body);
    if (record && record->holder == options_.identity)
        static_cast<void>(put_without_holder(client, there.body));
}

HttpAnswer LeaseHolder::put_without_holder(HttpClient& client, const std::string& object) const {
    const auto body = written_lease(object, {options_.ns, options_.name, "", options_.duration, now_as_text()});
    if (!body)
        return {};
    HttpRequest put = request("PUT", true);
    put.body = *body;
    put.content_type = "application/json";
    put.connect = put.silence = release_timeout;
    return client.send(put);
}

HttpRequest LeaseHolder::request(const std::string& method, bool names_it) const {
    std::string target = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", percent_encoded(options_.ns));
    if (names_it)
        target += "/" + percent_encoded(options_.name);
    return {.method = method, .target = std::move(target), .connect = retry_period_, .silence = retry_period_};
}

std::string new_identity() {
    std::random_device random;
    std::string identity = own_hostname() + "_";
    for (int i = 0; i < 4; ++i)
        identity += fmt::format("{:08x}", random());
    return identity;
}

}  // namespace echelon::kube
