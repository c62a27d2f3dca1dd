#pragma once

// Keeps the objects of another scheduler's topology in step with what echelon knows of nodes (Z34).
//
// One thread. It asks for the objects as they should be, and reads those that bear its label from the API server.
//
// 1. All objects are created or changed before any is deleted; a failure on the way deletes nothing.
// 2. Only objects with its label are ever changed or deleted. One of the same name without it is somebody else's.
// 3. A topology that isn't known yet, or can't be written, changes nothing; why is said once.
// 4. While another echelon acts nothing is written.

#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/token_bucket.hpp"
#include "model/facts/event.hpp"
#include "translate/topology_export.hpp"

#include <chrono>
#include <condition_variable>
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
    std::string name;  // Of the object, or at the beginning of the names of HyperNodes; the value of the label, too.
    double qps = 500;
    double burst = 1000;
    std::chrono::milliseconds settle{500};         // What happens to nodes within it is answered once.
    std::chrono::milliseconds look_again{60'000};  // Others may have changed the objects.
    std::chrono::milliseconds retry{5000};
};

// The event is about an object that this export writes: it says nothing that isn't known.
[[nodiscard]] bool is_exported(const model::Event& event, TopologyTarget target, const std::string& name);

class TopologyExporter {
public:
    // Nullopt: not known yet. Called on its thread.
    using Source = std::function<std::optional<ExportedTopology>(const std::stop_token& stop)>;
    using MayWrite = std::function<bool()>;
    using Log = std::function<void(const std::string& sentence)>;  // Once for each sentence.

    TopologyExporter(std::shared_ptr<kube::Credentials> credentials, TopologyExporterOptions options, Source source,
                     MayWrite may_write, Log log);
    ~TopologyExporter();  // Ends the request under way.
    TopologyExporter(const TopologyExporter&) = delete;
    TopologyExporter& operator=(const TopologyExporter&) = delete;

    // From any thread; events that change no topology are passed over.
    void notice(const model::Event& event);

private:
    using Instant = std::chrono::steady_clock::time_point;
    using Objects = std::map<std::string, nlohmann::json>;  // By name.

    void run(const std::stop_token& stop);
    [[nodiscard]] bool wait(const std::stop_token& stop);
    // When to look next.
    [[nodiscard]] std::chrono::milliseconds look(const std::stop_token& stop);
    [[nodiscard]] base::Result<void> keep(std::vector<nlohmann::json> wanted);
    [[nodiscard]] base::Result<void> keep_in(const std::string& folder, const std::vector<nlohmann::json>& wanted,
                                             const Objects& existing);
    [[nodiscard]] base::Result<void> write(const std::string& folder, const nlohmann::json& wanted,
                                           const Objects& existing);
    [[nodiscard]] base::Result<void> prune(const std::string& folder, const Objects& gone);
    [[nodiscard]] base::Result<std::optional<Objects>> list(const std::string& folder);
    [[nodiscard]] kube::HttpAnswer send(const kube::HttpRequest& request);
    void say(const std::string& sentence);

    const TopologyExporterOptions options_;
    const Source source_;
    const MayWrite may_write_;
    const Log log_;
    kube::HttpClient client_;
    kube::TokenBucket bucket_;
    std::string said_;  // Last.

    std::mutex mutex_;
    std::condition_variable_any changed_;
    Instant due_ = Instant::min();  // Guarded by mutex_.
    std::jthread thread_;           // Last: it uses everything above.
};

}  // namespace echelon::translate
