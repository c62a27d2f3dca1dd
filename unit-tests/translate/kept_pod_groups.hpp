#pragma once

// PodGangs, and a controller that keeps their PodGroups in a fake API server.

#include "kube/decode.hpp"
#include "translate/pod_group_controller.hpp"
#include "unit-tests/kube/support/grove_store.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {

using kube::GroveStore;
using nlohmann::json;
using std::chrono::milliseconds;

inline json pod_gang(const std::string& spec, const std::string& uid = "u-1") {
    return {{"apiVersion", "scheduler.grove.io/v1alpha1"},
            {"kind", "PodGang"},
            {"metadata", {{"name", "demo-0"}, {"namespace", "ml"}, {"uid", uid}}},
            {"spec", json::parse(spec)}};
}

inline const char* const two_groups =
    R"({"podgroups": [{"name": "a", "minReplicas": 2}, {"name": "b", "minReplicas": 1}]})";
inline const char* const one_group = R"({"podgroups": [{"name": "a", "minReplicas": 2}]})";

struct Kept {
    explicit Kept(GroveStore& store) : keeper(store.credentials(), options(), [this] { return leads.load(); }, log()) {
        keeper.notice(model::Synced{"clusternetworktopologies.scheduling.koordinator.sh"});
    }

    static PodGroupControllerOptions options() {
        PodGroupControllerOptions options;
        options.scheduler_name = "koord-scheduler";
        options.reporter = "test";
        options.settle = milliseconds(0);
        options.first_retry = milliseconds(20);
        options.longest_retry = milliseconds(200);
        return options;
    }
    PodGroupController::Log log() {
        return [this](const std::string& sentence) {
            const std::lock_guard lock(mutex);
            said.push_back(sentence);
        };
    }
    void see(const json& object) {
        const auto events = kube::decode(object, kube::Change::seen);
        REQUIRE(events);
        for (const auto& event : *events)
            keeper.notice(event);
    }
    void lose(const json& object) {
        const auto events = kube::decode(object, kube::Change::gone);
        REQUIRE(events);
        for (const auto& event : *events)
            keeper.notice(event);
    }
    [[nodiscard]] std::vector<std::string> sentences() {
        const std::lock_guard lock(mutex);
        return said;
    }

    std::atomic<bool> leads = true;
    std::mutex mutex;
    std::vector<std::string> said;  // Guarded by mutex.
    PodGroupController keeper;
};

}  // namespace echelon::translate
