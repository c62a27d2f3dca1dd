#pragma once

// How do the topology objects of another scheduler stay in sync with echelon's topology? (Z34)
//
// One thread. It compares the wanted objects with those in the API server that have its label.
//
// 1. All objects are created or changed before any is deleted; a failure on the way deletes nothing.
// 2. Only objects with its label are changed or deleted. One of the same name without the label belongs to somebody
//    else.
// 3. If the topology isn't known yet or can't be expressed, nothing changes, and the reason is logged once.
// 4. Nothing is written while another echelon leads.
// 5. A node that is seen again with the same labels causes no run. After a run that failed, or that had nothing to
//    write, no event causes one for a while; the API server may ask for a longer pause (Retry-After).

#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/token_bucket.hpp"
#include "model/facts/event.hpp"
#include "translate/topology_export.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::translate {

inline constexpr std::string_view export_label = "echelon.sh/export";

struct TopologyExporterOptions {
    TopologyTarget target = TopologyTarget::hyper_node;
    std::string name;  // Of the object, or the prefix of HyperNode names; also the value of the label.
    double qps = 500;
    double burst = 1000;
    std::chrono::milliseconds settle{500};  // Delay after an event; further events in it cause no further write.
    std::chrono::milliseconds check_period{60'000};  // Period of a check for changes by others.
    std::chrono::milliseconds retry{5000};
    std::chrono::milliseconds rest{5000};  // After a run that wrote nothing.
};

// True if the event is about an object that this export writes itself.
[[nodiscard]] bool is_exported(const model::Event& event, TopologyTarget target, const std::string& name);

class TopologyExporter {
public:
    // Returns the wanted objects; nullopt: not known yet. Called on the exporter's thread.
    using Source = std::function<std::optional<ExportedTopology>(const std::stop_token& stop)>;
    using MayWrite = std::function<bool()>;
    using Log = std::function<void(const std::string& sentence)>;  // A repeated sentence is logged once.

    TopologyExporter(std::shared_ptr<kube::Credentials> credentials, TopologyExporterOptions options, Source source,
                     MayWrite may_write, Log log);
    ~TopologyExporter();  // Ends the request under way.
    TopologyExporter(const TopologyExporter&) = delete;
    TopologyExporter& operator=(const TopologyExporter&) = delete;

    // May be called from any thread; events that change no topology are ignored.
    void notice(const model::Event& event);

private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Pause {
        std::chrono::milliseconds shortest;  // No event causes a run before it ends.
        std::chrono::milliseconds longest;   // The delay to the next run without an event.
    };
    using Objects = std::map<std::string, nlohmann::json>;  // By name.

    void run(const std::stop_token& stop);
    [[nodiscard]] bool wait(const std::stop_token& stop);
    // False: the topology is as before. Requires: mutex_.
    [[nodiscard]] bool may_change_topology(const model::Event& event);
    // Compares and writes once.
    [[nodiscard]] Pause sync(const std::stop_token& stop);
    [[nodiscard]] base::Result<void> keep(std::vector<nlohmann::json> wanted);
    [[nodiscard]] base::Result<void> keep_in(const std::string& folder, const std::vector<nlohmann::json>& wanted,
                                             const Objects& existing);
    [[nodiscard]] base::Result<void> write(const std::string& folder, const nlohmann::json& wanted,
                                           const Objects& existing);
    [[nodiscard]] base::Result<void> prune(const std::string& folder, const Objects& gone);
    [[nodiscard]] base::Result<std::optional<Objects>> list(const std::string& folder);
    [[nodiscard]] kube::HttpAnswer send(const kube::HttpRequest& request);
    void log_sentence(const std::string& sentence);

    const TopologyExporterOptions options_;
    const Source source_;
    const MayWrite may_write_;
    const Log log_;
    kube::HttpClient client_;
    kube::TokenBucket bucket_;
    std::string last_logged_;              // Last.
    bool has_written_ = false;             // In this run.
    std::chrono::seconds retry_after_{0};  // The longest that the API server has asked for in this run.

    std::mutex mutex_;
    std::condition_variable_any changed_;
    Instant due_ = Instant::min();               // Guarded by mutex_.
    Instant not_before_ = Instant::min();        // Guarded by mutex_: when events may cause a run again.
    std::map<std::string, std::size_t> places_;  // Guarded by mutex_: node -> hash of what places it in the topology.
    std::jthread thread_;                        // Last member: it uses the others.
};

}  // namespace echelon::translate
