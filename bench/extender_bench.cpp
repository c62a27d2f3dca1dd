// How much does the HTTP edge cost over moving the same bytes?
//
// Each case repeats one request over kept-alive loopback connections, alternately to a running Server and to a bare
// echo. The echo has blocking sockets; it reads as many bytes, and writes the same answer. The difference of the
// medians is the cost of parsing and deciding; ratios hold on any machine. Prints a table, and judges nothing.

#include "bench/promised_nodes.hpp"
#include "engine/publish/node_scores.hpp"
#include "kube/core/plain_pod.hpp"
#include "server/extender/extender.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using Micros = std::chrono::duration<double, std::micro>;
using namespace echelon;  // NOLINT(google-build-using-namespace)

constexpr std::string_view uid = "5f3c0d1e-7a52-4c0e-9d55-0a1f6b7c2d01";
constexpr int warm_up = 300;
constexpr int batch = 100;  // Requests to one side before the other side is measured.
constexpr int batches = 60;
constexpr int connections = 4;
constexpr std::size_t waiting_binds = 512;
constexpr std::chrono::seconds load_time{3};

[[noreturn]] void give_up(std::string_view what) {
    fmt::print(stderr, "bench-extender: {}\n", what);
    std::exit(1);
}

void set_options(int socket) {
    int on = 1;
    int buffer = 256 * 1024;  // As the server's, so that the echo has the same transport.
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
}

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        auto put = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

bool receive_exactly(int socket, std::vector<char>& into, std::size_t count) {
    if (into.size() < count)
        into.resize(count);
    for (std::size_t have = 0; have < count;) {
        auto got = ::recv(socket, into.data() + have, count - have, 0);
        if (got <= 0)
            return false;
        have += static_cast<std::size_t>(got);
    }
    return true;
}

class Caller {
public:
    explicit Caller(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        set_options(socket_);
        auto to = loopback(port);
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
            give_up("can't connect");
    }
    ~Caller() { ::close(socket_); }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    void call(std::string_view request, std::size_t answer_bytes) {
        if (!send_all(socket_, request) || !receive_exactly(socket_, buffer_, answer_bytes))
            give_up("lost a connection");
    }

    void ask(std::string_view request) {
        if (!send_all(socket_, request))
            give_up("can't send");
    }

    [[nodiscard]] bool has_answer() const {
        char byte = 0;
        return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
    }

    // Reads the first answer, whose length isn't known yet.
    std::string learn(std::string_view request) {
        ask(request);
        std::string text;
        std::array<char, 65536> piece{};
        for (;;) {
            auto got = ::recv(socket_, piece.data(), piece.size(), 0);
            if (got <= 0)
                give_up("no answer");
            text.append(piece.data(), static_cast<std::size_t>(got));
            auto end = text.find("\r\n\r\n");
            auto at = text.find("Content-Length: ");
            if (end == std::string::npos || at == std::string::npos)
                continue;
            if (text.size() >= end + 4 + std::stoul(text.substr(at + 16)))
                return text;
        }
    }

private:
    int socket_;
    std::vector<char> buffer_;
};

// Reads `request_bytes`, writes `answer`, with a blocking thread per connection.
class Echo {
public:
    Echo(std::size_t request_bytes, std::string answer) : request_bytes_(request_bytes), answer_(std::move(answer)) {
        set_options(listener_);
        auto address = loopback(0);
        socklen_t size = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            give_up("can't bind");
        if (::listen(listener_, 64) != 0)
            give_up("can't listen");
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::jthread([this] { accept(); });
    }
    ~Echo() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        threads_.clear();
        ::close(listener_);
    }
    Echo(const Echo&) = delete;
    Echo& operator=(const Echo&) = delete;

    [[nodiscard]] int port() const { return port_; }

private:
    void accept() {
        for (int socket = ::accept(listener_, nullptr, nullptr); socket >= 0;
             socket = ::accept(listener_, nullptr, nullptr)) {
            set_options(socket);
            threads_.emplace_back([this, socket] {
                std::vector<char> buffer;
                while (receive_exactly(socket, buffer, request_bytes_) && send_all(socket, answer_)) {
                }
                ::close(socket);
            });
        }
    }

    std::size_t request_bytes_;
    std::string answer_;
    int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int port_ = 0;
    std::jthread acceptor_;
    std::vector<std::jthread> threads_;
};

std::string names(int count) {
    std::string json = "[";
    for (int at = 0; at < count; ++at)
        json += fmt::format("{}\"gpu-node-{:05}.example\"", at == 0 ? "" : ",", at);
    return json + "]";
}

std::string pod_request(std::string_view pod_uid, int count, std::string_view scheduler = "echelon-scheduler",
                        std::string_view verb = "filter") {
    auto body = fmt::format(
        R"({{"Pod":{{"metadata":{{"name":"train-0","namespace":"default","uid":"{}","resourceVersion":"81234",)"
        R"("creationTimestamp":"2026-09-01T08:00:00Z","labels":{{"app":"train"}}}},"spec":{{"containers":[{{"name":"main",)"
        R"("image":"example/train:1","resources":{{"limits":{{"nvidia.com/gpu":"8"}},"requests":{{"cpu":"32",)"
        R"("memory":"256Gi","nvidia.com/gpu":"8"}}}}}}],"schedulerName":"{}","priority":1000}},)"
        R"("status":{{"phase":"Pending"}}}},"Nodes":null,"NodeNames":{}}})",
        pod_uid, scheduler, names(count));
    return fmt::format(
        "POST /v1/{} HTTP/1.1\r\nHost: 127.0.0.1:9300\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: {}\r\n"
        "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n{}",
        verb, body.size(), body);
}

// Half of the nodes have room that is promised to a gang of priority 2000.
engine::Promises promises_on_half() {
    std::vector<std::string> nodes;
    for (int at = 0; at < 5'000; at += 2)
        nodes.push_back(fmt::format("gpu-node-{:05}.example", at));
    return bench::promises_on(nodes, 2000);
}

// A score for every node, for pods as in `pod_request`.
std::shared_ptr<const engine::NodeScores> scores_of_all() {
    std::vector<std::string> nodes;
    for (int at = 0; at < 5'000; ++at)
        nodes.push_back(fmt::format("gpu-node-{:05}.example", at));
    std::vector<std::uint8_t> scores(nodes.size(), 7);
    const model::Amounts requests = {{"cpu", 32'000}, {"memory", 256LL << 30U}, {"nvidia.com/gpu", 8}, {"pods", 1}};
    engine::NodeScores::ByRequests known;
    known[requests] = std::make_shared<const std::vector<std::uint8_t>>(std::move(scores));
    return std::make_shared<const engine::NodeScores>(std::make_shared<const engine::NodePlaces>(nodes), known);
}

// One gang member is planned on a node near the end of the list; every other pod is plain. Promised room is kept only
// from pods of "echelon-scheduler".
server::Backend backend() {
    auto published = std::make_shared<engine::PublishedState>();
    published->verdicts.put(std::string(uid), {.kind = engine::Verdict::Kind::pinned,
                                               .owner = 0,
                                               .node = "gpu-node-04711.example",
                                               .text = "",
                                               .gang = "default/train"});
    published->promises = promises_on_half();
    published->scores = scores_of_all();
    std::shared_ptr<const engine::PublishedState> shown = published;
    server::Backend made;
    made.published = [shown] { return shown; };
    made.push_input = [](const engine::Input&) {};
    made.is_ours = [](std::string_view scheduler) { return scheduler.ends_with("-scheduler"); };
    made.protection = [](std::string_view scheduler) {
        return scheduler == "echelon-scheduler" ? engine::Protection::promised : engine::Protection::none;
    };
    made.packs = [](std::string_view scheduler) { return scheduler == "echelon-scheduler"; };
    made.plain_pod = [](std::string_view pod) { return kube::read_plain_pod(pod); };
    made.now = [] { return engine::Time{0}; };
    made.named_gang = [](std::string_view) { return std::nullopt; };
    return made;
}

struct Percentiles {
    double p50 = 0;
    double p99 = 0;
};

Percentiles percentiles(std::vector<double>& samples) {
    std::ranges::sort(samples);
    return {samples[samples.size() / 2], samples[samples.size() * 99 / 100]};
}

void run_batch(Caller& caller, std::string_view request, std::size_t answer_bytes, std::vector<double>& into) {
    for (int at = 0; at < batch; ++at) {
        auto begin = Clock::now();
        caller.call(request, answer_bytes);
        into.push_back(Micros(Clock::now() - begin).count());
    }
}

void compare(std::string_view name, int port, const std::string& request) {
    Caller to_server(port);
    auto answer = to_server.learn(request);
    Echo echo(request.size(), answer);
    Caller to_echo(echo.port());
    std::vector<double> served;
    std::vector<double> echoed;
    for (int at = 0; at < warm_up; ++at) {
        to_server.call(request, answer.size());
        to_echo.call(request, answer.size());
    }
    for (int at = 0; at < batches; ++at) {
        run_batch(to_echo, request, answer.size(), echoed);
        run_batch(to_server, request, answer.size(), served);
    }
    auto floor = percentiles(echoed);
    auto edge = percentiles(served);
    fmt::print("{:<28} {:>7} {:>7} | {:>7.1f} {:>7.1f} | {:>7.1f} {:>7.1f} | {:>+7.1f} {:>6.2f}x\n", name,
               request.size(), answer.size(), floor.p50, floor.p99, edge.p50, edge.p99, edge.p50 - floor.p50,
               edge.p50 / floor.p50);
}

double load(int port, const std::string& request, std::size_t answer_bytes) {
    std::atomic<bool> ends = false;
    std::atomic<std::uint64_t> calls = 0;
    auto begin = Clock::now();
    {
        std::vector<std::jthread> threads;
        for (int at = 0; at < connections; ++at) {
            threads.emplace_back([&] {
                Caller caller(port);
                std::uint64_t made = 0;
                for (; !ends.load(); ++made)
                    caller.call(request, answer_bytes);
                calls += made;
            });
        }
        std::this_thread::sleep_for(load_time);
        ends = true;
    }
    return static_cast<double>(calls) / std::chrono::duration<double>(Clock::now() - begin).count();
}

void compare_load(std::string_view name, int port, const std::string& request) {
    auto answer = Caller(port).learn(request);
    Echo echo(request.size(), answer);
    auto floor = load(echo.port(), request, answer.size());
    auto edge = load(port, request, answer.size());
    fmt::print("{:<28} {:>10.0f} | {:>10.0f} | {:>5.2f}\n", name, floor, edge, edge / floor);
}

std::unique_ptr<server::Server> started_server() {
    config::Settings settings;
    settings.extender = settings.bind = settings.admin = {"127.0.0.1", 0};
    auto started = server::Server::start(settings, backend());
    if (!started)
        give_up(started.error().sentence);
    return std::move(*started);
}

std::string bind_request(std::size_t pod) {
    auto body = fmt::format(
        R"({{"PodName":"train-{0}","PodNamespace":"default","PodUID":"waits-{0}","Node":"gpu-node-1"}})", pod);
    return fmt::format(
        "POST /v1/bind HTTP/1.1\r\nHost: 127.0.0.1:9301\r\nContent-Length: {}\r\n"
        "Content-Type: application/json\r\n\r\n{}",
        body.size(), body);
}

// Alternates between two servers: an idle one, and one with that many calls at the barrier, which get no answer.
void compare_waiting(std::string_view name, int idle_port, const std::string& request) {
    auto busy = started_server();
    std::vector<std::unique_ptr<Caller>> barrier;
    for (std::size_t pod = 0; pod < waiting_binds; ++pod) {
        barrier.push_back(std::make_unique<Caller>(busy->ports()[1]));
        barrier.back()->ask(bind_request(pod));
    }
    Caller to_idle(idle_port);
    Caller to_busy(busy->ports().front());
    const auto bytes = to_idle.learn(request).size();
    if (to_busy.learn(request).size() != bytes)
        give_up("the two servers answer differently");
    std::vector<double> idle;
    std::vector<double> waiting;
    for (int at = 0; at < batches; ++at) {
        run_batch(to_idle, request, bytes, idle);
        run_batch(to_busy, request, bytes, waiting);
    }
    for (const auto& caller : barrier) {
        if (caller->has_answer())
            give_up("a bind call didn't wait");
    }
    const auto alone = percentiles(idle);
    const auto beside = percentiles(waiting);
    fmt::print("{:<28} {:>7.1f} {:>7.1f} | {:>7.1f} {:>7.1f} | {:>6.2f}x {:>6.2f}x\n", name, alone.p50, alone.p99,
               beside.p50, beside.p99, beside.p50 / alone.p50, beside.p99 / alone.p99);
}

}  // namespace

int main() {
    const auto server = started_server();
    const int port = server->ports().front();
    struct Case {
        std::string_view name;
        std::string request;
    };
    const std::array cases{
        Case{"5,000 names, pinned", pod_request(uid, 5000)},
        Case{"5,000 names, passed", pod_request("other", 5000, "plain-scheduler")},
        Case{"5,000 names, half promised", pod_request("other", 5000)},
        Case{"5,000 names, prioritize, none", pod_request("other", 5000, "plain-scheduler", "prioritize")},
        Case{"5,000 names, prioritize", pod_request("other", 5000, "echelon-scheduler", "prioritize")},
        Case{"one name, passed", pod_request("other", 1, "plain-scheduler")}};
    fmt::print("{:<28} {:>15} | {:^15} | {:^15} |\n", "filter, one connection", "bytes in, out", "echo p50, p99 us",
               "filter p50, p99");
    for (const auto& [name, request] : cases)
        compare(name, port, request);
    fmt::print("\n{:<28} {:>10} | {:>10} | {:>5}\n", "4 connections, requests/s", "echo", "filter", "ratio");
    for (const auto& [name, request] : cases)
        compare_load(name, port, request);
    fmt::print("\n{:<28} {:>15} | {:^15} | {:>7} {:>7}\n", "filter while 512 binds wait", "idle p50, p99 us",
               "waiting p50, p99", "p50", "p99");
    for (const auto& [name, request] : cases)
        compare_waiting(name, port, request);
    return 0;
}
