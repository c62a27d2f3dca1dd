#pragma once

// How is the API server reached, and as which user? From a kubeconfig or the service account of the pod
// (docs/install.md).
//
// Thread-safe. The token file is read again every minute, and after each 401. If it can't be read, the old token stays.

#include "base/result.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

struct Endpoint {
    std::string scheme = {};  // "https" or "http".
    std::string host = {};
    int port = 443;
    std::string ca_file = {};           // PEM; empty: the system's.
    std::string client_cert_file = {};  // PEM; empty: none.
    std::string client_key_file = {};
    bool insecure = false;         // insecure-skip-tls-verify; warned about loudly.
    std::string server_name = {};  // tls-server-name; empty: the host.
    std::string path = {};         // Prefix before /api, which some proxies require; mostly empty.
};

// The TCP port that the text is, 1 to 65535; nullopt: it is none.
[[nodiscard]] std::optional<int> port_in(std::string_view text);

class Credentials {
public:
    // The current context of a kubeconfig file. exec and auth-provider plugins are refused with a sentence.
    [[nodiscard]] static base::Result<std::shared_ptr<Credentials>> from_kubeconfig(const std::string& path);
    // KUBERNETES_SERVICE_HOST/PORT and the mounted service account under `directory`.
    [[nodiscard]] static base::Result<std::shared_ptr<Credentials>> in_cluster(
        const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

    Credentials(Endpoint endpoint, std::string token, std::string token_file);
    ~Credentials();

    [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
    // The bearer token; empty: none.
    [[nodiscard]] std::string token();
    // A call was answered with 401: read the token file again now.
    void token_was_refused();

private:
    const Endpoint endpoint_;
    const std::string token_file_;
    std::mutex mutex_;
    std::string token_;                              // Guarded by mutex_.
    std::chrono::steady_clock::time_point read_at_;  // Guarded by mutex_.
    std::vector<int> memory_files_;                  // PEM data of a kubeconfig; the destructor closes them.
    friend struct KubeconfigReader;
};

}  // namespace echelon::kube
