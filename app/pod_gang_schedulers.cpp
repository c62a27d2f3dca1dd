#include "app/pod_gang_schedulers.hpp"

#include "kube/client/watched_kind.hpp"
#include "kube/json/field.hpp"
#include "kube/json/splitter.hpp"

#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::app {

namespace {

constexpr std::size_t most_entries = 1024;
constexpr int not_found = 404;

}  // namespace

// The port has few workers, and a slow API server must not make all of them wait: reviews of other pods come through
// them too. Where reads are quick, the pods of one gang that come together all get its scheduler.
std::string PodGangSchedulers::of(const std::string& ns, const std::string& gang) {
    const std::string name = ns + "/" + gang;
    std::unique_lock client(client_mutex_, std::defer_lock);
    std::unique_lock lock(mutex_);
    const auto may_go_on = [&] { return cached(name) || rests() || client.try_lock(); };
    if (!has_read_.wait_for(lock, times_.wait, may_go_on))
        rest();
    if (!client.owns_lock())
        return cached(name).value_or(std::string());
    lock.unlock();
    const auto reading = read(ns, gang);
    lock.lock();
    keep(name, reading);
    client.unlock();
    lock.unlock();
    has_read_.notify_all();
    return reading.scheduler.value_or(std::string());
}

std::optional<std::string> PodGangSchedulers::cached(const std::string& name) const {
    const auto found = cache_.find(name);
    if (found == cache_.end() || found->second.until <= std::chrono::steady_clock::now())
        return std::nullopt;
    return found->second.scheduler;
}

// A PodGang that isn't there yet may come at any moment.
void PodGangSchedulers::keep(const std::string& name, const Reading& reading) {
    if (reading.has_failed)
        rest();
    if (!reading.scheduler)
        return;
    if (cache_.size() >= most_entries)
        cache_.clear();
    cache_.insert_or_assign(
        name, Entry{.scheduler = *reading.scheduler, .until = std::chrono::steady_clock::now() + times_.keep});
}

void PodGangSchedulers::rest() {
    rests_until_ = std::chrono::steady_clock::now() + times_.rest;
}

bool PodGangSchedulers::rests() const {
    return std::chrono::steady_clock::now() < rests_until_;
}

PodGangSchedulers::Reading PodGangSchedulers::read(const std::string& ns, const std::string& gang) {
    const auto answer =
        client_.send({.target = fmt::format("/apis/scheduler.grove.io/v1alpha1/namespaces/{}/podgangs/{}",
                                            kube::percent_encoded(ns), kube::percent_encoded(gang)),
                      .connect = times_.read,
                      .silence = times_.read});
    if (!answer.succeeded())
        return {.scheduler = std::nullopt, .has_failed = answer.status != not_found};
    const auto object = kube::parse_object(answer.body);
    if (!object)
        return {.scheduler = std::nullopt, .has_failed = true};
    kube::FieldFault fault;
    std::string scheduler = kube::Field(*object, fault).at("metadata").at("labels").text("grove.io/scheduler-name");
    return {.scheduler = fault.found() ? std::string() : std::move(scheduler), .has_failed = false};
}

}  // namespace echelon::app
