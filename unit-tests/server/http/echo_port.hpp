#pragma once

// How do tests run an HttpPort whose handler echoes, answers late, or fails?

#include "server/http/http_port.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::server::test {

// Echoes bodies; /wait is answered later, /large with a megabyte.
struct EchoPort {
    explicit EchoPort(PortLimits limits = {}, unsigned workers = 2) {
        PortHandlers handlers{.handle = [this](const Request& request) { return handle(request); },
                              .gone = [this](const Ticket& ticket) { note(gone, ticket); }};
        auto opened = HttpPort::open({.address = {"127.0.0.1", 0}, .limits = limits, .workers = workers}, handlers);
        if (!opened)
            FAIL(opened.error().sentence);
        port = std::move(*opened);
        auto started = port->start();
        if (!started)
            FAIL(started.error().sentence);
    }

    std::optional<Answer> handle(const Request& request) {
        if (request.path == "/wait") {
            note(waiting, request.ticket);
            return std::nullopt;
        }
        if (request.path == "/large")
            return Answer{.body = std::string(large_bytes, 'x')};
        if (request.path == "/throw")
            throw std::runtime_error("a handler's trouble");
        return Answer{.body = std::string(request.body)};
    }

    void note(std::vector<Ticket>& list, const Ticket& ticket) {
        {
            std::lock_guard lock(mutex);
            list.push_back(ticket);
        }
        changed.notify_all();
    }

    // Waits until a list is that long.
    bool await(const std::vector<Ticket>& list, std::size_t count) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(20), [&] { return list.size() >= count; });
    }

    static constexpr std::size_t large_bytes = 8 * 1024 * 1024;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Ticket> waiting;
    std::vector<Ticket> gone;
    std::unique_ptr<HttpPort> port;  // Last: its threads use the rest.
};

inline std::uint64_t rejected(const EchoPort& echo, Rejection rejection) {
    return echo.port->rejections()[static_cast<std::size_t>(rejection)];
}

}  // namespace echelon::server::test
