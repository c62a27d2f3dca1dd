#include "kube/client/credentials.hpp"

#include "base/whole_number.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace echelon::kube {

namespace {

constexpr std::chrono::seconds token_age_limit{60};
constexpr std::size_t longest_token = std::size_t{1} << 20;

// The token in a file, without surrounding white space; nullopt if it can't be read or is empty.
std::optional<std::string> token_in(const std::string& file) {
    std::error_code error;
    std::ifstream input(file, std::ios::binary);
    if (!input || std::filesystem::is_directory(file, error))  // Reading a folder throws.
        return std::nullopt;
    std::string text{std::istreambuf_iterator<char>(input), {}};
    constexpr const char* blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string::npos || text.size() > longest_token)
        return std::nullopt;
    text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
    // A line break would begin another header line.
    if (text.find_first_of("\r\n") != std::string::npos)
        return std::nullopt;
    return text;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read once, at the start.
    return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::optional<int> port_in(std::string_view text) {
    const auto number = base::whole_number<int>(text);
    return number && *number >= 1 && *number <= 65535 ? number : std::nullopt;
}

base::Result<std::shared_ptr<Credentials>> Credentials::in_cluster(const std::string& directory) {
    std::string host = environment("KUBERNETES_SERVICE_HOST");
    if (host.starts_with('[') && host.ends_with(']'))  // IPv6: some write it as in a URL.
        host = host.substr(1, host.size() - 2);
    const std::string port = environment("KUBERNETES_SERVICE_PORT");
    if (host.empty() || port.empty())
        return base::failure("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT aren't set");
    const auto number = port_in(port);
    if (!number)
        return base::failure(fmt::format("KUBERNETES_SERVICE_PORT is no port: \"{}\"", port));
    Endpoint endpoint{.scheme = "https", .host = host, .port = *number, .ca_file = directory + "/ca.crt"};
    std::error_code missing;
    if (!std::filesystem::is_regular_file(endpoint.ca_file, missing))
        return base::failure(fmt::format("the service account has no CA file: {}", endpoint.ca_file));
    const std::string token_file = directory + "/token";
    std::optional<std::string> token = token_in(token_file);
    if (!token)
        return base::failure(fmt::format("the service account has no readable token: {}", token_file));
    return std::make_shared<Credentials>(std::move(endpoint), std::move(*token), token_file);
}

Credentials::Credentials(Endpoint endpoint, std::string token, std::string token_file)
    : endpoint_(std::move(endpoint)),
      token_file_(std::move(token_file)),
      token_(std::move(token)),
      read_at_(std::chrono::steady_clock::now()) {
    if (token_.empty() && !token_file_.empty())
        token_ = token_in(token_file_).value_or("");
}

Credentials::~Credentials() {
    for (const int descriptor : memory_files_)
        ::close(descriptor);
}

std::string Credentials::token() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!token_file_.empty() && now - read_at_ >= token_age_limit) {
        read_at_ = now;
        if (std::optional<std::string> fresh = token_in(token_file_))
            token_ = std::move(*fresh);
    }
    return token_;
}

void Credentials::token_was_refused() {
    const std::lock_guard lock(mutex_);
    if (token_file_.empty())
        return;
    read_at_ = std::chrono::steady_clock::now();
    if (std::optional<std::string> fresh = token_in(token_file_))
        token_ = std::move(*fresh);
}

}  // namespace echelon::kube
