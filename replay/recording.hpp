#pragma once

// What does a recording say? One life of the service as lines of JSON: how the engine was set up, then every batch of
// inputs with its time and what the engine did, in short.
//
// Pure, and exact: what is written is read back equal, whatever texts it holds. A field that has its default isn't
// written; a text that isn't plain ASCII stands as {"hex": ...}.

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
    std::string made_by;  // `version_line()`: another build may decide otherwise.
    std::string began;    // The day and the hour, for people.
    engine::Time at{0};   // The same moment by the engine's clock.
    engine::Options options;
};

// A node or pod that was seen as it had been seen before: most of what a large cluster says.
struct ChangedObject {
    std::uint64_t place = 0;  // Among the inputs of its batch.
    std::string what;         // "node NAME" or "pod UID".
};

// What the loop gave to the engine at once, and what came of it.
struct RecordedBatch {
    engine::Time at{0};
    std::vector<engine::Input> inputs;      // Without those that stand in `again`.
    std::vector<std::string> actions;       // `compact` of each.
    std::vector<ChangedObject> again = {};  // By place.
};

// The last line of a recording that ended before its service did.
struct RecordingEnd {
    std::string why;
};

using RecordingLine = std::variant<RecordingHead, RecordedBatch, RecordingEnd>;

// One line, with its line feed.
[[nodiscard]] std::string to_line(const RecordingLine& line);
[[nodiscard]] base::Result<RecordingLine> read_line(std::string_view line);

// Takes out of the batches of one recording, in their order, what was seen before. Keeps a number for each node and
// pod.
class RecordingCompressor {
public:
    void shorten(RecordedBatch& batch);

private:
    std::unordered_map<std::string, std::uint64_t> seen_;  // Of the last text.
};

// Puts it back. Keeps each node and pod.
class RecordingExpander {
public:
    // False: one of them wasn't seen before.
    [[nodiscard]] bool restore(RecordedBatch& batch);

private:
    std::unordered_map<std::string, engine::Input> seen_;
};

// "bind default/train-0 to node-7 #3f2a...": what it is about, and a number that all of it decides.
[[nodiscard]] std::string compact(const engine::Action& action);

}  // namespace echelon::replay
