// Which credentials does a kubeconfig give? The current context, its cluster and its user (docs/install.md).
//
// A setting that isn't supported is an error. Acting as another user than the file says, or bypassing its proxy, would
// be worse than not starting.

#include "base/ascii.hpp"
#include "kube/client/credentials.hpp"
#include "kube/json/packed_text.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

namespace echelon::kube {

namespace {

constexpr std::size_t largest_kubeconfig = std::size_t{1} << 20;

// Names in certificates are compared with this.
std::string lower(std::string name) {
    std::ranges::transform(name, name.begin(), base::to_lower);
    return name;
}

// Parts of "https://host:port/path".
base::Result<Endpoint> parse_server(const std::string& server) {
    Endpoint endpoint;
    const auto colon = server.find("://");
    endpoint.scheme = colon == std::string::npos ? "" : server.substr(0, colon);
    if (endpoint.scheme != "https" && endpoint.scheme != "http")
        return base::failure(fmt::format("server \"{}\" must begin with https:// or http://", server));
    endpoint.port = endpoint.scheme == "https" ? 443 : 80;
    std::string rest = server.substr(colon + 3);
    if (const auto slash = rest.find('/'); slash != std::string::npos) {
        endpoint.path = rest.substr(slash);
        rest.resize(slash);
    }
    while (endpoint.path.ends_with('/'))
        endpoint.path.pop_back();
    std::string port;
    if (rest.starts_with('[')) {
        const auto bracket = rest.find(']');
        if (bracket == std::string::npos)
            return base::failure(fmt::format("server \"{}\" has an unclosed bracket", server));
        endpoint.host = rest.substr(1, bracket - 1);
        rest = rest.substr(bracket + 1);
        if (!rest.empty() && !rest.starts_with(':'))
            return base::failure(fmt::format("server \"{}\" has text behind its address", server));
        port = rest.empty() ? "" : rest.substr(1);
    } else {
        const auto separator = rest.find(':');
        endpoint.host = rest.substr(0, separator);
        port = separator == std::string::npos ? "" : rest.substr(separator + 1);
    }
    if (endpoint.host.empty())
        return base::failure(fmt::format("server \"{}\" names no host", server));
    endpoint.host = lower(endpoint.host);
    if (!port.empty()) {
        const auto number = port_in(port);
        if (!number)
            return base::failure(fmt::format("server \"{}\" has no valid port", server));
        endpoint.port = *number;
    }
    return endpoint;
}

}  // namespace

// Reads the file. A friend of Credentials, which take over the files in memory.
struct KubeconfigReader {
    std::string file;  // The path as the caller gave it, for messages.
    std::filesystem::path folder;
    std::vector<int> memory_files;  // Descriptors of embedded data.
    std::string problem;            // The first one; empty: none.

    ~KubeconfigReader() {
        for (const int descriptor : memory_files)
            ::close(descriptor);
    }

    void refuse(const std::string& sentence) {
        if (problem.empty())
            problem = fmt::format("{}: {}", file, sentence);
    }

    std::string text(const YAML::Node& map, const char* key, const std::string& path) {
        const YAML::Node value = map[key];
        if (!value || value.IsNull())
            return {};
        if (!value.IsScalar()) {
            refuse(fmt::format("{}.{} must be a string", path, key));
            return {};
        }
        return value.Scalar();
    }

    // A file that the kubeconfig names: relative to the kubeconfig's own folder.
    std::string located(const std::string& name) {
        if (name.empty())
            return {};
        const std::filesystem::path path(name);
        return path.is_absolute() ? name : (folder / path).lexically_normal().string();
    }

    // The library takes only files, and files in a temporary folder may be cleaned away. So embedded data gets a file
    // in memory, which has a path while its descriptor is open.
    std::string stored(const std::string& base64, const std::string& name, const std::string& path) {
        const base::Result<std::string> bytes = decode_base64(base64);
        if (!bytes) {
            refuse(fmt::format("{} {}", path, bytes.error().sentence));
            return {};
        }
        const int descriptor = ::memfd_create(name.c_str(), MFD_CLOEXEC);
        bool written = descriptor >= 0;
        if (written)
            memory_files.push_back(descriptor);
        for (std::size_t at = 0; written && at < bytes->size();) {
            const ssize_t count = ::write(descriptor, bytes->data() + at, bytes->size() - at);
            if (count > 0) {
                at += static_cast<std::size_t>(count);
            } else {
                written = count < 0 && errno == EINTR;
            }
        }
        if (!written)
            refuse(fmt::format("{} couldn't be kept in memory: {}", path, std::generic_category().message(errno)));
        return fmt::format("/proc/self/fd/{}", descriptor);
    }

    // KEY-data wins over KEY, as in every client.
    std::string pem(const YAML::Node& map, const std::string& key, const std::string& path) {
        const std::string data = text(map, (key + "-data").c_str(), path);
        if (!data.empty())
            return stored(data, key + ".pem", fmt::format("{}.{}-data", path, key));
        return located(text(map, key.c_str(), path));
    }

    // The map `part` of the entry called `name` in the list `list`.
    YAML::Node entry(const YAML::Node& root, const char* list, const char* part, const std::string& name) {
        const YAML::Node all = root[list];
        if (all && all.IsSequence()) {
            for (const YAML::Node& each : all) {
                if (each.IsMap() && text(each, "name", list) == name) {
                    if (const YAML::Node found = each[part]; found && found.IsMap())
                        return found;
                }
            }
        }
        refuse(fmt::format("{} has no entry \"{}\"", list, name));
        return YAML::Node(YAML::NodeType::Map);
    }

    Endpoint read_cluster(const YAML::Node& cluster, const std::string& path) {
        base::Result<Endpoint> parsed = parse_server(text(cluster, "server", path));
        if (!parsed) {
            refuse(fmt::format("{}: {}", path, parsed.error().sentence));
            return {};
        }
        Endpoint endpoint = std::move(*parsed);
        endpoint.ca_file = pem(cluster, "certificate-authority", path);
        endpoint.server_name = lower(text(cluster, "tls-server-name", path));
        const std::string insecure = text(cluster, "insecure-skip-tls-verify", path);
        endpoint.insecure = insecure == "true";
        if (!insecure.empty() && insecure != "true" && insecure != "false")
            refuse(fmt::format("{}.insecure-skip-tls-verify must be true or false", path));
        if (!text(cluster, "proxy-url", path).empty())
            refuse(fmt::format("{}.proxy-url isn't supported", path));
        return endpoint;
    }

    void read_user(const YAML::Node& user, const std::string& path, Endpoint& endpoint, std::string& token,
                   std::string& token_file) {
        for (const char* plugin : {"exec", "auth-provider"}) {
            if (const YAML::Node found = user[plugin]; found && !found.IsNull()) {
                refuse(
                    fmt::format("{}.{} isn't supported: credential plugins aren't run; use a service account's "
                                "token or a client certificate",
                                path, plugin));
            }
        }
        for (const char* foreign : {"username", "password", "as", "as-uid"}) {
            if (!text(user, foreign, path).empty())
                refuse(fmt::format("{}.{} isn't supported; use a token or a client certificate", path, foreign));
        }
        endpoint.client_cert_file = pem(user, "client-certificate", path);
        endpoint.client_key_file = pem(user, "client-key", path);
        if (endpoint.client_cert_file.empty() != endpoint.client_key_file.empty())
            refuse(fmt::format("{}: client-certificate and client-key go together", path));
        token = text(user, "token", path);
        if (token.find_first_of("\r\n") != std::string::npos)
            refuse(fmt::format("{}.token has a line break in it", path));
        token_file = located(text(user, "tokenFile", path));
    }

    void must_exist(const std::string& path) {
        std::error_code error;
        if (!path.empty() && !std::filesystem::is_regular_file(path, error))
            refuse(fmt::format("names a file that isn't there: {}", path));
    }

    base::Result<std::shared_ptr<Credentials>> read(const YAML::Node& root) {
        if (!root.IsMap())
            return base::failure(fmt::format("{}: isn't a kubeconfig", file));
        const std::string context_name = text(root, "current-context", "kubeconfig");
        if (context_name.empty())
            refuse("current-context isn't set");
        const YAML::Node context = entry(root, "contexts", "context", context_name);
        const std::string cluster_name = text(context, "cluster", "context");
        const std::string user_name = text(context, "user", "context");
        Endpoint endpoint =
            read_cluster(entry(root, "clusters", "cluster", cluster_name), fmt::format("cluster \"{}\"", cluster_name));
        std::string token;
        std::string token_file;
        if (!user_name.empty()) {
            read_user(entry(root, "users", "user", user_name), fmt::format("user \"{}\"", user_name), endpoint, token,
                      token_file);
        }
        for (const std::string& named : {endpoint.ca_file, endpoint.client_cert_file, endpoint.client_key_file})
            must_exist(named);
        if (token.empty())
            must_exist(token_file);
        if (!problem.empty())
            return base::failure(problem);
        auto credentials = std::make_shared<Credentials>(std::move(endpoint), std::move(token), std::move(token_file));
        // If both are given, the file wins; the inline token counts while the file can't be read.
        credentials->token_was_refused();
        credentials->memory_files_ = std::exchange(memory_files, {});
        return credentials;
    }
};

base::Result<std::shared_ptr<Credentials>> Credentials::from_kubeconfig(const std::string& path) {
    std::ifstream input(path, std::ios::binary);
    if (!input)
        return base::failure(fmt::format("{}: the kubeconfig can't be read", path));
    std::string text(largest_kubeconfig + 1, '\0');
    input.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(input.gcount()));
    if (text.empty() || text.size() > largest_kubeconfig)
        return base::failure(fmt::format("{}: a kubeconfig has between 1 byte and 1 MiB", path));
    KubeconfigReader reader;
    reader.file = path;
    std::error_code ignored;
    reader.folder = std::filesystem::absolute(path, ignored).parent_path();
    try {
        return reader.read(YAML::Load(text));
    } catch (const YAML::Exception& broken) {
        return base::failure(fmt::format("{}: {}", path, broken.what()));
    }
}

}  // namespace echelon::kube
