#include "server/http/http_port.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace echelon::server {
namespace {

constexpr std::uint64_t stop_id = 0;
constexpr std::uint64_t completions_id = 1;
constexpr int accepts_per_turn = 512;
constexpr int pause_ms = 50;  // Between attempts to accept while descriptors are short.

void ring(int eventfd) {
    std::uint64_t one = 1;
    // Fails only when the counter is full, and then it is readable anyhow.
    [[maybe_unused]] auto written = ::write(eventfd, &one, sizeof one);
}

void hush(int eventfd) {
    std::uint64_t count = 0;
    [[maybe_unused]] auto read = ::read(eventfd, &count, sizeof count);
}

// Rounded up, so that a sweep never comes just before the deadline it is for.
int milliseconds_until(Clock::time_point when) {
    if (when == never)
        return -1;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(when - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

std::uint32_t events_for(Wait wait) {
    switch (wait) {
        case Wait::until_readable:
            return EPOLLIN;
        case Wait::until_writable:
            return EPOLLOUT;
        case Wait::until_hang_up:
            return EPOLLRDHUP;
        case Wait::yields_worker:
            return EPOLLIN | EPOLLOUT;
        case Wait::nothing:
            break;
    }
    return 0;
}

}  // namespace

HttpPort::Descriptor::~Descriptor() {
    if (number >= 0)
        ::close(number);
}

HttpPort::HttpPort(const PortOptions& options, PortHandlers handlers, Listener listener)
    : workers_(options.workers),
      listener_(std::move(listener)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      hurry_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      completions_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      state_(options.limits, std::move(handlers), [this] { ring(hurry_.number); }) {
    state_.tls = options.tls;
    auto started = std::chrono::system_clock::now().time_since_epoch();
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(started).count();
    state_.request_id_seed = static_cast<std::uint64_t>(seconds) << 16 | static_cast<std::uint64_t>(listener_.port());
}

bool HttpPort::is_usable() const {
    return epoll_.number >= 0 && stop_.number >= 0 && hurry_.number >= 0 && completions_.number >= 0;
}

base::Result<std::unique_ptr<HttpPort>> HttpPort::open(const PortOptions& options, PortHandlers handlers) {
    auto listener = Listener::open(options.address);
    if (!listener)
        return std::unexpected(listener.error());
    std::unique_ptr<HttpPort> port(new HttpPort(options, std::move(handlers), std::move(*listener)));
    if (!port->is_usable())
        return base::failure("the server has no file descriptors left");
    return port;
}

base::Result<void> HttpPort::start() {
    epoll_event stop{.events = EPOLLIN, .data = {.u64 = stop_id}};
    ::epoll_ctl(epoll_.number, EPOLL_CTL_ADD, stop_.number, &stop);
    // Edge-triggered: every write wakes one worker, and the counter need not be read.
    epoll_event completed{.events = EPOLLIN | EPOLLET, .data = {.u64 = completions_id}};
    ::epoll_ctl(epoll_.number, EPOLL_CTL_ADD, completions_.number, &completed);
    try {
        for (unsigned at = 0; at < workers_; ++at)
            threads_.emplace_back([this] { work(); });
        threads_.emplace_back([this] { listen(); });
    } catch (const std::system_error&) {  // Thrown by threads.
        return base::failure("the server can't start its threads");
    }
    return {};
}

HttpPort::~HttpPort() {
    ring(stop_.number);
    threads_.clear();  // Joins.
}

std::array<std::uint64_t, rejection_count> HttpPort::rejections() const {
    std::array<std::uint64_t, rejection_count> counts{};
    std::ranges::transform(state_.rejections, counts.begin(), [](const auto& count) { return count.load(); });
    return counts;
}

void HttpPort::complete(const Ticket& ticket, Answer answer) {
    {
        std::lock_guard lock(completed_mutex_);
        completed_.push_back({ticket, std::move(answer)});
    }
    ring(completions_.number);
}

// The listening thread: accepts connections and sweeps deadlines.
void HttpPort::listen() {
    ::pthread_setname_np(::pthread_self(), "listener");
    HttpConnection http_connection(state_);
    bool pausing = false;
    auto due = never;
    for (;;) {
        std::array<pollfd, 3> waits{pollfd{stop_.number, POLLIN, 0}, pollfd{hurry_.number, POLLIN, 0},
                                    pollfd{pausing ? -1 : listener_.socket(), POLLIN, 0}};
        int timeout = milliseconds_until(due);
        if (pausing)
            timeout = timeout < 0 ? pause_ms : std::min(timeout, pause_ms);
        ::poll(waits.data(), waits.size(), timeout);
        if ((waits[0].revents & POLLIN) != 0)
            return;
        bool hurried = (waits[1].revents & POLLIN) != 0;
        if (hurried)
            hush(hurry_.number);
        Accepted accepted;
        auto outcome = AcceptOutcome::accepted;
        for (int at = 0; at < accepts_per_turn; ++at) {
            outcome = listener_.accept(accepted);
            if (outcome != AcceptOutcome::accepted)
                break;
            admit(std::move(accepted), http_connection);
        }
        pausing = outcome == AcceptOutcome::exhausted;
        if (pausing)
            state_.count(Rejection::descriptors);
        if (outcome == AcceptOutcome::dead) {
            is_listening_.store(false);
            return;
        }
        auto now = Clock::now();
        if (hurried || now >= due)
            due = state_.table.sweep(now);
    }
}

void HttpPort::admit(Accepted accepted, HttpConnection& http_connection) {
    const auto present = state_.table.size();
    const auto of_peer = state_.table.size_of(accepted.peer.address);
    const bool has_reserve = present < state_.limits.connections + state_.limits.refused_with_answer;
    const bool is_peer_full = of_peer >= state_.limits.per_peer;
    // Until workers have closed the ended connections, a peer has a few more.
    const bool may_replace =
        has_reserve && (!is_peer_full || of_peer - state_.limits.per_peer < state_.limits.per_peer);
    bool is_full = present >= state_.limits.connections || is_peer_full;
    // A newcomer takes the place of an idle connection, which its worker will close in a moment.
    if (is_full && may_replace)
        is_full = !state_.table.end_longest_idle(is_peer_full ? accepted.peer.address : std::string());
    const bool can_be_answered = state_.tls == nullptr && has_reserve && of_peer <= state_.limits.per_peer;
    if (is_full && !can_be_answered) {
        state_.count(Rejection::capacity);
        ::close(accepted.socket);
        return;
    }
    SslHandle ssl;
    if (state_.tls != nullptr) {
        ssl = state_.tls->session();
        if (!ssl) {
            state_.count(Rejection::memory);
            ::close(accepted.socket);
            return;
        }
    }
    auto connection = state_.table.add(accepted.socket, std::move(accepted.peer), std::move(ssl));
    std::lock_guard lock(connection->mutex);
    if (is_full)
        http_connection.turn_away(*connection, 503, "too many connections");
    auto wait = Wait::until_readable;
    if (is_full) {
        wait = http_connection.serve(*connection, false);
    } else {
        auto patience = state_.tls != nullptr ? state_.limits.header_time : state_.limits.idle_time;
        state_.table.set_deadline(*connection, Clock::now() + patience);
    }
    if (wait != Wait::nothing)
        arm(EPOLL_CTL_ADD, *connection, wait);
}

void HttpPort::arm(int operation, Connection& connection, Wait wait) {
    epoll_event event{.events = events_for(wait) | EPOLLONESHOT, .data = {.u64 = connection.id}};
    // Fails only if memory is short; a connection that isn't watched must be closed.
    if (::epoll_ctl(epoll_.number, operation, connection.socket.descriptor(), &event) != 0) {
        connection.phase = Phase::closed;
        state_.table.remove(connection.id);
    }
}

void HttpPort::work() {
    ::pthread_setname_np(::pthread_self(), "http");
    HttpConnection http_connection(state_);
    for (;;) {
        // One event at a time: others go to other workers.
        epoll_event event{};
        int ready = ::epoll_wait(epoll_.number, &event, 1, -1);
        if (ready < 0 && errno != EINTR)
            return;
        if (ready <= 0)
            continue;
        if (event.data.u64 == stop_id)
            return;
        if (event.data.u64 == completions_id) {
            serve_completions(http_connection);
        } else {
            serve(event.data.u64, event.events, http_connection);
        }
    }
}

void HttpPort::serve(std::uint64_t id, std::uint32_t events, HttpConnection& http_connection) {
    auto connection = state_.table.find(id);
    if (!connection)
        return;
    std::lock_guard lock(connection->mutex);
    bool hung_up = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    auto wait = http_connection.serve(*connection, hung_up);
    if (wait != Wait::nothing)
        arm(EPOLL_CTL_MOD, *connection, wait);
}

void HttpPort::serve_completions(HttpConnection& http_connection) {
    for (;;) {
        std::optional<Completion> next;
        {
            std::lock_guard lock(completed_mutex_);
            if (completed_.empty())
                return;
            next = std::move(completed_.front());
            completed_.pop_front();
        }
        auto connection = state_.table.find(next->ticket.connection);
        if (!connection)
            continue;
        std::lock_guard lock(connection->mutex);
        if (!http_connection.answer_late(*connection, next->ticket.request, std::move(next->answer)))
            continue;
        auto wait = http_connection.serve(*connection, false);
        if (wait != Wait::nothing)
            arm(EPOLL_CTL_MOD, *connection, wait);
    }
}

}  // namespace echelon::server
