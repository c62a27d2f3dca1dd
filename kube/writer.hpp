#pragma once

// Carries out writes against the API server, in parallel, and reports each outcome exactly once.
//
// Bindings go over connections of their own (4 to 8 kept alive) and aren't held up by other writes, which share a token
// bucket (clientConnection.qps, burst). Writes about one pod are not ordered here: the engine waits for one before the
// next. Thread-safe.

#include "kube/credentials.hpp"
#include "model/write.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace echelon::kube {

struct WriterOptions {
    double qps = 500;
    double burst = 1000;
    unsigned bind_connections = 6;
    unsigned other_connections = 6;
};

class Writer {
public:
    using Done = std::function<void(std::uint64_t id, const model::Outcome&)>;  // Called on a worker thread.

    Writer(std::shared_ptr<Credentials> credentials, WriterOptions options, Done done);
    ~Writer();  // Finishes what is under way, drops what is queued.

    void submit(std::uint64_t id, model::Write write);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
