#pragma once

// How is a recording written and read? A recording is one run of the service as lines of JSON. The first has the
// options of the engine, each other one a batch of inputs with its time and, in short, its actions.
//
// Pure, and exact: every value is read back equal. A field with its default value isn't written; a text that isn't
// plain ASCII is written as {"hex": ...}.

#include "base/result.hpp"
#include "engine/engine.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace echelon::replay {

// The first line.
struct RecordingHead {
    std::string made_by;  // `version_line()`; another build may decide differently.
    std::string began;    // The day and the hour, for people.
    engine::Time at{0};   // The same moment by the engine's clock.
    engine::Options options;
};

// A node or pod that was seen again without a change, as are most inputs in a large cluster.
struct RepeatedObject {
    std::uint64_t place = 0;  // Index among the inputs of the batch.
    std::string what;         // "node NAME" or "pod UID".
};

// The inputs of one step of the engine, and its actions.
struct RecordedBatch {
    engine::Time at{0};
    std::vector<engine::Input> inputs;       // Without those in `again`.
    std::vector<std::string> actions;        // In the form of `compact`.
    std::vector<RepeatedObject> again = {};  // By place.
};

// The last line of a recording that ended before its service did.
struct RecordingEnd {
    std::string why;
};

using RecordingLine = std::variant<RecordingHead, RecordedBatch, RecordingEnd>;

// One line, with its line feed.
[[nodiscard]] std::string to_line(const RecordingLine& line);
[[nodiscard]] base::Result<RecordingLine> read_line(std::string_view line);

// Replaces unchanged nodes and pods by entries in `again`; takes the batches of one recording in order. Keeps a hash
// per node and pod.
class RecordingCompressor {
public:
    void shorten(RecordedBatch& batch);

private:
    std::unordered_map<std::string, std::uint64_t> seen_;  // Hash of the last text.
};

// Replaces the entries in `again` by the inputs that they repeat. Keeps each node and pod.
class RecordingExpander {
public:
    // False: one of them wasn't seen before.
    [[nodiscard]] bool restore(RecordedBatch& batch);

private:
    std::unordered_map<std::string, engine::Input> seen_;
};

// "bind default/train-0 to node-7 #3f2a...": the action in short, and a hash of all its fields.
[[nodiscard]] std::string compact(const engine::Action& action);

}  // namespace echelon::replay
