#include "kube/client/http_client.hpp"

#include "base/ascii.hpp"
#include "base/whole_number.hpp"
#include "kube/client/tls_connection.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::kube {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds write_limit{10};
constexpr std::size_t largest_body = std::size_t{32} << 20;
constexpr std::chrono::milliseconds cancel_interval{20};
constexpr int cancel_rounds = 50;
constexpr std::string_view json_type = "application/json";

void set_option(int socket, int level, int name, int value) {
    // If an option fails, only the read time-out finds a dead peer.
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

void set_dead_peer_detection(int socket) {
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

// The library verifies the name that it connects to, and sends it as SNI. For another name (tls-server-name) the
// addresses are looked up here.
std::vector<std::string> numeric_addresses(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0)
        return {};
    std::vector<std::string> addresses;
    for (const auto* each = found; each != nullptr; each = each->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
            addresses.emplace_back(text.data());
    }
    ::freeaddrinfo(found);
    return addresses;
}

// A write to a closed connection must fail instead of ending the process.
void block_sigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

std::optional<std::chrono::seconds> retry_after(const httplib::Response& response) {
    const std::string text = response.get_header_value("Retry-After");
    const auto seconds = base::whole_number<std::int64_t>(text);
    if (!seconds || *seconds < 0)
        return std::nullopt;
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, longest_retry_after.count()));
}

// The server refuses the media type of the answer, and has done nothing. A 415 for a request with a body may be about
// the body.
bool is_about_type(int status, const HttpRequest& request) {
    return status == 406 || (status == 415 && request.body.empty());
}

// HOST:PORT as in a URL and in the header Host: IPv6 in brackets.
std::string authority(const std::string& host, int port) {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

const std::string& name_of(const Endpoint& endpoint) {
    return endpoint.server_name.empty() ? endpoint.host : endpoint.server_name;
}

std::string explain(httplib::Error error, bool silent, const Endpoint& endpoint, const HttpRequest& request) {
    const std::string where = authority(endpoint.host, endpoint.port);
    switch (error) {
        case httplib::Error::Connection:
        case httplib::Error::BindIPAddress:
            return fmt::format("no connection to {}", where);
        case httplib::Error::ConnectionTimeout:
            return fmt::format("no connection to {} within {} ms", where, request.connect.count());
        case httplib::Error::SSLConnection:
            return fmt::format("TLS handshake with {} failed", where);
        case httplib::Error::SSLLoadingCerts:
            return fmt::format("the CA file or the client certificate for {} can't be loaded", where);
        case httplib::Error::SSLServerVerification:
            return fmt::format("the certificate of {} isn't signed by the given CA or isn't for this name", where);
        case httplib::Error::Read:
            return silent ? fmt::format("{} was silent for {} ms", where, request.silence.count())
                          : fmt::format("the connection to {} ended inside the answer", where);
        case httplib::Error::Write:
            return fmt::format("the connection to {} ended inside the request", where);
        case httplib::Error::Success:
        case httplib::Error::Unknown:
        case httplib::Error::ExceedRedirectCount:
        case httplib::Error::Canceled:
        case httplib::Error::UnsupportedMultipartBoundaryChars:
        case httplib::Error::Compression:
            break;
    }
    return fmt::format("the exchange with {} failed: {}", where, httplib::to_string(error));
}

bool nothing_was_sent(httplib::Error error) {
    return error == httplib::Error::Connection || error == httplib::Error::BindIPAddress ||
           error == httplib::Error::ConnectionTimeout || error == httplib::Error::SSLConnection ||
           error == httplib::Error::SSLLoadingCerts || error == httplib::Error::SSLServerVerification;
}

}  // namespace

HttpClient::HttpClient(std::shared_ptr<Credentials> credentials) : credentials_(std::move(credentials)) {}

HttpClient::~HttpClient() {
    connection_.reset();
    forget_socket();
}

HttpAnswer HttpClient::send(const HttpRequest& request) {
    return attempt(request, nullptr, {});
}

HttpAnswer HttpClient::stream(const HttpRequest& request, const Receive& receive, const Opened& opened) {
    return attempt(request, &receive, opened);
}

// After a 401 the token file is read again and the request repeated on a new connection, which loads the client
// certificate: either may have been renewed. A server that refuses protobuf is asked for JSON alone from then on.
HttpAnswer HttpClient::attempt(const HttpRequest& request, const Receive* receive, const Opened& opened) {
    HttpAnswer answer = exchange(request, receive, opened);
    if (answer.status == 401) {
        credentials_->token_was_refused();
        drop_connection();
        answer = exchange(request, receive, opened);
    }
    if (!json_alone_ && request.accept != json_type && is_about_type(answer.status, request)) {
        json_alone_ = true;
        answer = exchange(request, receive, opened);
    }
    return answer;
}

struct HttpClient::Reception {
    HttpAnswer answer;
    Clock::time_point heard = Clock::now();
    bool declined = false;
};

HttpAnswer HttpClient::exchange(const HttpRequest& request, const Receive* receive, const Opened& opened) {
    block_sigpipe();
    Reception reception;
    HttpAnswer& answer = reception.answer;
    // The time to connect counts, too.
    const auto left = std::chrono::floor<std::chrono::milliseconds>(end_ - Clock::now());
    if (left.count() <= 0) {
        answer.sentence = "nothing is sent any more";
        return answer;
    }
    if (connection_ && Clock::now() - used_at_ > request.reuse)
        drop_connection();
    if (!connection_ && !connect(answer.sentence))
        return answer;
    if (!begin_call())
        return {.ending = HttpAnswer::Ending::cancelled, .sentence = "cancelled"};
    connection_->set_connection_timeout(std::min(request.connect, left));
    connection_->set_read_timeout(request.silence);
    httplib::Request call = prepared(request);
    receive_into(reception, call, receive, opened);
    httplib::Response response;
    httplib::Error error = httplib::Error::Success;
    reception.heard = Clock::now();
    const bool whole = connection_->send(call, response, error);
    const bool cancelled = end_call();
    used_at_ = Clock::now();
    if (whole) {
        answer.ending = HttpAnswer::Ending::complete;
        answer.status = response.status;
        answer.retry_after = retry_after(response);
        return answer;
    }
    const bool silent = Clock::now() - reception.heard >= request.silence - request.silence / 10;
    if (cancelled) {
        answer.ending = HttpAnswer::Ending::cancelled;
    } else if (reception.declined) {
        answer.ending = HttpAnswer::Ending::declined;
    } else if (nothing_was_sent(error)) {
        answer.ending = HttpAnswer::Ending::unreachable;
        ++next_address_;
    } else {
        answer.ending = silent ? HttpAnswer::Ending::silent : HttpAnswer::Ending::broken;
    }
    answer.sentence = cancelled ? "cancelled" : explain(error, silent, credentials_->endpoint(), request);
    // The next request opens a new connection, which also loads renewed certificates from disk.
    drop_connection();
    return answer;
}

// False: the request was cancelled before it began.
bool HttpClient::begin_call() {
    const std::lock_guard lock(mutex_);
    if (cancelled_ || std::exchange(interrupted_, false))
        return false;
    busy_ = true;
    return true;
}

// True: the call was cancelled.
bool HttpClient::end_call() {
    bool cancelled = false;
    {
        const std::lock_guard lock(mutex_);
        busy_ = false;
        cancelled = std::exchange(interrupted_, false) || cancelled_;
    }
    idle_.notify_all();
    return cancelled;
}

// Requires: all arguments outlive the call.
void HttpClient::receive_into(Reception& reception, httplib::Request& call, const Receive* receive,
                              const Opened& opened) {
    call.response_handler = [this, &reception, &opened, receive](const httplib::Response& head) {
        HttpAnswer& answer = reception.answer;
        reception.heard = Clock::now();
        answer.status = head.status;
        answer.content_type = head.get_header_value("Content-Type");
        if (receive != nullptr && head.status == 200 && opened)
            opened(answer.content_type);
        return !is_cancelled();
    };
    call.content_receiver = [this, &reception, receive](const char* data, std::size_t size, std::uint64_t,
                                                        std::uint64_t) {
        HttpAnswer& answer = reception.answer;
        reception.heard = Clock::now();
        if (is_cancelled())
            return false;
        if (receive != nullptr && answer.status == 200) {
            reception.declined = !(*receive)(std::string_view(data, size));
        } else if (answer.body.size() + size <= largest_body) {
            answer.body.append(data, size);
        } else {
            reception.declined = true;
        }
        return !reception.declined;
    };
}

void HttpClient::drop_connection() {
    connection_.reset();
    forget_socket();
}

httplib::Request HttpClient::prepared(const HttpRequest& request) {
    httplib::Request call;
    call.method = request.method;
    call.path = credentials_->endpoint().path + request.target;
    call.body = request.body;
    call.set_header("Accept", std::string(json_alone_ ? json_type : request.accept));
    const Endpoint& endpoint = credentials_->endpoint();
    call.set_header("Host", authority(name_of(endpoint), endpoint.port));  // The library leaves brackets out.
    call.set_header("User-Agent", "echelon");
    if (!request.content_type.empty())
        call.set_header("Content-Type", request.content_type);
    if (request.compressed)
        call.set_header("Accept-Encoding", "gzip");
    if (const std::string token = credentials_->token(); !token.empty())
        call.set_header("Authorization", "Bearer " + token);
    return call;
}

bool HttpClient::connect(std::string& problem) {
    const Endpoint& endpoint = credentials_->endpoint();
    const std::string& name = name_of(endpoint);
    const auto addresses = name == endpoint.host ? std::vector<std::string>() : numeric_addresses(endpoint.host);
    if (name != endpoint.host && addresses.empty()) {
        problem = fmt::format("the address of {} can't be found", endpoint.host);
        return false;
    }
    if (endpoint.scheme == "https") {
        auto secure =
            std::make_unique<TlsConnection>(name, endpoint.port, endpoint.client_cert_file, endpoint.client_key_file);
        if (!endpoint.ca_file.empty())
            secure->set_ca_cert_path(endpoint.ca_file);
        secure->enable_server_certificate_verification(!endpoint.insecure);
        if (auto* context = secure->ssl_context(); context != nullptr) {
            SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
            if (!endpoint.insecure)
                secure->require_name(name);
        }
        connection_ = std::move(secure);
    } else {
        connection_ = std::make_unique<httplib::ClientImpl>(name, endpoint.port);
    }
    if (!connection_->is_valid()) {
        connection_.reset();
        problem = explain(httplib::Error::SSLLoadingCerts, false, endpoint, HttpRequest{});
        return false;
    }
    if (!addresses.empty())
        connection_->set_hostname_addr_map({{name, addresses[next_address_ % addresses.size()]}});
    connection_->set_keep_alive(true);
    connection_->set_follow_location(false);
    connection_->set_url_encode(false);
    connection_->set_tcp_nodelay(true);
    connection_->set_decompress(true);
    connection_->set_write_timeout(write_limit);
    connection_->set_socket_options([this](socket_t socket) { adopt(socket); });
    return true;
}

void HttpClient::adopt(int socket) {
    set_dead_peer_detection(socket);
    const int copy = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    const std::lock_guard lock(mutex_);
    if (socket_ >= 0)
        ::close(socket_);
    socket_ = copy;
}

void HttpClient::forget_socket() {
    const std::lock_guard lock(mutex_);
    if (socket_ >= 0)
        ::close(socket_);
    socket_ = -1;
}

bool HttpClient::is_cancelled() {
    const std::lock_guard lock(mutex_);
    return cancelled_ || interrupted_;
}

void HttpClient::cancel() {
    end_request(cancelled_);
}

void HttpClient::interrupt() {
    end_request(interrupted_);
}

// A shutdown of the socket ends a connect, a handshake or a read. It is repeated, since a shutdown between the creation
// of a socket and its connect is lost.
void HttpClient::end_request(bool& reason) {
    std::unique_lock lock(mutex_);
    reason = true;
    // Ends once the interruption was seen, even if the next request is under way.
    for (int round = 0; busy_ && reason && round < cancel_rounds; ++round) {
        if (socket_ >= 0)
            ::shutdown(socket_, SHUT_RDWR);
        idle_.wait_for(lock, cancel_interval, [&] { return !busy_ || !reason; });
    }
}

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        const bool plain = base::is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            encoded += c;
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

}  // namespace echelon::kube
