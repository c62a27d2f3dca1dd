#pragma once

// A fake API server with PodGangs of Grove and PodGroups of Koordinator. It stores writes, and fails on request.

#include "unit-tests/kube/fake_apiserver.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

// What a PodGang and PodGroups are to the API server.
class GroveStore {
public:
    GroveStore()
        : server_([this](const httplib::Request& request, httplib::Response& response) { answer(request, response); }) {
    }

    void put_gang(nlohmann::json gang) {
        const std::lock_guard lock(mutex_);
        auto name = gang["metadata"]["name"].get<std::string>();
        gangs_[name] = std::move(gang);
    }
    // A PodCliqueSet.
    void put_set(nlohmann::json set) {
        const std::lock_guard lock(mutex_);
        auto name = set["metadata"]["name"].get<std::string>();
        sets_[name] = std::move(set);
    }
    void remove_gang() {
        const std::lock_guard lock(mutex_);
        gangs_.clear();
    }
    void put_group(nlohmann::json group) {
        const std::lock_guard lock(mutex_);
        auto name = group["metadata"]["name"].get<std::string>();
        keep(name, std::move(group));
    }
    void remove_group(const std::string& name) {
        const std::lock_guard lock(mutex_);
        groups_.erase(name);
    }
    // The next request of this kind and object is answered with `status` and changes nothing.
    void fail(const std::string& method, const std::string& ending, int status) {
        const std::lock_guard lock(mutex_);
        failure_ = {method, ending, status};
    }
    [[nodiscard]] std::map<std::string, nlohmann::json> groups() {
        const std::lock_guard lock(mutex_);
        return groups_;
    }
    // "POST demo-0-a", "DELETE demo-0-b" ...: writes that were tried, in their order, but for events.
    [[nodiscard]] std::vector<std::string> writes() {
        const std::lock_guard lock(mutex_);
        return writes_;
    }
    [[nodiscard]] std::vector<nlohmann::json> events() {
        const std::lock_guard lock(mutex_);
        return events_;
    }
    // "GET /apis/..." and so on: all requests in their order.
    [[nodiscard]] std::vector<std::string> requests() const {
        std::vector<std::string> lines;
        for (const SeenRequest& seen : server_.seen.all())
            lines.push_back(seen.method + " " + seen.target);
        return lines;
    }
    [[nodiscard]] std::shared_ptr<Credentials> credentials() { return server_.credentials(); }

    // Waits until the condition is true; checks it after each request.
    void await(const std::function<bool()>& holds) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!holds()) {
            std::unique_lock lock(mutex_);
            REQUIRE_MESSAGE(std::chrono::steady_clock::now() < until, "it never came to pass");
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
    }

private:
    struct Failure {
        std::string method;
        std::string ending;
        int status = 0;
    };

    void keep(const std::string& name, nlohmann::json group) {
        group["metadata"]["resourceVersion"] = std::to_string(++version_);
        if (!group["metadata"].contains("uid"))
            group["metadata"]["uid"] = fmt::format("group-{}", version_);
        groups_[name] = std::move(group);
    }

    static void say(httplib::Response& response, int status, const nlohmann::json& body) {
        response.status = status;
        response.set_content(body.dump(), "application/json");
    }

    void answer(const httplib::Request& request, httplib::Response& response) {
        {
            const std::lock_guard lock(mutex_);
            serve(request, response);
        }
        changed_.notify_all();
    }

    void serve(const httplib::Request& request, httplib::Response& response) {
        const nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
        std::string name = request.path.substr(request.path.rfind('/') + 1);
        if (name == "events") {
            events_.push_back(body);
            return say(response, 201, body);
        }
        if (request.method == "POST")
            name = body["metadata"]["name"].get<std::string>();
        if (request.method != "GET")
            writes_.push_back(request.method + " " + name);
        if (failure_ && failure_->method == request.method && name == failure_->ending) {
            const int status = std::exchange(failure_, std::nullopt)->status;
            return say(response, status, {{"kind", "Status"}, {"message", "as the test says"}});
        }
        if (request.path.find("/podgangs/") != std::string::npos) {
            return say(response, gangs_.contains(name) ? 200 : 404,
                       gangs_.contains(name) ? gangs_[name] : nlohmann::json());
        }
        if (request.path.find("/podcliquesets/") != std::string::npos)
            return say(response, sets_.contains(name) ? 200 : 404,
                       sets_.contains(name) ? sets_[name] : nlohmann::json());
        if (request.method == "GET" && name == "podgroups")
            return list(request, response);
        const auto known = groups_.find(name);
        if (request.method == "POST") {
            if (known != groups_.end())
                return say(response, 409, {{"kind", "Status"}});
            keep(name, body);
            return say(response, 201, groups_[name]);
        }
        if (known == groups_.end())
            return say(response, 404, {{"kind", "Status"}});
        change(request.method, name, body, response);
    }

    void change(const std::string& method, const std::string& name, const nlohmann::json& body,
                httplib::Response& response) {
        nlohmann::json group = groups_[name];
        if (method == "DELETE") {
            const bool is_it = body["preconditions"]["uid"] == group["metadata"]["uid"];
            if (is_it)
                groups_.erase(name);
            return say(response, is_it ? 200 : 409, {{"kind", "Status"}});
        }
        if (method == "PATCH") {
            if (body["metadata"]["resourceVersion"] != group["metadata"]["resourceVersion"])
                return say(response, 409, {{"kind", "Status"}});
            group.merge_patch(body);
            keep(name, group);
        }
        say(response, 200, groups_[name]);
    }

    void list(const httplib::Request& request, httplib::Response& response) {
        const std::string selector = request.get_param_value("labelSelector");
        nlohmann::json items = nlohmann::json::array();
        for (const auto& [name, group] : groups_) {
            const nlohmann::json labels = group["metadata"].value("labels", nlohmann::json::object());
            if ("grove.io/podgang=" + labels.value("grove.io/podgang", "") == selector)
                items.push_back(group);
        }
        say(response, 200, {{"items", std::move(items)}});
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, nlohmann::json> gangs_;   // Guarded by mutex_, as all below; by name.
    std::map<std::string, nlohmann::json> sets_;    // Likewise.
    std::map<std::string, nlohmann::json> groups_;  // Likewise.
    std::vector<std::string> writes_;
    std::vector<nlohmann::json> events_;
    std::optional<Failure> failure_;
    int version_ = 0;
    FakeApiServer server_;  // Last: it uses everything above.
};

}  // namespace echelon::kube
