#pragma once

// What a list or a watch leaves in the model, fed by hand: the way of the service without its sockets.
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
    // One of the watched kinds, by any number.
    explicit Stream(unsigned char kind);

    // Of the same kind; null: it comes as JSON.
    [[nodiscard]] static const kube::ObjectShape* shape_of(unsigned char kind);

    [[nodiscard]] kube::ListWatchState& reflector() { return reflector_; }
    [[nodiscard]] static kube::ListWatchState::Instant now() { return {}; }
    // A complete list without items.
    void list_nothing();
    // What is there although nothing should be; empty: nothing.
    [[nodiscard]] std::string remains() const;

private:
    void deliver(const nlohmann::json& object, kube::Change change);
    void cannot_read(const nlohmann::json& object, const std::string& fault);

    model::Cluster cluster_;
    std::string broken_;
    kube::ListWatchState reflector_;
};

// Pieces of `bytes`, `size` long each but the last.
template <class Take>
void cut(std::string_view bytes, std::size_t size, Take take) {
    while (!bytes.empty()) {
        if (!take(bytes.substr(0, size)))
            return;
        bytes.remove_prefix(std::min(size, bytes.size()));
    }
}

}  // namespace echelon::fuzz
