#include "app/serve.hpp"

#include "app/admission.hpp"
#include "app/complaint.hpp"
#include "app/engine_loop.hpp"
#include "app/explainer.hpp"
#include "app/leadership.hpp"
#include "app/live_plans.hpp"
#include "app/log.hpp"
#include "app/plain_pod_hooks.hpp"
#include "app/pod_gang_schedulers.hpp"
#include "app/ready_checks.hpp"
#include "app/recorder.hpp"
#include "app/running_settings.hpp"
#include "app/service_log.hpp"
#include "app/service_options.hpp"
#include "app/settings_mapping.hpp"
#include "app/settings_watch.hpp"
#include "app/shutdown_limit.hpp"
#include "app/signals.hpp"
#include "app/tls_watch.hpp"
#include "app/topology_exports.hpp"
#include "app/topology_files.hpp"
#include "app/topology_push.hpp"
#include "app/upstream_notice.hpp"
#include "app/version.hpp"
#include "app/watch_metrics.hpp"
#include "config/settings.hpp"
#include "kube/decode.hpp"
#include "kube/lease/lease_follower.hpp"
#include "kube/lease/lease_holder.hpp"
#include "kube/watch/watcher.hpp"
#include "kube/write/writer.hpp"
#include "report/status_report.hpp"
#include "server/extender/extender.hpp"
#include "server/http/descriptors.hpp"
#include "server/http/tls_context.hpp"
#include "translate/pod_group_controller.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace echelon::app {

namespace {

constexpr auto engine_stall_limit = std::chrono::seconds(10);
constexpr auto drain_poll = std::chrono::milliseconds(20);
constexpr auto shutdown_limit = std::chrono::seconds(8);    // After draining. The chart grants 10 s.
constexpr timespec file_watch{.tv_sec = 10, .tv_nsec = 0};  // How often files are checked for changes.

using config::LogLevel;

// All parts of the service, in the order in which they start; destroyed in reverse.
class Service {
public:
    Service(config::Settings settings, SettingsWatch watch, std::shared_ptr<kube::Credentials> credentials)
        : settings_(std::move(settings)),
          running_(settings_, std::move(watch)),
          topology_files_(settings_.topologies),
          credentials_(std::move(credentials)),
          pod_gangs_(credentials_),
          push_(push_of(settings_, credentials_)),
          engine_options_(engine_options(settings_)),
          loop_(engine_options_, [this](engine::Action action) { carry_out(std::move(action)); }),
          explainer_(loop_),
          leadership_(settings_.leader.mode) {}

    // An error if the ports can't be opened.
    base::Result<void> start();
    // Applies TLS files and a configuration that have changed.
    void look_at_files();
    // SIGUSR2: a summary of the state, into the log.
    void dump();
    // Answers waiting calls, and finishes what is committed.
    void drain();
    // Ends the engine's loop first, so that it uses no part that is gone.
    ~Service();

private:
    void carry_out(engine::Action action);
    void lead_until(std::optional<Leadership::Instant> until, std::string_view who);
    void follow_lease();
    void take_lease();
    void begin_recording();
    void on_event(model::Event event);
    [[nodiscard]] server::Backend backend();
    void add_views(server::Backend& backend);
    [[nodiscard]] std::vector<server::Check> ready_checks() const;
    [[nodiscard]] kube::UnservedKinds unserved() const;
    [[nodiscard]] std::vector<kube::WatchStatus> watched() const;  // Empty: there is no watcher yet.

    const config::Settings settings_;  // As read at the start.
    RunningSettings running_;
    TopologyFiles topology_files_;
    std::shared_ptr<kube::Credentials> credentials_;
    PodGangSchedulers pod_gangs_;
    const std::unique_ptr<TopologyPush> push_;  // Null: nothing can be pushed.
    const engine::Options engine_options_;
    std::unique_ptr<Recorder> recorder_;  // Null: nothing is recorded. Outlives the loop.
    EngineLoop loop_;
    Explainer explainer_;
    LivePlans plans_{loop_,
                     {[this] { return kube::Reading(unserved(), model_limits(settings_), node_health(settings_)); },
                      [this] { return why_no_plan(*loop_.published(), leadership_.leads()); },
                      [this] { return running_.first_profile(); }}};
    std::unique_ptr<server::Server> server_;
    std::unique_ptr<kube::Writer> writer_;
    std::unique_ptr<translate::PodGroupController> pod_group_controller_;  // Null: nothing is translated.
    std::unique_ptr<translate::TopologyExporter> exporter_;                // Null: nothing is exported.
    std::unique_ptr<kube::Watcher> watcher_;
    std::atomic<const kube::Watcher*> watcher_seen_{nullptr};  // For the HTTP workers, which run before it exists.
    UpstreamNotice upstream_;
    TlsWatch tls_watch_{[this] { return server::check_tls_files(settings_); }, info, complain_of_files};
    Leadership leadership_;
    std::unique_ptr<kube::LeaseFollower> follower_;
    std::unique_ptr<kube::LeaseHolder> holder_;
};

void Service::carry_out(engine::Action action) {
    if (auto* write = std::get_if<engine::StartWrite>(&action)) {
        writer_->submit(write->write, std::move(write->what), leadership_.current());
    } else if (auto* answer = std::get_if<engine::AnswerBind>(&action)) {
        server_->answer(*answer);
    } else {
        log_note(std::get<engine::Note>(action));
    }
}

// Callers notice a lost lead at once: their next answer says so, or their connection ends.
void Service::lead_until(std::optional<Leadership::Instant> until, std::string_view who) {
    if (leadership_.update(until)) {
        info(fmt::format("{} {}", who, until ? "leads" : "doesn't lead"));
        if (!until)
            server_->end_idle();
    }
    engine::LeadChanged changed{.leads = until.has_value()};
    if (until)
        changed.until = std::chrono::duration_cast<engine::Time>(until->time_since_epoch());  // The clock of the loop.
    loop_.push(changed);
}

void Service::follow_lease() {
    const auto& lease = settings_.leader;
    follower_ = std::make_unique<kube::LeaseFollower>(
        credentials_,
        kube::LeaseFollowerOptions{
            .ns = lease.lease_namespace, .name = lease.lease_name, .hostname = kube::own_hostname()},
        [this](auto until) { lead_until(until, "the kube-scheduler beside this echelon"); },
        [](const std::string& sentence) { pass_on("lease", sentence); });
}

void Service::take_lease() {
    const auto& lease = settings_.leader;
    holder_ = std::make_unique<kube::LeaseHolder>(
        credentials_,
        kube::LeaseHolderOptions{.ns = lease.lease_namespace,
                                 .name = lease.lease_name,
                                 .identity = engine_options_.identity,
                                 .duration = lease.lease_duration},
        [this](auto until) { lead_until(until, "this echelon"); },
        [](const std::string& sentence) { pass_on("lease", sentence); });
}

// If it fails, the service runs without a recording.
void Service::begin_recording() {
    recorder_ = recorder_of(settings_, engine_options_, EngineLoop::now(),
                            [](const std::string& sentence) { warn("recorder", sentence); });
    if (!recorder_)
        return;
    info(fmt::format("recording to \"{}\"", recorder_->file()));
    loop_.record_to([this](engine::Time at, std::vector<engine::Input> inputs, std::vector<engine::Action> actions) {
        recorder_->add(at, std::move(inputs), std::move(actions));
    });
}

// Parts that write for other schedulers see the same events as the engine.
void Service::on_event(model::Event event) {
    if (is_own_export(event, settings_))
        return;
    upstream_.note(event);
    if (exporter_)
        exporter_->notice(event);
    if (pod_group_controller_)
        pod_group_controller_->notice(event);
    loop_.push(engine::Observed{std::move(event)});
}

std::vector<server::Check> Service::ready_checks() const {
    const auto all = watched();
    // With an own Lease, clients that call only ready endpoints then reach the leader alone.
    const bool needs_lead = settings_.leader.mode == config::LeaderMode::own;
    auto checks = checks_of(all, *loop_.published(), needs_lead ? std::optional(leadership_.leads()) : std::nullopt);
    for (auto& sentence : upstream_.sentences(all))
        checks.push_back({"upstream", "", std::move(sentence)});
    if (auto trouble = tls_watch_.trouble(); !trouble.empty())
        checks.push_back({"tls", "", std::move(trouble)});
    return checks;
}

std::vector<kube::WatchStatus> Service::watched() const {
    const auto* watcher = watcher_seen_.load();
    return watcher == nullptr ? std::vector<kube::WatchStatus>{} : watcher->status();
}

kube::UnservedKinds Service::unserved() const {
    const auto* watcher = watcher_seen_.load();
    return watcher == nullptr ? kube::UnservedKinds{} : watcher->unserved();
}

server::Backend Service::backend() {
    server::Backend backend;
    backend.published = [this] { return loop_.published(); };
    backend.push_input = [this](engine::Input input) { loop_.push(std::move(input)); };
    backend.is_ours = [this](std::string_view name) { return running_.is_ours(name); };
    backend.named_gang = [this](std::string_view pod) { return kube::named_gang(pod, unserved()); };
    add_plain_pod_hooks(backend, running_, loop_);
    backend.has_lost_lead = [this] { return leadership_.has_lost(); };
    backend.ready_checks = [this] { return ready_checks(); };
    backend.live_checks = [this] {
        std::vector<server::Check> checks;
        checks.push_back(
            {"engine", loop_.time_since_last_batch() < engine_stall_limit ? "" : "its thread doesn't answer"});
        return checks;
    };
    backend.explain = [this](const model::GroupKey& root, bool has_colour, server::Backend::ExplainReply reply) {
        return explainer_.ask(root, has_colour, std::move(reply));
    };
    backend.more_metrics = [this] {
        return joined({{lead_metric(leadership_.leads())},
                       reload_metrics(running_.figures()),
                       {topology_metrics(topology_files_.figures(), push_ ? push_->figures() : TopologyFigures{})},
                       bind_metrics(writer_->bind_figures()),
                       {write_metrics(writer_->write_counts())},
                       recording_metrics(recorder_.get()),
                       watch_metrics(watched())});
    };
    add_views(backend);
    return backend;
}

// Hooks of the admin port and of the admission webhook.
void Service::add_views(server::Backend& backend) {
    backend.query_state = [this](const server::Backend::StateQuery& query, server::Backend::StateReply reply) {
        const auto all = watched();
        return explainer_.view(query, {leadership_.leads(), kube::unreadable_in(all), upstream_.sentences(all)},
                               std::move(reply));
    };
    backend.plan = [this](auto call, const auto& reply) { plans_.ask(std::move(call), reply); };
    backend.log_level = [](std::string_view word) { return log_level_by_name(word); };
    if (push_)
        backend.topology = [this](auto call, const auto& reply) { push_->call(std::move(call), reply); };
    backend.admit = [this, koordinator = koordinator_backend(settings_)](std::string_view review) {
        return app::admit(
            review, [this](std::string_view name) { return running_.is_ours(name); }, koordinator, unserved(),
            [this](const std::string& ns, const std::string& gang) { return pod_gangs_.of(ns, gang); });
    };
}

base::Result<void> Service::start() {
    begin_recording();
    if (settings_.leader.mode != config::LeaderMode::none)
        loop_.push(engine::LeadChanged{false});  // Before anything is seen: a standby doesn't plan.
    kube::WriterOptions limits;
    limits.qps = settings_.client_connection.qps;
    limits.burst = settings_.client_connection.burst;
    limits.reporter = kube::own_hostname();
    writer_ = std::make_unique<kube::Writer>(
        credentials_, limits,
        [this](std::uint64_t id, const model::Outcome& outcome) { loop_.push(engine::Written{id, outcome}); },
        [](const std::string& sentence) { warn("writer", sentence); });
    auto server = server::Server::start(settings_, backend());
    if (!server)
        return std::unexpected(server.error());
    server_ = std::move(*server);
    loop_.start();
    for (auto& event : topologies_of(settings_))
        loop_.push(engine::Observed{std::move(event)});
    for (auto& event : topology_files_.poll())
        on_event(std::move(event));
    if (auto options = pod_group_controller_options(settings_)) {
        pod_group_controller_ = std::make_unique<translate::PodGroupController>(
            credentials_, std::move(*options), [this] { return leadership_.leads(); },
            [](const std::string& sentence) { warn("translation", sentence); });
    }
    exporter_ = exporter_of(
        settings_, credentials_, loop_, [this] { return leadership_.leads(); },
        [](const std::string& sentence) { warn("export", sentence); });
    watcher_ = std::make_unique<kube::Watcher>(
        credentials_, watcher_options(settings_, push_ ? &push_->topologies() : nullptr),
        [this](model::Event event) { on_event(std::move(event)); },
        [](const std::string& sentence) { pass_on("watcher", sentence); });
    watcher_seen_ = watcher_.get();
    if (settings_.leader.mode == config::LeaderMode::follow)
        follow_lease();
    if (settings_.leader.mode == config::LeaderMode::own)
        take_lease();
    return {};
}

void Service::look_at_files() {
    upstream_.log_once(watched());
    tls_watch_.look(server_->reload_tls(), std::chrono::steady_clock::now());
    if (auto changed = running_.poll())
        loop_.push(std::move(*changed));
    for (auto& event : topology_files_.poll())
        on_event(std::move(event));
}

void Service::dump() {
    for (const auto& [gang, sentence] : report::summary_of(*loop_.published(), leadership_.leads(), watched()))
        log_line(LogLevel::info, {.caller = "serve", .gang = gang}, sentence);
}

void Service::drain() {
    loop_.push(engine::Draining{});
    const auto give_up = std::chrono::steady_clock::now() + running_.now()->barrier_timeout;
    while (!loop_.is_drained() && std::chrono::steady_clock::now() < give_up)
        std::this_thread::sleep_for(drain_poll);
}

Service::~Service() {
    loop_.stop();
    // These reply to the server. It still asks, and then they answer that echelon is shutting down.
    explainer_.end();
    plans_.end();
    if (push_)
        push_->end();
    follower_.reset();  // These two close connections of the server.
    holder_.reset();
    server_.reset();
    watcher_.reset();
    pod_group_controller_.reset();
    exporter_.reset();
    writer_.reset();  // Finishes what is under way.
}

// Returns SIGTERM or SIGINT once it comes. Files are checked every ten seconds, and at once after SIGHUP. SIGUSR2 asks
// for a summary.
int await_end(const sigset_t& signals, Service& service) {
    for (;;) {
        const int signal = sigtimedwait(&signals, nullptr, &file_watch);
        if (signal == SIGTERM || signal == SIGINT)
            return signal;
        if (signal == SIGUSR2) {
            service.dump();
        } else {
            service.look_at_files();
        }
    }
}

}  // namespace

int serve(const ServeArguments& arguments) {
    const auto signals = block_signals();
    auto text = config::read_file(arguments.config_file);
    const auto settings = text ? config::parse(*text) : std::unexpected(std::vector{text.error()});
    if (!settings) {
        for (const auto& fault : settings.error())
            complain("{}", config::to_line(arguments.config_file, fault));
        return 2;
    }
    start_log(arguments.json_logs, arguments.verbosity, settings->log_level);
    auto credentials = credentials_of(*settings);
    const auto usable = credentials ? server::check_tls_files(*settings) : std::unexpected(credentials.error());
    if (!usable) {
        complain("echelon: {}", usable.error().sentence);
        return 2;
    }
    if ((*credentials)->endpoint().insecure)
        warn("serve", "the API server's certificate is NOT verified: the kubeconfig says insecure-skip-tls-verify");
    const auto limits = server::raise_descriptor_limit();
    info(sentence_about(limits, *settings));
    ShutdownLimit limit(shutdown_limit, end_at_once);  // Outlives the service.
    Service service(*settings, SettingsWatch(arguments.config_file, std::move(*text)), *credentials);
    if (auto started = service.start(); !started) {
        complain("echelon: {}", started.error().sentence);
        return 1;
    }
    info(start_sentence(*settings));
    const int signal = await_end(signals, service);
    info(fmt::format("{}: finishing what is committed", signal == SIGTERM ? "SIGTERM" : "SIGINT"));
    service.drain();
    limit.begin();
    return 0;
}

}  // namespace echelon::app
