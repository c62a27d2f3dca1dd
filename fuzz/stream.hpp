#pragma once

// What do a list and a watch leave in the model? Feeds them as the service does, without sockets.
//
// Not thread-safe.

#include "kube/protobuf/message_shape.hpp"
#include "kube/watch/list_watch_state.hpp"
#include "model/cluster/cluster.hpp"

#include <string>
#include <string_view>

namespace echelon::fuzz {

class Stream {
public:
    // `kind`: any number selects one of the watched kinds.
    explicit Stream(unsigned char kind);

    // The shape of that kind; null: it is read as JSON.
    [[nodiscard]] static const kube::ObjectShape* shape_of(unsigned char kind);

    [[nodiscard]] kube::ListWatchState& state() { return state_; }
    [[nodiscard]] static kube::ListWatchState::Instant now() { return {}; }
    // A complete list without items.
    void list_nothing();
    // The objects that are left although none should be; empty: none.
    [[nodiscard]] std::string remains() const;

private:
    void deliver(const nlohmann::json& object, kube::Change change);
    void cannot_read(const nlohmann::json& object, const std::string& fault);

    model::Cluster cluster_;
    std::string broken_;
    kube::ListWatchState state_;
};

// Calls `take` with pieces of `bytes`, each of `size` bytes except the last.
template <class Take>
void cut(std::string_view bytes, std::size_t size, Take take) {
    while (!bytes.empty()) {
        if (!take(bytes.substr(0, size)))
            return;
        bytes.remove_prefix(std::min(size, bytes.size()));
    }
}

}  // namespace echelon::fuzz
