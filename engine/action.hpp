#pragma once

// What the engine wants done. It never does anything itself: the runner carries these out and reports back as inputs.

#include "model/facts/write.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace echelon::engine {

class LongSearch;

// Ask the API server; the result comes back as `Written` with the same number.
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
    std::string error;  // Empty: bound. Else the sentence for kube-scheduler, with "echelon: ".
};

// Something that an operator may want to read; the runner decides where it goes.
struct Note {
    enum class Level : std::uint8_t { info, warning, bug };
    Level level = Level::info;
    std::string gang;  // Empty: about no gang.
    std::string sentence;
    std::string pod = {};  // "namespace/name" of the pod that it is about; empty: none.
    std::string err = {};  // What the API server said; empty: nothing went wrong there.
};

// Carry out a search (`LongSearch::run`), on any thread; `SearchEnded` says when, with the same number. Several at once
// are carried out in their order.
struct StartSearch {
    std::uint64_t search = 0;
    std::shared_ptr<LongSearch> task;
};

using Action = std::variant<StartWrite, AnswerBind, Note, StartSearch>;

}  // namespace echelon::engine
