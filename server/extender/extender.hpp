#pragma once

// The HTTP edge: kube-scheduler's callbacks on two ports, health and metrics on a third.
//
// filter and prioritize are answered from a published state and never wait; only bind waits, on a port and workers of
// its own. Knows nothing of threads that decide: the doors below are all it has.

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
    std::string note = {};  // What is to be said of it although it is fine.
};

// Why a gang is where it is, made behind the doors.
struct Explained {
    model::Explanation tree;  // Without groups: nothing is to be told beyond the sentence.
    std::string text;         // The same for people.
};

// The way to everything behind the HTTP edge. All are called from worker threads, concurrently, and must not block.
struct Backend {
    std::function<std::shared_ptr<const engine::PublishedState>()> published;
    // Pushes an input for the engine.
    std::function<void(engine::Input)> tell;
    // schedulerName is one of the profiles (and its `gang` is on).
    std::function<bool(std::string_view scheduler_name)> is_ours;
    // kube::named_gang: the gang of a pod that the published state doesn't know.
    std::function<std::optional<std::string>(std::string_view pod_json)> named_gang;
    // Which promises bind the plain pods of a schedulerName; an empty door: none.
    std::function<engine::Protection(std::string_view scheduler_name)> protection;
    // Nodes are scored for the plain pods of a schedulerName; an empty door: for none.
    std::function<bool(std::string_view scheduler_name)> packs;
    // What a plain pod asks for, by its own JSON; nullopt: it can't be read.
    std::function<std::optional<model::PlainPod>(std::string_view pod_json)> plain_pod;
    // The engine's time.
    std::function<engine::Time()> now;
    // This echelon has led, or would have to, and doesn't: another may. An empty door: it always acts.
    std::function<bool()> has_lost_lead;
    std::function<std::vector<Check>()> ready_checks;
    std::function<std::vector<Check>()> live_checks;
    // Explains a gang: the reply comes later, from another thread, once. A sentence at once when too many wait; an
    // empty door: what the published state says is all there is.
    using ExplainReply = std::function<void(base::Result<Explained>)>;
    std::function<base::Result<void>(const model::GroupKey& root, bool has_colour, ExplainReply reply)> explain;
    // What people look at: "status", "topology", "holds" or "snapshot", as JSON or as text. The reply comes as that of
    // `explain`.
    struct Look {
        std::string what;
        bool is_text = false;
        bool has_colour = false;
    };
    using StateReply = std::function<void(base::Result<std::string>)>;
    std::function<base::Result<void>(const Look& look, StateReply reply)> look;
    // The level of the log: an empty word asks, another one sets it. An error is a sentence about the word.
    std::function<base::Result<std::string>(std::string_view word)> log_level;
    // The AdmissionReview that answers one, both as JSON (settings.webhook).
    std::function<base::Result<std::string>(std::string_view review)> admit;
    // Topologies that are told as a whole: PUT keeps one, DELETE lets it go, GET shows its document. The reply comes
    // once, from any thread, perhaps at once. An empty door: there are none.
    struct TopologyCall {
        enum class Verb : std::uint8_t { show, keep, forget };
        Verb verb = Verb::show;
        std::string name;
        std::string document;
    };
    struct TopologyReply {
        int status = 200;
        std::string text;  // JSON with status 200, else a sentence.
    };
    std::function<void(TopologyCall call, std::function<void(TopologyReply)> reply)> topology;
    // Further metrics, of watches and writes; may be empty.
    std::function<std::vector<prometheus::MetricFamily>()> more_metrics;
};

class Server {
public:
    // Binds the three ports; a sentence when one is taken or a TLS file can't be read. What each may take is a share of
    // the descriptor limit as it is now (server/http/port_shares.hpp).
    [[nodiscard]] static base::Result<std::unique_ptr<Server>> start(const config::Settings& settings, Backend doors);
    ~Server();  // Ends every connection; waiting binds get no answer any more.

    // Ends a waiting bind call (engine::AnswerBind). Unknown calls are ignored. Thread-safe.
    void answer(const engine::AnswerBind& answer);
    // Ends the connections of kube-scheduler on which nothing is asked just now: it connects anew, to the leader.
    // Thread-safe.
    void end_idle();
    // Looks at the TLS files; whoever owns this calls it from time to time. True: changed files were taken up. An error
    // says why they can't be used: the old ones stay. Counted in /metrics. Thread-safe.
    [[nodiscard]] base::Result<bool> reload_tls();

    // The ports in use, extender, bind, admin, and webhook if there is one (they differ from the settings when those
    // say 0).
    [[nodiscard]] std::vector<int> ports() const;
    // False once a listener has died unasked.
    [[nodiscard]] bool is_listening() const;

private:
    Server();
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::server
