#pragma once

// Keeps pushed topologies: writes them into their ConfigMap, one after another. What reads them is its watch
// (`app/pushed_topologies.hpp`), here and in every other echelon.
//
// Thread-safe. Each write is answered once, on the store's thread; those that wait when it ends aren't.

#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/topology/store_place.hpp"
#include "model/facts/write.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace echelon::kube {

// A key of a ConfigMap, and nothing that another part of a path could be.
[[nodiscard]] bool is_topology_name(std::string_view name);
// The write of a document; without one: that there is none. Nobody else's topology is touched by it.
[[nodiscard]] HttpRequest request_of_topology(const ConfigMapRef& place, const std::string& name,
                                              const std::optional<std::string>& document);

class TopologyStore {
public:
    using Done = std::function<void(const model::Outcome& outcome)>;

    TopologyStore(std::shared_ptr<Credentials> credentials, ConfigMapRef place);
    ~TopologyStore() { end(); }
    TopologyStore(const TopologyStore&) = delete;
    TopologyStore& operator=(const TopologyStore&) = delete;

    // Ends the request under way, and answers nobody any more. Once it is back, nothing is taken.
    void end();

    // False: too many wait already, and this one isn't taken.
    [[nodiscard]] bool keep(std::string name, std::optional<std::string> document, Done done);
    [[nodiscard]] const ConfigMapRef& place() const { return place_; }

private:
    struct Job {
        std::string name;
        std::optional<std::string> document;
        Done done;
    };
    void run(const std::stop_token& stop);

    const ConfigMapRef place_;
    HttpClient client_;  // Of the thread, but for `cancel`.
    std::mutex mutex_;
    std::condition_variable_any came_;
    std::deque<Job> jobs_;  // Guarded by mutex_, like the next.
    bool is_ended_ = false;
    std::jthread thread_;  // Last: it uses everything above.
};

}  // namespace echelon::kube
