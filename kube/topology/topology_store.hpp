#pragma once

// How are pushed topologies stored? They are written into a ConfigMap, one after another. Every echelon reads them by
// its watch of that ConfigMap (`app/pushed_topologies.hpp`).
//
// Thread-safe. `Done` is called once per write, on the store's thread; not for writes that still wait at the end.

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

// True for a valid key of a ConfigMap that begins and ends with a letter or digit, and not with .json or .yaml.
[[nodiscard]] bool is_topology_name(std::string_view name);
// The request that stores a document, or deletes it if there is none. Other topologies are unaffected.
[[nodiscard]] HttpRequest request_of_topology(const ConfigMapRef& place, const std::string& name,
                                              const std::optional<std::string>& document);

class TopologyStore {
public:
    using Done = std::function<void(const model::Outcome& outcome)>;

    TopologyStore(std::shared_ptr<Credentials> credentials, ConfigMapRef place);
    ~TopologyStore() { end(); }
    TopologyStore(const TopologyStore&) = delete;
    TopologyStore& operator=(const TopologyStore&) = delete;

    // Ends the request under way, and calls no `Done` any more. Later writes are refused.
    void end();

    // False: refused, since too many writes wait already.
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
    HttpClient client_;  // Used only by the thread, except for `cancel`.
    std::mutex mutex_;
    std::condition_variable_any came_;
    std::deque<Job> jobs_;  // Guarded by mutex_, like the next.
    bool is_ended_ = false;
    std::jthread thread_;  // Last member: it uses the others.
};

}  // namespace echelon::kube
