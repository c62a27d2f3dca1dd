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

constexpr std::chrono::seconds kept{5};
constexpr std::chrono::milliseconds patience{1000};  // The API server waits three seconds for a review.
constexpr std::size_t most_known = 1024;

}  // namespace

std::string PodGangSchedulers::of(const std::string& ns, const std::string& gang) {
    const std::string name = ns + "/" + gang;
    if (std::string scheduler = known(name); !scheduler.empty())
        return scheduler;
    const std::lock_guard lock(client_mutex_);
    if (std::string scheduler = known(name); !scheduler.empty())
        return scheduler;  // Another pod of the gang was faster.
    std::string scheduler = read(ns, gang);
    if (!scheduler.empty()) {
        const std::lock_guard known_lock(known_mutex_);
        if (known_.size() >= most_known)
            known_.clear();
        known_.insert_or_assign(name, Known{.scheduler = scheduler, .until = std::chrono::steady_clock::now() + kept});
    }
    return scheduler;
}

std::string PodGangSchedulers::known(const std::string& name) {
    const std::lock_guard lock(known_mutex_);
    const auto found = known_.find(name);
    return found != known_.end() && found->second.until > std::chrono::steady_clock::now() ? found->second.scheduler
                                                                                           : std::string();
}

std::string PodGangSchedulers::read(const std::string& ns, const std::string& gang) {
    const auto answer =
        client_.send({.target = fmt::format("/apis/scheduler.grove.io/v1alpha1/namespaces/{}/podgangs/{}",
                                            kube::percent_encoded(ns), kube::percent_encoded(gang)),
                      .connect = patience,
                      .silence = patience});
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
