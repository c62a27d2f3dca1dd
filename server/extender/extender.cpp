#include "server/extender/extender.hpp"

#include "server/extender/bind_calls.hpp"
#include "server/extender/explain.hpp"
#include "server/extender/health.hpp"
#include "server/extender/log_level.hpp"
#include "server/extender/metrics.hpp"
#include "server/extender/plan_call.hpp"
#include "server/extender/request_ring.hpp"
#include "server/extender/threads.hpp"
#include "server/extender/verbs.hpp"
#include "server/http/descriptors.hpp"
#include "server/http/http_port.hpp"
#include "server/http/port_shares.hpp"
#include "server/http/refused.hpp"
#include "server/http/tls_context.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace echelon::server {
namespace {

// Workers never wait, so a few per port suffice: enough that one large body delays no other call.
constexpr unsigned extender_workers = 4;
constexpr unsigned bind_workers = 4;
constexpr unsigned admin_workers = 2;
constexpr unsigned webhook_workers = 2;
constexpr std::string_view topology_path = "/v1/topology/";  // A name follows.

}  // namespace

struct Server::State {
    State(Backend given, const PortShares& given_shares)
        : backend(std::move(given)),
          shares(given_shares),
          verbs(backend),
          binds(backend, metrics, {.all = shares.bind, .members = shares.member_calls()},
                [this](const Ticket& ticket, const std::string& pod, CallResult result, auto took) {
                    keep(bind->id_of(ticket), Verb::bind, pod, result, took);
                }) {}

    base::Result<void> open_ports(const config::Settings& settings);

    std::optional<Answer> on_extender(const Request& request);
    std::optional<Answer> on_bind(const Request& request);
    std::optional<Answer> on_admin(const Request& request);
    std::optional<Answer> on_webhook(const Request& request);
    std::optional<Answer> explain(const Request& request);
    std::optional<Answer> view(const Request& request);
    std::optional<Answer> topology(const Request& request);
    Answer timed(Verb verb, VerbAnswer (Verbs::*speak)(std::string_view) const, const Request& request);
    void keep(std::string id, Verb verb, std::string pod, CallResult result, std::chrono::steady_clock::duration took);
    base::Result<void> open_webhook(const config::Settings& settings);
    Answer metrics_answer();
    std::vector<Check> ready();
    std::vector<Check> live();
    Answer startup();
    [[nodiscard]] bool is_listening() const;

    Backend backend;
    const PortShares shares;
    Metrics metrics;
    RequestRing ring;
    Verbs verbs;
    BindCalls binds;
    std::atomic<bool> was_synced = false;
    std::unique_ptr<TlsContext> tls;
    std::unique_ptr<TlsContext> webhook_tls;
    // Last members, so that their threads end first.
    std::unique_ptr<HttpPort> extender;  // This and the next: null if there are no profiles.
    std::unique_ptr<HttpPort> bind;
    std::unique_ptr<HttpPort> admin;
    std::unique_ptr<HttpPort> webhook;  // Null: not configured.

    // All ports that exist.
    [[nodiscard]] std::vector<HttpPort*> ports() const {
        std::vector<HttpPort*> all{extender.get(), bind.get(), admin.get(), webhook.get()};
        std::erase(all, nullptr);
        return all;
    }
};

base::Result<void> Server::State::open_ports(const config::Settings& settings) {
    if (settings.tls) {
        auto loaded = TlsContext::load(*settings.tls);
        if (!loaded)
            return std::unexpected(loaded.error());
        tls = std::move(*loaded);
    }
    auto open = [](std::string_view name, const PortOptions& options, PortHandlers handlers,
                   std::unique_ptr<HttpPort>& into) -> base::Result<void> {
        auto port = HttpPort::open(options, std::move(handlers));
        if (!port)
            return base::failure(fmt::format("{}: {}", name, port.error().sentence));
        into = std::move(*port);
        return {};
    };
    PortHandlers extender_calls{.handle = [this](const Request& request) { return on_extender(request); }, .gone = {}};
    PortHandlers bind_calls{.handle = [this](const Request& request) { return on_bind(request); },
                            .gone = [this](const Ticket& ticket) { binds.gone(ticket); }};
    PortHandlers admin_calls{.handle = [this](const Request& request) { return on_admin(request); },
                             .gone = {}};  // A late explanation is dropped.
    const bool has_callers = !config::exports_alone(settings);
    base::Result<void> opened;
    if (has_callers)
        opened = open("extender", {settings.extender, tls.get(), extender_limits(shares), extender_workers},
                      std::move(extender_calls), extender);
    if (opened && has_callers)
        opened =
            open("bind", {settings.bind, tls.get(), bind_limits(shares), bind_workers}, std::move(bind_calls), bind);
    if (opened)
        opened = open("admin", {settings.admin, nullptr, admin_limits(shares), admin_workers}, std::move(admin_calls),
                      admin);
    if (opened && settings.webhook)
        opened = open_webhook(settings);
    if (!opened)
        return opened;
    // All ports exist before any serves, since handlers read all of them.
    for (auto* port : ports()) {
        if (opened)
            opened = port->start();
    }
    return opened;
}

base::Result<void> Server::State::open_webhook(const config::Settings& settings) {
    auto loaded = TlsContext::load(*settings.webhook);
    if (!loaded)
        return base::failure(fmt::format("webhook: {}", loaded.error().sentence));
    webhook_tls = std::move(*loaded);
    PortHandlers on_review{.handle = [this](const Request& request) { return on_webhook(request); }, .gone = {}};
    auto port = HttpPort::open({.address = settings.webhook->address,
                                .tls = webhook_tls.get(),
                                .limits = webhook_limits(shares),
                                .workers = webhook_workers},
                               std::move(on_review));
    if (!port)
        return base::failure(fmt::format("webhook: {}", port.error().sentence));
    webhook = std::move(*port);
    return {};
}

Answer Server::State::timed(Verb verb, VerbAnswer (Verbs::*speak)(std::string_view) const, const Request& request) {
    auto begin = std::chrono::steady_clock::now();
    metrics.began(verb);
    VerbAnswer reply;
    try {
        reply = (verbs.*speak)(request.body);
    } catch (const std::exception&) {  // Out of memory. Every verb but prioritize and preempt can read this body.
        reply = {error_body("internal error"), CallResult::error};
    }
    const auto took = std::chrono::steady_clock::now() - begin;
    metrics.ended(verb, reply.result, took);
    keep(extender->id_of(request.ticket), verb, std::move(reply.pod), reply.result, took);
    return {.status = reply.status, .body = std::move(reply.body), .close = has_lost_lead(backend)};
}

void Server::State::keep(std::string id, Verb verb, std::string pod, CallResult result,
                         std::chrono::steady_clock::duration took) {
    const auto rounded = std::chrono::duration_cast<std::chrono::microseconds>(took);
    ring.add({std::move(id), verb, std::move(pod), result, std::chrono::system_clock::now() - rounded, rounded});
}

std::optional<Answer> Server::State::on_extender(const Request& request) {
    struct Route {
        std::string_view path;
        Verb verb;
        VerbAnswer (Verbs::*speak)(std::string_view) const;
    };
    static constexpr std::array routes{Route{"/v1/filter", Verb::filter, &Verbs::filter},
                                       Route{"/v1/prioritize", Verb::prioritize, &Verbs::prioritize},
                                       Route{"/v1/preempt", Verb::preempt, &Verbs::preempt}};
    const auto* route = std::ranges::find(routes, request.path, &Route::path);
    if (route == routes.end())
        return no_such_path();
    if (request.method != "POST")
        return wrong_method("POST");
    return timed(route->verb, route->speak, request);
}

std::optional<Answer> Server::State::on_bind(const Request& request) {
    if (request.path != "/v1/bind")
        return no_such_path();
    if (request.method != "POST")
        return wrong_method("POST");
    auto refused = binds.begin(request);
    if (!refused)
        return std::nullopt;
    return Answer{.body = std::move(*refused), .close = has_lost_lead(backend)};
}

std::optional<Answer> Server::State::on_admin(const Request& request) {
    static constexpr std::array<std::string_view, 10> private_paths{
        "/v1/explain",  "/v1/plan",        "/debug/state",    "/debug/status",  "/debug/topology",
        "/debug/holds", "/debug/snapshot", "/debug/requests", "/debug/threads", "/debug/loglevel"};
    const auto& path = request.path;
    bool is_private = std::ranges::find(private_paths, path) != private_paths.end();
    is_private = is_private || path.starts_with(topology_path);
    bool is_known = is_private || path == "/metrics" || path == "/livez" || path == "/readyz" || path == "/startupz";
    if (!is_known || (is_private && !request.peer->is_loopback))
        return no_such_path();
    if (path == "/debug/loglevel")
        return log_level_answer(backend, request);
    if (path.starts_with(topology_path))
        return topology(request);
    const auto complete = [this, ticket = request.ticket](Answer answer) {
        admin->complete(ticket, std::move(answer));
    };
    if (path == "/v1/plan")
        return begin_plan(backend, request, complete);
    if (request.method != "GET" && request.method != "HEAD")
        return wrong_method("GET, HEAD");
    bool verbose = request.query.contains("verbose") && request.parameter("verbose") != "0";
    if (path == "/metrics")
        return metrics_answer();
    if (path == "/livez")
        return health_answer(live(), verbose);
    if (path == "/readyz")
        return health_answer(ready(), verbose);
    if (path == "/startupz")
        return startup();
    if (path == "/debug/requests")
        return Answer{.body = ring.to_json()};
    if (path == "/debug/threads")
        return Answer{.body = threads_json()};
    if (path == "/v1/explain")
        return explain(request);
    return path == "/debug/state" ? state_answer(*backend.published()) : view(request);
}

// Views that need more than the published state come from the backend.
std::optional<Answer> Server::State::view(const Request& request) {
    if (!backend.query_state)
        return no_explanation("nothing more can be shown here");
    const auto published = backend.published();
    if (!published->is_synced() && request.path != "/debug/status")
        return not_listed_yet(*published);
    Backend::StateQuery query{.what = request.path.substr(request.path.rfind('/') + 1),
                              .is_text = wants_text(request.accept),
                              .has_colour = request.parameter("colour") == "1"};
    auto reply = [this, type = query.is_text ? text_type : json_type,
                  ticket = request.ticket](base::Result<std::string> shown) {
        admin->complete(
            ticket, shown ? Answer{.type = type, .body = std::move(*shown)} : no_explanation(shown.error().sentence));
    };
    auto asked = backend.query_state(query, std::move(reply));
    if (!asked)
        return no_explanation(asked.error().sentence);
    return std::nullopt;
}

std::optional<Answer> Server::State::topology(const Request& request) {
    using Deed = Backend::TopologyCall::Verb;
    if (!backend.topology)
        return no_explanation("no topology can be pushed here, the configuration has no topologyStore");
    if (request.method == "POST")
        return wrong_method("GET, HEAD, PUT, DELETE");
    const auto verb = request.method == "PUT" ? Deed::keep : request.method == "DELETE" ? Deed::forget : Deed::show;
    backend.topology({verb, request.path.substr(topology_path.size()), std::string(request.body)},
                     [this, ticket = request.ticket](Backend::TopologyReply reply) {
                         admin->complete(ticket, {.status = reply.status,
                                                  .type = reply.status == 200 ? json_type : text_type,
                                                  .body = std::move(reply.text)});
                     });
    return std::nullopt;
}

std::optional<Answer> Server::State::on_webhook(const Request& request) {
    if (request.path != "/v1/admit" || !backend.admit)
        return no_such_path();
    if (request.method != "POST")
        return wrong_method("POST");
    auto reviewed = backend.admit(request.body);
    if (!reviewed)
        return Answer{.status = 400, .type = text_type, .body = reviewed.error().sentence + "\n"};
    return Answer{.body = std::move(*reviewed)};
}

// The published state has the decision at once. The explanation takes longer, and no worker waits for it.
std::optional<Answer> Server::State::explain(const Request& request) {
    auto view = find_gang(*backend.published(), request.parameter("gang"), !has_lost_lead(backend));
    if (!view)
        return std::move(view.error());
    if (!backend.explain)
        return explain_answer(**view, nullptr);
    const bool is_text = wants_text(request.accept);
    const bool has_colour = request.parameter("colour") == "1";
    auto reply = [this, is_text, seen = *view, ticket = request.ticket](base::Result<Explained> explained) {
        if (!explained) {
            admin->complete(ticket, no_explanation(explained.error().sentence));
        } else if (is_text) {
            admin->complete(ticket, {.type = text_type, .body = std::move(explained->text)});
        } else {
            const auto& tree = explained->tree;
            admin->complete(ticket, explain_answer(*seen, tree.groups.empty() ? nullptr : &tree));
        }
    };
    auto asked = backend.explain((*view)->record.root, has_colour, std::move(reply));
    if (!asked)
        return no_explanation(asked.error().sentence);
    return std::nullopt;
}

Answer Server::State::metrics_answer() {
    PortCounts counts;
    for (const auto* port : ports()) {
        counts.connections += port->connections();
        auto rejections = port->rejections();
        std::ranges::transform(counts.rejections, rejections, counts.rejections.begin(), std::plus<>{});
    }
    auto more = backend.more_metrics ? backend.more_metrics() : std::vector<prometheus::MetricFamily>();
    return {.type = "text/plain; version=0.0.4; charset=utf-8",
            .body = metrics.text(*backend.published(), counts, std::move(more))};
}

std::vector<Check> Server::State::ready() {
    auto checks = server_checks(is_listening(), *backend.published());
    if (backend.ready_checks)
        std::ranges::move(backend.ready_checks(), std::back_inserter(checks));
    return checks;
}

std::vector<Check> Server::State::live() {
    std::vector<Check> checks{{"listeners", is_listening() ? "" : "a listening socket has died"}};
    if (backend.live_checks)
        std::ranges::move(backend.live_checks(), std::back_inserter(checks));
    return checks;
}

// Startup is final; a later relist only affects readiness.
Answer Server::State::startup() {
    auto published = backend.published();
    if (published->is_synced())
        was_synced.store(true);
    if (was_synced.load())
        return health_answer({}, false);
    return health_answer({{"sync", fmt::format("first lists missing, {}", not_synced(*published))}}, false);
}

bool Server::State::is_listening() const {
    return std::ranges::all_of(ports(), &HttpPort::is_listening);
}

Server::Server() = default;
Server::~Server() = default;

base::Result<std::unique_ptr<Server>> Server::start(const config::Settings& settings, Backend backend) {
    std::unique_ptr<Server> server(new Server());
    server->state_ = std::make_unique<State>(std::move(backend), port_shares(settings, descriptor_limit()));
    auto opened = server->state_->open_ports(settings);
    if (!opened)
        return std::unexpected(opened.error());
    return server;
}

void Server::answer(const engine::AnswerBind& answer) {
    if (auto ended = state_->binds.answer(answer)) {
        state_->bind->complete(ended->first,
                               Answer{.body = std::move(ended->second), .close = has_lost_lead(state_->backend)});
    }
}

void Server::end_idle() {
    for (auto* port : {state_->extender.get(), state_->bind.get()}) {
        if (port != nullptr)
            port->end_idle();
    }
}

base::Result<bool> Server::reload_tls() {
    bool is_any = false;
    for (auto* context : {state_->tls.get(), state_->webhook_tls.get()}) {
        auto reloaded = context == nullptr ? base::Result<bool>(false) : context->reload();
        if (!reloaded || *reloaded)
            state_->metrics.reloaded(reloaded.has_value());
        if (!reloaded)
            return reloaded;
        is_any = is_any || *reloaded;
    }
    return is_any;
}

std::vector<int> Server::ports() const {
    std::vector<int> numbers;
    std::ranges::transform(state_->ports(), std::back_inserter(numbers), &HttpPort::port);
    return numbers;
}

bool Server::is_listening() const {
    return state_->is_listening();
}

}  // namespace echelon::server
