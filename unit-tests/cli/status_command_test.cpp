// `echelon status`, `holds` and `topology` on an API server, without the service.

#include "cli/status_command.hpp"

#include "cli/cluster_reader.hpp"
#include "kube/write/gangplan.hpp"
#include "unit-tests/cli/files.hpp"
#include "unit-tests/cli/standard_error.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace echelon;
using cli::ClusterReader;

namespace {

std::string gang_plan(const std::string& name) {
    model::PlanRecord record;
    record.ns = "default";
    record.name = name;
    record.root = {"podgroup", "default/" + name};
    auto object = kube::gangplan_object(record);
    object["metadata"]["uid"] = "uid-of-" + name;
    object["metadata"]["resourceVersion"] = "7";
    return object.dump();
}

// An API server where only GangPlans may be read. Each watch of them brings the GangPlan "later".
class PlansAlone {
public:
    [[nodiscard]] std::string kubeconfig() const {
        return folder_.write("kubeconfig",
                             fmt::format("current-context: here\n"
                                         "contexts: [{{name: here, context: {{cluster: here, user: \"\"}}}}]\n"
                                         "clusters: [{{name: here, cluster: {{server: \"http://127.0.0.1:{}\"}}}}]\n",
                                         server_.port()));
    }
    // Paths that were asked for, without their queries.
    [[nodiscard]] std::vector<std::string> asked() const {
        std::vector<std::string> paths;
        for (const auto& seen : server_.seen.all())
            paths.push_back(seen.target.substr(0, seen.target.find('?')));
        return paths;
    }

private:
    void answer(const httplib::Request& request, httplib::Response& response) {
        if (request.path == "/apis/echelon.sh") {
            response.set_content(R"({"versions":[{"version":"v1alpha1"}]})", "application/json");
        } else if (request.path == "/apis/echelon.sh/v1alpha1") {
            response.set_content(R"({"resources":[{"name":"gangplans"},{"name":"gangs"}]})", "application/json");
        } else if (request.path != "/apis/echelon.sh/v1alpha1/gangplans") {
            response.status = request.path.starts_with("/apis/") ? 404 : 403;
        } else if (request.has_param("watch")) {
            server_.stream(response, {R"({"type":"ADDED","object":)" + gang_plan("later") + "}\n"},
                           kube::FakeApiServer::Then::hang);
        } else {
            response.set_content(R"({"metadata":{"resourceVersion":"7"},"items":[)" + gang_plan("train") + "]}",
                                 "application/json");
        }
    }

    cli::testing::Folder folder_;
    kube::FakeApiServer server_{
        [this](const httplib::Request& request, httplib::Response& response) { answer(request, response); }};
};

std::string names_in(const ClusterReader::Facts& facts) {
    std::string names;
    for (const auto& plan : facts.plans)
        names += plan.name + " ";
    return names;
}

std::string usual_with(const std::string& variable) {
    ::setenv("KUBECONFIG", variable.c_str(), 1);
    const auto usual = cli::usual_kubeconfig();
    ::unsetenv("KUBECONFIG");
    return usual ? *usual : "error: " + usual.error().sentence;
}

}  // namespace

TEST_CASE("status and holds read GangPlans alone, which a user with role view may") {
    for (const auto at : {cli::StatusView::status, cli::StatusView::holds}) {
        const PlansAlone server;
        CHECK(cli::show_status({.at = at, .kubeconfig = server.kubeconfig(), .is_json = true}) == 0);
        auto asked = server.asked();
        std::ranges::sort(asked);
        const auto [first, last] = std::ranges::unique(asked);
        asked.erase(first, last);
        CHECK(asked == std::vector<std::string>{"/apis/echelon.sh", "/apis/echelon.sh/v1alpha1",
                                                "/apis/echelon.sh/v1alpha1/gangplans"});
    }
}

TEST_CASE("one watch goes on between two looks") {
    const PlansAlone server;
    auto reader = ClusterReader::open(server.kubeconfig(), "", ClusterReader::Kinds::plans);
    REQUIRE(reader);
    CHECK(kube::becomes_true([&] { return reader->read(names_in) == "later train "; }));
    CHECK(std::ranges::count(server.asked(), "/apis/echelon.sh/v1alpha1/gangplans") == 2);  // A list and a watch.
}

TEST_CASE("a kind that is needed and forbidden is an error at once") {
    const PlansAlone server;
    auto reader = ClusterReader::open(server.kubeconfig(), "", ClusterReader::Kinds::all);
    REQUIRE(reader);
    const auto began = std::chrono::steady_clock::now();
    const auto text = reader->read(names_in);
    REQUIRE_FALSE(text);
    CHECK(text.error().sentence.find(" can't be listed: ") != std::string::npos);
    CHECK(text.error().sentence.find("403") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(15));
}

TEST_CASE("the usual kubeconfig is the only file of KUBECONFIG that has something in it") {
    const cli::testing::Folder folder;
    const auto one = folder.write("one", "a");
    const auto two = folder.write("two", "b");
    const auto empty = folder.write("empty", "");
    const auto missing = folder.path("missing");
    CHECK(usual_with(one) == one);
    CHECK(usual_with(missing + ":" + one) == one);
    CHECK(usual_with(fmt::format(":{}::{}:{}:", empty, two, two)) == two);
    CHECK(usual_with(missing) == missing);
    CHECK(usual_with(one + ":" + two) ==
          "error: KUBECONFIG names several files, which aren't merged: name one by --kubeconfig");
}

TEST_CASE("a configuration that the running service would not read is refused") {
    const auto written = cli::testing::standard_error_of([] {
        CHECK(cli::show_status({.at = cli::StatusView::topology, .server = "http://127.0.0.1:1", .config_file = "x"}) ==
              2);
    });
    CHECK(written == "echelon topology: --config needs -f or --kubeconfig: the service has read its own file\n");
}
