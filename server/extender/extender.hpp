#pragma once

// How does kube-scheduler call echelon? Over HTTP: its callbacks on two ports, health and metrics on a third.
//
// filter and prioritize are answered from the published state and never wait. Only bind waits, on its own port and
// workers. The rest of the service is reached through `Backend` alone.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "engine/action.hpp"
#include "engine/input.hpp"
#include "engine/publish/published_state.hpp"
#include "model/facts/group.hpp"
#include "model/facts/plain_pod.hpp"
#include "model/gang/explanation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace echelon::server {

// One line of /readyz and /startupz.
struct Check {
    std::string name;
    std::string trouble;    // Empty: fine.
    std::string note = {};  // A remark, even if it is fine.
};

// The explanation of a gang.
struct Explained {
    model::Explanation tree;  // Without groups: there is only the sentence of the published state.
    std::string text;         // The explanation for people.
};

// What the HTTP server needs from the rest of the service. All functions are called from worker threads, concurrently,
// and must not block. Empty functions are allowed where it says so.
struct Backend {
    std::function<std::shared_ptr<const engine::PublishedState>()> published;
    // Pushes an input for the engine.
    std::function<void(engine::Input)> push_input;
    // True if a profile with `gang` or `topology` has this schedulerName.
    std::function<bool(std::string_view scheduler_name)> is_ours;
    // The gang that a pod names which the published state doesn't know (kube::named_gang).
    std::function<std::optional<std::string>(std::string_view pod_json)> named_gang;
    // Which promised room plain pods of a schedulerName must not take. Empty: none.
    std::function<engine::Protection(std::string_view scheduler_name)> protection;
    // True if nodes are scored for plain pods of a schedulerName. Empty: never.
    std::function<bool(std::string_view scheduler_name)> packs;
    // The requests of a plain pod from its JSON; nullopt: it can't be read.
    std::function<std::optional<model::PlainPod>(std::string_view pod_json)> plain_pod;
    // For the victims on each node, by UID: may kube-scheduler evict them (PR6)? Nullopt: the engine doesn't answer.
    // Empty: any pod.
    std::function<std::optional<std::vector<bool>>(std::vector<std::vector<std::string>> victims)> may_evict;
    // The engine's time.
    std::function<engine::Time()> now;
    // True if this echelon needs a lead and has none. Empty: it always acts.
    std::function<bool()> has_lost_lead;
    std::function<std::vector<Check>()> ready_checks;
    std::function<std::vector<Check>()> live_checks;
    // Explains a gang. The reply comes once, later, from another thread; an error at once if too many wait or echelon
    // is shutting down. Empty: the published state is all there is.
    using ExplainReply = std::function<void(base::Result<Explained>)>;
    std::function<base::Result<void>(const model::GroupKey& root, bool has_colour, ExplainReply reply)> explain;
    // A view for operators: "status", "topology", "holds" or "snapshot", as JSON or as text. The reply comes like that
    // of `explain`.
    struct StateQuery {
        std::string what;
        bool is_text = false;
        bool has_colour = false;
    };
    using StateReply = std::function<void(base::Result<std::string>)>;
    std::function<base::Result<void>(const StateQuery& query, StateReply reply)> query_state;
    // Returns the log level after setting it to `word`, unless that is empty. An error: `word` is no level.
    std::function<base::Result<std::string>(std::string_view word)> log_level;
    // Answers an AdmissionReview; both are JSON (settings.webhook).
    std::function<base::Result<std::string>(std::string_view review)> admit;
    // Pushed topologies: PUT stores a document, DELETE removes it, GET shows it. The reply comes once, from any thread,
    // perhaps at once. Empty: there are none.
    struct TopologyCall {
        enum class Verb : std::uint8_t { show, keep, forget };
        Verb verb = Verb::show;
        std::string name;
        std::string document;
    };
    struct TopologyReply {
        int status = 200;
        std::string text;  // JSON if the status is 200, else a sentence.
    };
    std::function<void(TopologyCall call, std::function<void(TopologyReply)> reply)> topology;
    // Plans the gangs of manifests beside all that runs, and changes nothing (Z40). The reply comes once, from any
    // thread, perhaps at once. Empty: nothing is planned for others.
    struct PlanCall {
        std::string manifests;  // YAML or JSON.
        std::string gang;       // Root of one that runs and is planned, too, "namespace/name"; empty: none.
        bool preempts = false;
        bool is_text = false;
        bool has_colour = false;
    };
    struct PlanReply {
        int status = 200;
        std::string text;  // A report with status 200, else a sentence.
    };
    std::function<void(PlanCall call, std::function<void(PlanReply)> reply)> plan;
    // Further metrics, of watches and writes. May be empty.
    std::function<std::vector<prometheus::MetricFamily>()> more_metrics;
};

class Server {
public:
    // Binds the three ports. An error: one is taken, or a TLS file can't be read. Each port gets a share of the current
    // descriptor limit (server/http/port_shares.hpp).
    [[nodiscard]] static base::Result<std::unique_ptr<Server>> start(const config::Settings& settings, Backend backend);
    ~Server();  // Ends every connection; waiting binds get no answer.

    // Ends a waiting bind call (engine::AnswerBind). Unknown calls are ignored. Thread-safe.
    void answer(const engine::AnswerBind& answer);
    // Ends idle connections of kube-scheduler, which then connects to the leader. Thread-safe.
    void end_idle();
    // Reloads the TLS files if they have changed; to be called from time to time. True: changed files are in use. An
    // error: they can't be used, and the old ones stay. Counted in /metrics. Thread-safe.
    [[nodiscard]] base::Result<bool> reload_tls();

    // The ports in use: extender, bind, admin, and webhook if there is one. They differ from the settings if those are
    // 0.
    [[nodiscard]] std::vector<int> ports() const;
    // False once a listener has failed.
    [[nodiscard]] bool is_listening() const;

private:
    Server();
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::server
