#include "server/extender.hpp"

#include "server/bind_calls.hpp"
#include "server/explain.hpp"
#include "server/health.hpp"
#include "server/http_port.hpp"
#include "server/tallies.hpp"
#include "server/tls_context.hpp"
#include "server/verbs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace echelon::server {
namespace {

// Nothing that a worker does waits, so a few per port do: enough that one large body delays nobody.
constexpr unsigned extender_workers = 4;
constexpr unsigned bind_workers = 4;
constexpr unsigned admin_workers = 2;

Answer no_such_path() {
    return {.status = 404, .type = text_type, .body = "not found\n"};
}

Answer wrong_method(std::string_view allowed) {
    return {.status = 405, .type = text_type, .body = "method not allowed\n", .allow = allowed};
}

}  // namespace

struct Server::State {
    explicit State(Doors given) : doors(std::move(given)), verbs(doors), binds(doors, tallies) {}

    model::Result<void> open_ports(const config::Settings& settings);

    std::optional<Answer> on_extender(const Request& request);
    std::optional<Answer> on_bind(const Request& request);
    Answer on_admin(const Request& request);
    Answer timed(Verb verb, Spoken (Verbs::*speak)(std::string_view) const, std::string_view body);
    Answer metrics();
    std::vector<Check> ready();
    std::vector<Check> live();
    Answer startup();
    [[nodiscard]] bool is_listening() const;

    Doors doors;
    Tallies tallies;
    Verbs verbs;
    BindCalls binds;
    std::atomic<bool> was_synced = false;
    std::unique_ptr<TlsContext> tls;
    // Last, so that their threads end first.
    std::unique_ptr<HttpPort> extender;
    std::unique_ptr<HttpPort> bind;
    std::unique_ptr<HttpPort> admin;
};

model::Result<void> Server::State::open_ports(const config::Settings& settings) {
    if (settings.tls) {
        auto loaded = TlsContext::load(*settings.tls);
        if (!loaded)
            return std::unexpected(loaded.error());
        tls = std::move(*loaded);
    }
    auto open = [](std::string_view name, const config::Address& address, const TlsContext* context, unsigned workers,
                   PortHandlers handlers, std::unique_ptr<HttpPort>& into) -> model::Result<void> {
        auto port =
            HttpPort::open({.address = address, .tls = context, .limits = {}, .workers = workers}, std::move(handlers));
        if (!port)
            return model::failure(fmt::format("{}: {}", name, port.error().sentence));
        into = std::move(*port);
        return {};
    };
    PortHandlers on_call{.handle = [this](const Request& request) { return on_extender(request); }, .gone = {}};
    PortHandlers on_wait{.handle = [this](const Request& request) { return on_bind(request); },
                         .gone = [this](const Ticket& ticket) { binds.gone(ticket); }};
    PortHandlers on_look{.handle = [this](const Request& request) { return on_admin(request); }, .gone = {}};
    auto opened = open("extender", settings.extender, tls.get(), extender_workers, std::move(on_call), extender);
    if (opened)
        opened = open("bind", settings.bind, tls.get(), bind_workers, std::move(on_wait), bind);
    if (opened)
        opened = open("admin", settings.admin, nullptr, admin_workers, std::move(on_look), admin);
    // All three are there before anybody is served: handlers look at each other's ports.
    for (auto* port : {extender.get(), bind.get(), admin.get()}) {
        if (opened)
            opened = port->start();
    }
    return opened;
}

Answer Server::State::timed(Verb verb, Spoken (Verbs::*speak)(std::string_view) const, std::string_view body) {
    auto begin = std::chrono::steady_clock::now();
    tallies.began(verb);
    Spoken spoken;
    try {
        spoken = (verbs.*speak)(body);
    } catch (
        const std::exception&) {  // Memory. Said in a shape that every verb but prioritize and preempt understands.
        spoken = {error_body("internal error"), CallResult::error};
    }
    tallies.ended(verb, spoken.result, std::chrono::steady_clock::now() - begin);
    return {.body = std::move(spoken.body)};
}

std::optional<Answer> Server::State::on_extender(const Request& request) {
    struct Route {
        std::string_view path;
        Verb verb;
        Spoken (Verbs::*speak)(std::string_view) const;
    };
    static constexpr std::array routes{Route{"/v1/filter", Verb::filter, &Verbs::filter},
                                       Route{"/v1/prioritize", Verb::prioritize, &Verbs::prioritize},
                                       Route{"/v1/preempt", Verb::preempt, &Verbs::preempt}};
    const auto* route = std::ranges::find(routes, request.path, &Route::path);
    if (route == routes.end())
        return no_such_path();
    if (request.method != "POST")
        return wrong_method("POST");
    return timed(route->verb, route->speak, request.body);
}

std::optional<Answer> Server::State::on_bind(const Request& request) {
    if (request.path != "/v1/bind")
        return no_such_path();
    if (request.method != "POST")
        return wrong_method("POST");
    auto refused = binds.begin(request);
    if (!refused)
        return std::nullopt;
    return Answer{.body = std::move(*refused)};
}

Answer Server::State::on_admin(const Request& request) {
    const auto& path = request.path;
    bool is_private = path == "/v1/explain" || path == "/debug/state";
    bool is_known = is_private || path == "/metrics" || path == "/livez" || path == "/readyz" || path == "/startupz";
    if (!is_known || (is_private && !request.peer->is_loopback))
        return no_such_path();
    if (request.method == "POST")
        return wrong_method("GET, HEAD");
    bool verbose = request.query.contains("verbose") && request.parameter("verbose") != "0";
    if (path == "/metrics")
        return metrics();
    if (path == "/livez")
        return health_answer(live(), verbose);
    if (path == "/readyz")
        return health_answer(ready(), verbose);
    if (path == "/startupz")
        return startup();
    auto picture = doors.picture();
    return path == "/debug/state" ? state_answer(*picture) : explain_answer(*picture, request.parameter("gang"));
}

Answer Server::State::metrics() {
    PortCounts counts;
    for (const auto* port : {extender.get(), bind.get(), admin.get()}) {
        counts.connections += port->connections();
        auto rejections = port->rejections();
        std::ranges::transform(counts.rejections, rejections, counts.rejections.begin(), std::plus<>{});
    }
    auto text = tallies.text(*doors.picture(), counts);
    if (doors.more_metrics)
        text += doors.more_metrics();
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)};
}

std::vector<Check> Server::State::ready() {
    auto checks = edge_checks(is_listening(), *doors.picture());
    if (doors.ready_checks)
        std::ranges::move(doors.ready_checks(), std::back_inserter(checks));
    return checks;
}

std::vector<Check> Server::State::live() {
    std::vector<Check> checks{{"listeners", is_listening() ? "" : "a listening socket has died"}};
    if (doors.live_checks)
        std::ranges::move(doors.live_checks(), std::back_inserter(checks));
    return checks;
}

// Once started stays started: a relist later is a matter of readiness.
Answer Server::State::startup() {
    auto picture = doors.picture();
    if (picture->is_synced())
        was_synced.store(true);
    if (was_synced.load())
        return health_answer({}, false);
    return health_answer({{"sync", fmt::format("first lists missing, {}", not_synced(*picture))}}, false);
}

bool Server::State::is_listening() const {
    return extender->is_listening() && bind->is_listening() && admin->is_listening();
}

Server::Server() = default;
Server::~Server() = default;

model::Result<std::unique_ptr<Server>> Server::start(const config::Settings& settings, Doors doors) {
    std::unique_ptr<Server> server(new Server());
    server->state_ = std::make_unique<State>(std::move(doors));
    auto opened = server->state_->open_ports(settings);
    if (!opened)
        return std::unexpected(opened.error());
    return server;
}

void Server::answer(const engine::AnswerBind& answer) {
    if (auto ended = state_->binds.answer(answer)) {
        state_->bind->complete(ended->first, Answer{.body = std::move(ended->second)});
    }
}

model::Result<bool> Server::reload_tls() {
    if (!state_->tls)
        return false;
    auto reloaded = state_->tls->reload();
    if (!reloaded || *reloaded)
        state_->tallies.reloaded(reloaded.has_value());
    return reloaded;
}

std::vector<int> Server::ports() const {
    return {state_->extender->port(), state_->bind->port(), state_->admin->port()};
}

bool Server::is_listening() const {
    return state_->is_listening();
}

}  // namespace echelon::server
