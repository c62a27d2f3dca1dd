#include "unit-tests/server/wire.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::server::test {

Wire::Wire(int port, int receive_buffer, const char* from) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer > 0)
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    if (::inet_pton(AF_INET, from, &own.sin_addr) != 1 ||
        ::bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0) {
        hang_up();
        return;
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
        hang_up();
}

Wire::~Wire() {
    hang_up();
}

Wire::Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)), pending_(std::move(other.pending_)) {}

bool Wire::send(std::string_view bytes) {
    while (!bytes.empty()) {
        if (socket_ < 0)
            return false;
        auto put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

bool Wire::receive() {
    if (socket_ < 0)
        return false;
    std::array<char, 64 * 1024> piece{};
    auto got = ::recv(socket_, piece.data(), piece.size(), 0);
    if (got <= 0)
        return false;
    pending_.append(piece.data(), static_cast<std::size_t>(got));
    return true;
}

std::optional<Heard> Wire::hear(bool has_body) {
    auto end = pending_.find("\r\n\r\n");
    for (; end == std::string::npos; end = pending_.find("\r\n\r\n")) {
        if (!receive())
            return std::nullopt;
    }
    Heard heard;
    heard.status = std::stoi(pending_.substr(9, 3));
    std::string_view head(pending_.data(), end + 2);
    for (auto line = head.find("\r\n") + 2; line < head.size();) {
        auto next = head.find("\r\n", line);
        auto colon = head.find(": ", line);
        std::string name(head.substr(line, colon - line));
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        heard.headers[name] = head.substr(colon + 2, next - colon - 2);
        line = next + 2;
    }
    pending_.erase(0, end + 4);
    auto length = heard.headers.find("content-length");
    auto wanted = has_body && length != heard.headers.end() ? std::stoul(length->second) : 0;
    while (pending_.size() < wanted) {
        if (!receive())
            return std::nullopt;
    }
    heard.body = pending_.substr(0, wanted);
    pending_.erase(0, wanted);
    if (pending_.empty())
        std::string().swap(pending_);  // Tests measure what is kept.
    return heard;
}

bool Wire::ends() {
    if (!pending_.empty())
        return false;
    char byte = 0;
    auto got = ::recv(socket_, &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

void Wire::finish() {
    ::shutdown(socket_, SHUT_WR);
}

void Wire::hang_up() {
    if (socket_ >= 0)
        ::close(std::exchange(socket_, -1));
}

std::string post(std::string_view path, std::string_view body, std::string_view more_headers) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: echelon\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", path,
        more_headers, body.size(), body);
}

std::optional<Heard> ask(int port, std::string_view request) {
    Wire wire(port);
    wire.send(request);
    return wire.hear();
}

}  // namespace echelon::server::test
