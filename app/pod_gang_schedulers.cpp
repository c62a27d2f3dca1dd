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
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const std::string name = ns + "/" + gang;
    if (const auto found = known_.find(name); found != known_.end() && found->second.until > now)
        return found->second.scheduler;
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
    if (scheduler.empty() || fault.found())
        return {};
    if (known_.size() >= most_known)
        known_.clear();
    known_.insert_or_assign(name, Known{.scheduler = scheduler, .until = now + kept});
    return scheduler;
}

}  // namespace echelon::app
