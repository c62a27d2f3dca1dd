#pragma once

// How does a test let a server fall silent inside a TLS record? A relay in front of a server of this machine cuts an
// answer, and leaves the connection open.
//
// Thread-safe.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <list>
#include <stop_token>
#include <thread>

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::kube {

class CuttingRelay {
public:
    explicit CuttingRelay(int server_port) : server_port_(server_port) {
        sockaddr_in address = local(0);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(listener_, 16) == 0);
        REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::jthread([this](const std::stop_token& stop) { accept(stop); });
    }
    ~CuttingRelay() {
        acceptor_ = {};
        connections_.clear();
        ::close(listener_);
    }
    CuttingRelay(const CuttingRelay&) = delete;
    CuttingRelay& operator=(const CuttingRelay&) = delete;

    [[nodiscard]] int port() const { return port_; }
    // Of the next answer only this many bytes pass, and nothing after it on its connection.
    void cut_next(std::size_t bytes) { cut_ = bytes; }

private:
    static constexpr int poll_milliseconds = 5;
    static constexpr std::size_t no_cut = std::numeric_limits<std::size_t>::max();

    static sockaddr_in local(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    static int new_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

    void accept(const std::stop_token& stop) {
        pollfd polled{.fd = listener_, .events = POLLIN, .revents = 0};
        while (!stop.stop_requested()) {
            if (::poll(&polled, 1, poll_milliseconds) <= 0)
                continue;
            const int client = ::accept(listener_, nullptr, nullptr);
            connections_.emplace_back([this, client](const std::stop_token& end) { relay(end, client); });
        }
    }

    void relay(const std::stop_token& stop, int client) {
        const int server = new_socket();
        const sockaddr_in address = local(server_port_);
        bool is_open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        std::size_t left = no_cut;
        std::array<pollfd, 2> polled{pollfd{.fd = client, .events = POLLIN, .revents = 0},
                                     pollfd{.fd = server, .events = POLLIN, .revents = 0}};
        while (is_open && !stop.stop_requested()) {
            if (::poll(polled.data(), polled.size(), poll_milliseconds) <= 0)
                continue;
            std::size_t unlimited = no_cut;
            if (polled[0].revents != 0)
                is_open = pass(client, server, unlimited);
            if (is_open && polled[1].revents != 0) {
                if (left == no_cut)
                    left = cut_.exchange(no_cut);
                is_open = pass(server, client, left);
            }
        }
        ::close(client);
        ::close(server);
    }

    // Hands on what has come, up to `left` bytes. False: the connection ended.
    static bool pass(int from, int to, std::size_t& left) {
        std::array<char, 65'536> bytes{};
        const auto size = ::recv(from, bytes.data(), bytes.size(), 0);
        if (size <= 0)
            return false;
        const std::size_t passing = std::min(static_cast<std::size_t>(size), left);
        for (std::size_t sent = 0; sent < passing;) {
            const auto part = ::send(to, bytes.data() + sent, passing - sent, MSG_NOSIGNAL);
            if (part <= 0)
                return false;
            sent += static_cast<std::size_t>(part);
        }
        if (left != no_cut)
            left -= passing;
        return true;
    }

    const int server_port_;
    const int listener_ = new_socket();
    int port_ = 0;
    std::atomic<std::size_t> cut_{no_cut};
    std::list<std::jthread> connections_;  // Used by the acceptor alone until it has ended.
    std::jthread acceptor_;
};

}  // namespace echelon::kube
