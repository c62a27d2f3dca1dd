#include "app/pod_gang_schedulers.hpp"

#include "kube/client/watched_kind.hpp"
#include "kube/json/field.hpp"
#include "kube/json/splitter.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::app {

namespace {

constexpr std::chrono::seconds cache_time{5};
constexpr std::chrono::milliseconds read_timeout{1000};  // The API server waits three seconds for a review.
constexpr std::size_t most_entries = 1024;

}  // namespace

std::string PodGangSchedulers::of(const std::string& ns, const std::string& gang) {
    const std::string name = ns + "/" + gang;
    if (std::string scheduler = cached(name); !scheduler.empty())
        return scheduler;
    const std::lock_guard lock(client_mutex_);
    if (std::string scheduler = cached(name); !scheduler.empty())
        return scheduler;  // A call for another pod of the gang has read it meanwhile.
    std::string scheduler = read(ns, gang);
    if (!scheduler.empty()) {
        const std::lock_guard cache_lock(cache_mutex_);
        if (cache_.size() >= most_entries)
            cache_.clear();
        cache_.insert_or_assign(name,
                                Entry{.scheduler = scheduler, .until = std::chrono::steady_clock::now() + cache_time});
    }
    return scheduler;
}

std::string PodGangSchedulers::cached(const std::string& name) {
    const std::lock_guard lock(cache_mutex_);
    const auto found = cache_.find(name);
    return found != cache_.end() && found->second.until > std::chrono::steady_clock::now() ? found->second.scheduler
                                                                                           : std::string();
}

std::string PodGangSchedulers::read(const std::string& ns, const std::string& gang) {
    const auto answer =
        client_.send({.target = fmt::format("/apis/scheduler.grove.io/v1alpha1/namespaces/{}/podgangs/{}",
                                            kube::percent_encoded(ns), kube::percent_encoded(gang)),
                      .connect = read_timeout,
                      .silence = read_timeout});
    if (!answer.succeeded())
        return {};
    const auto object = kube::parse_object(answer.body);
    if (!object)
        return {};
    kube::FieldFault fault;
    std::string scheduler = kube::Field(*object, fault).at("metadata").at("labels").text("grove.io/scheduler-name");
    return fault.found() ? std::string() : scheduler;
}

}  // namespace echelon::app
