#include "kube/client/credentials.hpp"

#include "kube/client/http_client.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

namespace echelon::kube {
namespace {

// A kubeconfig with this cluster and this user.
std::string kubeconfig(const std::string& cluster, const std::string& user) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
           "contexts:\n- name: elsewhere\n  context: {cluster: none, user: none}\n"
           "- name: here\n  context: {cluster: c, user: u}\n"
           "clusters:\n- name: c\n  cluster: " +
           cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

TEST_CASE("the current context has the server's address and our identity") {
    const TestFolder folder;
    const std::string file =
        folder.write("config", kubeconfig("{server: \"https://10.0.0.1:6443/k8s/x/\"}", "{token: abc}"));
    const auto read = Credentials::from_kubeconfig(file);
    REQUIRE(read.has_value());
    const Endpoint& endpoint = (*read)->endpoint();
    CHECK(endpoint.scheme == "https");
    CHECK(endpoint.host == "10.0.0.1");
    CHECK(endpoint.port == 6443);
    CHECK(endpoint.path == "/k8s/x");
    CHECK_FALSE(endpoint.insecure);
    CHECK((*read)->token() == "abc");
}

TEST_CASE("servers are read with and without port, and as IPv6 addresses") {
    struct Row {
        const char* server;
        const char* host;
        int port;
    };
    const TestFolder folder;
    for (const Row& row : {Row{"https://API.Example.org", "api.example.org", 443}, Row{"http://h", "h", 80},
                           Row{"https://[::1]:6443", "::1", 6443}, Row{"https://[fd00::2]", "fd00::2", 443}}) {
        CAPTURE(row.server);
        const auto read = Credentials::from_kubeconfig(
            folder.write("config", kubeconfig(std::string("{server: \"") + row.server + "\"}", "{}")));
        REQUIRE(read.has_value());
        CHECK((*read)->endpoint().host == row.host);
        CHECK((*read)->endpoint().port == row.port);
        CHECK((*read)->token().empty());
    }
}

TEST_CASE("files are found relative to the kubeconfig, wherever the process runs") {
    const TestFolder folder;
    folder.write("ca.pem", "ca");
    folder.write("cert.pem", "cert");
    folder.write("key.pem", "key");
    folder.write("token", "  t-1\n");
    const std::string file = folder.write(
        "config", kubeconfig("{server: \"https://h\", certificate-authority: ca.pem, tls-server-name: api}",
                             "{client-certificate: ./cert.pem, client-key: key.pem, tokenFile: token, token: older}"));
    const auto read = Credentials::from_kubeconfig(file);
    REQUIRE(read.has_value());
    CHECK((*read)->endpoint().ca_file == folder.path() + "/ca.pem");
    CHECK((*read)->endpoint().client_cert_file == folder.path() + "/cert.pem");
    CHECK((*read)->endpoint().server_name == "api");
    CHECK((*read)->token() == "t-1");
    // The file is read again when its token is refused, and an unreadable one keeps what there was.
    folder.write("token", "t-2");
    CHECK((*read)->token() == "t-1");
    (*read)->token_was_refused();
    CHECK((*read)->token() == "t-2");
    std::filesystem::remove(folder.path() + "/token");
    (*read)->token_was_refused();
    CHECK((*read)->token() == "t-2");
    std::filesystem::create_directory(folder.path() + "/token");
    (*read)->token_was_refused();
    CHECK((*read)->token() == "t-2");
    std::filesystem::remove(folder.path() + "/token");
    folder.write("token", "two\nlines");
    (*read)->token_was_refused();
    CHECK((*read)->token() == "t-2");
}

TEST_CASE("PEM data is kept in memory, where no cleaning of folders reaches it, and goes with the credentials") {
    const TestFolder folder;
    const std::string file = folder.write(
        "config",
        kubeconfig("{server: \"https://h\", certificate-authority-data: " + base64("CA") + "}",
                   "{client-certificate-data: " + base64("CERT!") + ", client-key-data: " + base64("the key") + "}"));
    std::string key;
    {
        const auto read = Credentials::from_kubeconfig(file);
        REQUIRE(read.has_value());
        key = (*read)->endpoint().client_key_file;
        struct stat status{};
        REQUIRE(::stat(key.c_str(), &status) == 0);
        CHECK(status.st_nlink == 0);  // No folder has it.
        CHECK(std::filesystem::file_size(key) == 7);
        CHECK(std::filesystem::file_size((*read)->endpoint().client_cert_file) == 5);
        CHECK(std::filesystem::file_size((*read)->endpoint().ca_file) == 2);
    }
    CHECK_FALSE(std::filesystem::exists(key));
}

TEST_CASE("with the certificates of a kubeconfig a server that demands one answers, and without it doesn't") {
    const TestCertificate server_certificate("IP:127.0.0.1");
    const TestCertificate client_certificate("DNS:me");
    X509_STORE* trusted = X509_STORE_new();  // Becomes the server's.
    X509_STORE_add_cert(trusted, client_certificate.certificate.get());
    FakeApiServer server([](const httplib::Request&, httplib::Response& response) { response.status = 200; },
                         std::make_unique<httplib::SSLServer>(server_certificate.certificate.get(),
                                                              server_certificate.key.get(), trusted));
    const std::string cluster = "{server: \"https://127.0.0.1:" + std::to_string(server.port()) +
                                "\", certificate-authority-data: " + base64(server_certificate.certificate_pem()) + "}";
    const std::string user = "{client-certificate-data: " + base64(client_certificate.certificate_pem()) +
                             ", client-key-data: " + base64(client_certificate.key_pem()) + "}";
    const TestFolder folder;
    for (const bool known : {true, false}) {
        const auto read =
            Credentials::from_kubeconfig(folder.write("config", kubeconfig(cluster, known ? user : "{}")));
        REQUIRE(read.has_value());
        HttpClient client(*read);
        CHECK(client.send({.target = "/"}).succeeded() == known);
    }
}

TEST_CASE("a kubeconfig that can't be honoured is refused with a sentence that names file and field") {
    struct Row {
        const char* cluster;
        const char* user;
        const char* sentence;
    };
    const char* good = "{server: \"https://h\"}";
    const Row rows[] = {
        {good, "{exec: {command: login}}",
         "user \"u\".exec isn't supported: credential plugins aren't run; use a service account's token or a client "
         "certificate"},
        {good, "{auth-provider: {name: oidc}}",
         "user \"u\".auth-provider isn't supported: credential plugins aren't run; use a service account's token or a "
         "client certificate"},
        {good, "{username: a, password: b}",
         "user \"u\".username isn't supported; use a token or a client certificate"},
        {good, "{as: root, token: t}", "user \"u\".as isn't supported; use a token or a client certificate"},
        {good, "{client-certificate-data: QUJD}", "user \"u\": client-certificate and client-key go together"},
        {good, "{client-key-data: \"???\"}", "user \"u\".client-key-data isn't base64"},
        {good, "{token: [1]}", "user \"u\".token must be a string"},
        {good, "{tokenFile: /nonexistent}", "names a file that isn't there: /nonexistent"},
        {good, "7", "users has no entry \"u\""},
        {"{server: h}", "{}", "cluster \"c\": server \"h\" must begin with https:// or http://"},
        {"{server: \"https://h:70000\"}", "{}", "cluster \"c\": server \"https://h:70000\" has no valid port"},
        {"{server: \"https://:1\"}", "{}", "cluster \"c\": server \"https://:1\" names no host"},
        {"{server: \"https://h\", insecure-skip-tls-verify: perhaps}", "{}",
         "cluster \"c\".insecure-skip-tls-verify must be true or false"},
        {"{server: \"https://h\", proxy-url: \"http://p\"}", "{}", "cluster \"c\".proxy-url isn't supported"},
        {"{server: \"https://h\", certificate-authority: missing.pem}", "{}", "names a file that isn't there: "},
    };
    const TestFolder folder;
    for (const Row& row : rows) {
        CAPTURE(row.sentence);
        const std::string file = folder.write("config", kubeconfig(row.cluster, row.user));
        const auto read = Credentials::from_kubeconfig(file);
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().sentence.starts_with(file + ": " + row.sentence));
    }
    for (const char* text : {"", "[]", "a: [", "current-context: x", "{}", "- 1"}) {
        CAPTURE(text);
        CHECK_FALSE(Credentials::from_kubeconfig(folder.write("config", text)).has_value());
    }
    CHECK_FALSE(Credentials::from_kubeconfig(folder.path() + "/missing").has_value());
    CHECK_FALSE(Credentials::from_kubeconfig(folder.path()).has_value());
}

TEST_CASE("insecure is read, and only when it is asked for") {
    const TestFolder folder;
    const auto read = Credentials::from_kubeconfig(
        folder.write("config", kubeconfig("{server: \"https://h\", insecure-skip-tls-verify: true}", "{}")));
    REQUIRE(read.has_value());
    CHECK((*read)->endpoint().insecure);
}

TEST_CASE("in a cluster the environment names the server, and the service account's folder the rest") {
    const TestFolder folder;
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    ::unsetenv("KUBERNETES_SERVICE_PORT");
    CHECK(Credentials::in_cluster(folder.path()).error().sentence.starts_with("not in a cluster"));
    ::setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
    ::setenv("KUBERNETES_SERVICE_PORT", "https", 1);
    CHECK(Credentials::in_cluster(folder.path()).error().sentence == "KUBERNETES_SERVICE_PORT is no port: \"https\"");
    ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    CHECK(Credentials::in_cluster(folder.path()).error().sentence ==
          "the service account has no CA file: " + folder.path() + "/ca.crt");
    folder.write("ca.crt", "ca");
    CHECK(Credentials::in_cluster(folder.path()).error().sentence ==
          "the service account has no readable token: " + folder.path() + "/token");
    folder.write("token", "t");
    const auto read = Credentials::in_cluster(folder.path());
    REQUIRE(read.has_value());
    CHECK((*read)->endpoint().scheme == "https");
    CHECK((*read)->endpoint().host == "10.96.0.1");
    CHECK((*read)->endpoint().port == 443);
    CHECK((*read)->endpoint().ca_file == folder.path() + "/ca.crt");
    CHECK((*read)->token() == "t");
    for (const char* host : {"fd00:10:96::1", "[fd00:10:96::1]"}) {
        ::setenv("KUBERNETES_SERVICE_HOST", host, 1);
        CHECK((*Credentials::in_cluster(folder.path()))->endpoint().host == "fd00:10:96::1");
    }
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    ::unsetenv("KUBERNETES_SERVICE_PORT");
}

}  // namespace
}  // namespace echelon::kube
