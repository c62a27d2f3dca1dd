#include "kube/client/discovery.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

constexpr WatchedKind groups{
    .resource = "podgroups", .group = "scheduling.k8s.io", .versions = {"v1alpha3", "v1beta1"}, .kind = "PodGroup"};

// Paths and what they are answered with; all others with 404.
Discovery discovered(const std::map<std::string, std::string>& documents, int other = 404,
                     const WatchedKind& kind = groups) {
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        const auto found = documents.find(request.path);
        response.status = found == documents.end() ? other : 200;
        response.set_content(found == documents.end() ? "{}" : found->second, "application/json");
    });
    HttpClient client(server.credentials());
    return discover(client, kind);
}

const std::string both = R"({"versions":[{"version":"v1"},{"version":"v1beta1"},{"version":"v1alpha3"}]})";
const std::string with_groups =
    R"({"resources":[{"name":"workloads"},{"name":"podgroups"},{"name":"podgroups/status"}]})";
const std::string without_groups = R"({"resources":[{"name":"priorityclasses"},{"name":"podgroups/status"}]})";

TEST_CASE("the first wanted version that has the resource is watched") {
    const std::string group = "/apis/scheduling.k8s.io";
    const Discovery preferred =
        discovered({{group, both}, {group + "/v1alpha3", with_groups}, {group + "/v1beta1", with_groups}});
    CHECK(preferred.kind == Discovery::Kind::served);
    CHECK(preferred.version == "v1alpha3");
    CHECK(
        discovered({{group, both}, {group + "/v1alpha3", without_groups}, {group + "/v1beta1", with_groups}}).version ==
        "v1beta1");
    CHECK(discovered({{group, both}, {group + "/v1beta1", with_groups}}).version == "v1beta1");
}

TEST_CASE("a kind without its group, its versions or itself isn't served") {
    const std::string group = "/apis/scheduling.k8s.io";
    CHECK(discovered({}).kind == Discovery::Kind::unserved);
    CHECK(discovered({{group, R"({"versions":[{"version":"v1"}]})"}}).kind == Discovery::Kind::unserved);
    CHECK(discovered({{group, both}, {group + "/v1alpha3", without_groups}}).kind == Discovery::Kind::unserved);
}

TEST_CASE("a kind that is served in other versions alone is there, and can't be read") {
    const std::string group = "/apis/scheduling.k8s.io";
    const Discovery found = discovered({{group, R"({"versions":[{"version":"v1"}]})"}, {group + "/v1", with_groups}});
    CHECK(found.kind == Discovery::Kind::unknown);
    CHECK(found.sentence == "podgroups.scheduling.k8s.io is served in version v1, which isn't known");
}

TEST_CASE("a kind whose later versions leave what counts to another one isn't served in them") {
    const auto is_workloads = [](const WatchedKind& kind) {
        return kind.resource == "workloads" && kind.group == "scheduling.k8s.io";
    };
    const auto workloads = *std::ranges::find_if(watched_kinds, is_workloads);
    const std::string group = "/apis/scheduling.k8s.io";
    const std::string early = R"({"versions":[{"version":"v1alpha1"}]})";
    CHECK(discovered({{group, both}, {group + "/v1beta1", with_groups}}, 404, workloads).kind ==
          Discovery::Kind::unserved);
    CHECK(discovered({{group, early}, {group + "/v1alpha1", with_groups}}, 404, workloads).version == "v1alpha1");
}

TEST_CASE("an answer that says nothing leaves the question open") {
    const std::string group = "/apis/scheduling.k8s.io";
    const Discovery broken = discovered({}, 503);
    CHECK(broken.kind == Discovery::Kind::failed);
    CHECK(broken.sentence == "discovery: /apis/scheduling.k8s.io was answered with 503");
    CHECK(discovered({{group, both}}, 503).sentence ==
          "discovery: /apis/scheduling.k8s.io/v1alpha3 was answered with 503");
    CHECK(discovered({{group, "<html>"}}).sentence ==
          "discovery: the answer to /apis/scheduling.k8s.io isn't a JSON object");
    CHECK(discovered({{group, both}, {group + "/v1alpha3", "{}"}}).sentence ==
          "discovery: the answer to /apis/scheduling.k8s.io/v1alpha3 has no list resources");
}

TEST_CASE("a kind about which the server may not be asked is forbidden, at its group and at a version") {
    const std::string group = "/apis/scheduling.k8s.io";
    const Discovery forbidden = discovered({}, 403);
    CHECK(forbidden.kind == Discovery::Kind::forbidden);
    CHECK(forbidden.sentence == "discovery: /apis/scheduling.k8s.io was answered with 403");
    CHECK(discovered({{group, both}}, 403).kind == Discovery::Kind::forbidden);
}

TEST_CASE("core kinds are served without asking") {
    FakeApiServer server([](const httplib::Request&, httplib::Response& response) { response.status = 500; });
    HttpClient client(server.credentials());
    const Discovery found = discover(client, watched_kinds[0]);
    CHECK(found.kind == Discovery::Kind::served);
    CHECK(found.version == "v1");
    CHECK(server.seen.all().empty());
}

}  // namespace
}  // namespace echelon::kube
