// What ends `echelon serve` before it starts?

#include "app/serve.hpp"

#include "unit-tests/kube/test_files.hpp"

#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

using namespace echelon;

namespace {

// On a thread, since `serve` changes which signals the thread takes. The log is as before afterwards.
int status_of(const std::string& config_file) {
    const auto log = spdlog::default_logger();
    int status = -1;
    std::thread([&] { status = app::serve({.config_file = config_file}); }).join();
    spdlog::set_default_logger(log);
    spdlog::drop("echelon");
    return status;
}

// Nobody listens at this API server.
constexpr const char* kubeconfig = R"(apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: abc}}]
)";

}  // namespace

TEST_CASE("bad configuration and unreadable files end the service with status 2") {
    const kube::TestFolder folder;
    const std::string heading =
        "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\nprofiles: "
        "[{schedulerName: default-scheduler}]\nclientConnection: {kubeconfig: ";
    const auto credentials = folder.write("kubeconfig", kubeconfig);
    const auto status = [&](const std::string& file, const std::string& more) {
        return status_of(folder.write("config.yaml", heading + file + "}\n" + more));
    };
    CHECK(status_of(folder.path() + "/absent.yaml") == 2);
    CHECK(status(credentials, "unknown: 1\n") == 2);
    CHECK(status(folder.path() + "/absent", "") == 2);
    CHECK(status(credentials, "tls: {certFile: /nowhere/c, keyFile: /nowhere/k}\n") == 2);
    CHECK(status(credentials, "webhook: {address: \"127.0.0.1:0\", certFile: /nowhere/c, keyFile: /nowhere/k}\n") == 2);
}
