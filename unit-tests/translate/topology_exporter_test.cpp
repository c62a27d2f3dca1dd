// Objects of a topology follow it through a fake API server that stores them and injects failures.

#include "translate/topology_exporter.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// HyperNodes as the API server has them.
class Store {
public:
    Store() : server_([this](const auto& request, auto& response) { answer(request, response); }) {}

    void put(const json& object) {
        const std::lock_guard lock(mutex_);
        objects_[object["metadata"]["name"]] = object;
    }
    // Requests of this kind are answered with the status from now on; 0: they are carried out.
    void fail(const std::string& method, int status, const std::string& retry_after = "") {
        const std::lock_guard lock(mutex_);
        failures_[method] = status;
        retry_after_ = retry_after;
    }
    [[nodiscard]] int lists() {
        const std::lock_guard lock(mutex_);
        return lists_;
    }
    [[nodiscard]] std::map<std::string, json> objects() {
        const std::lock_guard lock(mutex_);
        return objects_;
    }
    [[nodiscard]] std::vector<std::string> writes() {
        const std::lock_guard lock(mutex_);
        return writes_;
    }
    [[nodiscard]] std::shared_ptr<kube::Credentials> credentials() { return server_.credentials(); }

    // Asked after each request.
    void await(const std::function<bool()>& holds) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!holds()) {
            std::unique_lock lock(mutex_);
            REQUIRE(std::chrono::steady_clock::now() < until);
            answered_.wait_for(lock, milliseconds(50));
        }
    }

private:
    void answer(const httplib::Request& request, httplib::Response& response) {
        const std::lock_guard lock(mutex_);
        const std::string name = request.path.substr(request.path.rfind('/') + 1);
        const std::string named =
            request.method == "POST" ? json::parse(request.body)["metadata"]["name"].get<std::string>() : name;
        if (request.method == "GET") {
            ++lists_;
        } else {
            writes_.push_back(fmt::format("{} {}", request.method, named));
        }
        answered_.notify_all();
        if (const int status = failures_[request.method]; status != 0) {
            response.status = status;
            if (!retry_after_.empty())
                response.set_header("Retry-After", retry_after_);
            return response.set_content(R"({"kind": "Status", "message": "told so"})", "application/json");
        }
        json out = json::object();
        if (request.method == "GET") {
            out["items"] = json::array();
            for (const auto& [key, object] : objects_) {
                if (object["metadata"].contains("labels") && object["metadata"]["labels"].contains("echelon.sh/export"))
                    out["items"].push_back(object);
            }
        } else if (request.method == "POST" && objects_.contains(named)) {
            response.status = 409;
        } else if (request.method == "POST") {
            out = json::parse(request.body);
            out["metadata"]["uid"] = "u-" + named;
            out["spec"]["added"] = "by default";
            objects_[named] = out;
        } else if (request.method == "PATCH") {
            objects_[named].merge_patch(json::parse(request.body));
            out = objects_[named];
        } else {
            objects_.erase(named);
        }
        response.set_content(out.dump(), "application/json");
    }

    std::mutex mutex_;
    std::condition_variable answered_;
    std::map<std::string, json> objects_;
    std::map<std::string, int> failures_;
    std::string retry_after_;  // In answers that are failures; empty: none.
    int lists_ = 0;
    std::vector<std::string> writes_;
    kube::FakeApiServer server_;  // Last: ended before the rest goes.
};

json node_of(const std::string& name, std::vector<std::string> members) {
    return {{"apiVersion", "topology.volcano.sh/v1alpha1"},
            {"kind", "HyperNode"},
            {"metadata", {{"name", name}}},
            {"spec", {{"tier", 1}, {"members", std::move(members)}}}};
}

struct Exported {
    explicit Exported(Store& store, const TopologyExporterOptions& wanted_options = options())
        : exporter(
              store.credentials(), wanted_options, [this](const std::stop_token&) { return now(); },
              [this] { return leads.load(); },
              [this](const std::string& sentence) {
                  const std::lock_guard lock(mutex);
                  said.push_back(sentence);
              }) {}

    static TopologyExporterOptions options() {
        TopologyExporterOptions options;
        options.name = "fabric";
        options.settle = milliseconds(0);
        options.retry = milliseconds(20);
        options.rest = milliseconds(0);
        return options;
    }
    std::optional<ExportedTopology> now() {
        const std::lock_guard lock(mutex);
        return wanted;
    }
    void become(std::vector<json> objects, std::string refusal = {}) {
        {
            const std::lock_guard lock(mutex);
            wanted = ExportedTopology{std::move(objects), std::move(refusal)};
        }
        exporter.notice(model::NodeGone{"n"});
    }
    [[nodiscard]] std::vector<std::string> sentences() {
        const std::lock_guard lock(mutex);
        return said;
    }

    std::atomic<bool> leads = true;
    std::mutex mutex;
    std::optional<ExportedTopology> wanted;  // Guarded by mutex.
    std::vector<std::string> said;           // Guarded by mutex.
    TopologyExporter exporter;
};

using Writes = std::vector<std::string>;

TEST_CASE("objects of a topology are made, follow it, and go when their domain is gone (Z34)") {
    Store store;
    Exported exported(store);
    exported.become({node_of("r0", {"a"}), node_of("r1", {"b"})});
    store.await([&] { return store.objects().size() == 2; });
    CHECK(store.objects()["r0"]["metadata"]["labels"]["echelon.sh/export"] == "fabric");
    exported.become({node_of("r0", {"a", "b"})});
    store.await([&] { return store.objects().size() == 1; });
    CHECK(store.objects()["r0"]["spec"]["members"] == json{"a", "b"});
    CHECK(store.writes() == Writes{"POST r0", "POST r1", "PATCH r0", "DELETE r1"});
    CHECK(exported.sentences().empty());

    // Changes by others are reverted, and correct objects aren't written again.
    auto spoiled = store.objects()["r0"];
    spoiled["spec"]["tier"] = 9;
    store.put(spoiled);
    exported.become({node_of("r0", {"a", "b"})});
    store.await([&] { return store.objects()["r0"]["spec"]["tier"] == 1; });
    CHECK(store.writes().size() == 5);
}

TEST_CASE("a failure on the way deletes nothing, and is made up for (Z34)") {
    Store store;
    Exported exported(store);
    exported.become({node_of("r0", {"a"}), node_of("r1", {"b"})});
    store.await([&] { return store.objects().size() == 2; });
    store.fail("PATCH", 500);
    exported.become({node_of("r0", {"c"})});
    store.await([&] { return exported.sentences().size() == 1; });
    CHECK(exported.sentences().front().starts_with("changing HyperNode r0 was answered with 500"));
    CHECK(store.objects().size() == 2);
    store.fail("PATCH", 0);
    store.await([&] { return store.objects().size() == 1; });
    CHECK(exported.sentences().size() == 1);
}

TEST_CASE("an object of the same name with another owner stays as it is (Z34)") {
    Store store;
    store.put(node_of("r0", {"theirs"}));
    Exported exported(store);
    exported.become({node_of("r0", {"a"}), node_of("r1", {"b"})});
    store.await([&] { return store.objects().size() == 2 && !exported.sentences().empty(); });
    CHECK(store.objects()["r0"]["spec"]["members"] == json{"theirs"});
    CHECK(exported.sentences().front() ==
          "HyperNode r0 is there already without the label echelon.sh/export=fabric: it is left as it is");
}

TEST_CASE("a topology that isn't known or can't be written leaves the last objects, and so does a standby (Z34)") {
    Store store;
    Exported exported(store);
    exported.become({node_of("r0", {"a"})});
    store.await([&] { return store.objects().size() == 1; });
    exported.become({}, "it has no level above the host");
    store.await([&] { return !exported.sentences().empty(); });
    CHECK(exported.sentences() == Writes{"the topology isn't written: it has no level above the host"});
    CHECK(store.writes() == Writes{"POST r0"});
    exported.leads = false;
    exported.become({node_of("r1", {"a"})});
    exported.leads = true;
    store.await([&] { return store.objects().contains("r1") && store.objects().size() == 1; });
}

// A node is seen again and again.
void see_node(Exported& exported, int times, bool changes = false) {
    for (int i = 0; i < times; ++i) {
        model::Node node;
        node.name = "n";
        node.labels = {{"example.com/rack", changes ? std::to_string(i) : "r0"}};
        exported.exporter.notice(model::NodeSeen{node});
        std::this_thread::sleep_for(milliseconds(10));
    }
}

TEST_CASE("a node that is seen again as it was causes no list, and one with other labels causes one (Z34)") {
    Store store;
    Exported exported(store);
    exported.become({node_of("r0", {"a"})});
    store.await([&] { return store.objects().size() == 1; });
    see_node(exported, 1);
    const int before = store.lists();
    see_node(exported, 100);
    CHECK(store.lists() <= before + 1);
    const int now = store.lists();
    see_node(exported, 2, true);
    store.await([&] { return store.lists() > now; });
}

TEST_CASE("changes of nodes that change nothing in the topology are compared once in a while (Z34)") {
    Store store;
    auto options = Exported::options();
    options.rest = milliseconds(60'000);
    Exported exported(store, options);
    exported.become({node_of("r0", {"a"})});
    store.await([&] { return store.objects().size() == 1; });
    const int before = store.lists();
    see_node(exported, 100, true);
    CHECK(store.lists() <= before + 2);
}

TEST_CASE("the API server's Retry-After is heeded, whatever nodes are seen meanwhile (Z34)") {
    Store store;
    store.fail("GET", 429, "3600");
    Exported exported(store);
    exported.become({node_of("r0", {"a"})});
    store.await([&] { return store.lists() == 1 && !exported.sentences().empty(); });
    see_node(exported, 50, true);
    CHECK(store.lists() == 1);
    CHECK(store.writes().empty());
}

TEST_CASE("echelon doesn't read what it exports (Z34)") {
    model::DeclaredDomain domain;
    domain.name = "fabric.tier-1.b0.r0";
    CHECK(is_exported(model::DomainSeen{domain}, TopologyTarget::hyper_node, "fabric"));
    CHECK_FALSE(is_exported(model::DomainSeen{domain}, TopologyTarget::hyper_node, "other"));
    CHECK_FALSE(is_exported(model::DomainSeen{domain}, TopologyTarget::kueue, "fabric"));
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::object;
    topology.api_kind = "Topology.kueue.x-k8s.io";
    CHECK(is_exported(model::TopologySeen{topology}, TopologyTarget::kueue, "fabric"));
    CHECK_FALSE(is_exported(model::TopologySeen{topology}, TopologyTarget::kai, "fabric"));
    CHECK_FALSE(is_exported(model::TopologySeen{topology}, TopologyTarget::kueue, "other"));
    topology.source = model::TopologySource::configuration;
    CHECK_FALSE(is_exported(model::TopologySeen{topology}, TopologyTarget::kueue, "fabric"));
}

}  // namespace
}  // namespace echelon::translate
