#pragma once

// What does the engine ask the outside world to do? It does none of it itself: the runner carries each action out and
// reports the outcome as an input.

#include "model/facts/write.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace echelon::engine {

class LongSearch;

// Send a request to the API server. The outcome comes back as `Written` with the same number.
struct StartWrite {
    std::uint64_t write = 0;
    model::Write what;
};

// How a bind call ended; a fixed set, used as a metric label (docs/metrics.md).
enum class BindResult : std::uint8_t { ok, rejected, error, deadline, client_gone, overload };

// End a waiting bind call.
struct AnswerBind {
    std::uint64_t call = 0;
    BindResult result = BindResult::ok;
    std::string error;  // Empty: bound. Otherwise the sentence for kube-scheduler, with "echelon: ".
};

// A message for operators. The runner decides where it goes.
struct Note {
    enum class Level : std::uint8_t { info, warning, bug };
    Level level = Level::info;
    std::string gang;  // Empty: about no gang.
    std::string sentence;
    std::string pod = {};  // "namespace/name" of the pod concerned; empty: none.
    std::string err = {};  // The error text of the API server; empty: none.
};

// Run a search (`LongSearch::run`) on any thread, then report `SearchEnded` with the same number. Searches run in the
// order in which they were requested.
struct StartSearch {
    std::uint64_t search = 0;
    std::shared_ptr<LongSearch> task;
};

using Action = std::variant<StartWrite, AnswerBind, Note, StartSearch>;

}  // namespace echelon::engine
