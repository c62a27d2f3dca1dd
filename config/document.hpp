#pragma once

// What does a YAML file say, and on which line? One document as a tree of values with their lines.
//
// Pure. A key given twice, an alias and invalid syntax are faults.

#include "config/settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::config {

// One value of the file.
struct Value {
    enum class Kind : std::uint8_t { null, boolean, number, text, list, map };
    struct Entry;

    Kind kind = Kind::null;
    int line = 1;                // Line of the key; for an item of a list, the line where the item begins.
    std::string text;            // As it was written, without quotes: null, booleans, numbers and texts.
    std::vector<Value> items;    // Of a list.
    std::vector<Entry> entries;  // Of a map, in the order of the file, each key once.
};

struct Value::Entry {
    std::string key;
    Value value;
};

// "a list", "true", "\"text\"": a value in a sentence, on one line, cut to a readable length.
[[nodiscard]] std::string shown(const Value& value);
[[nodiscard]] std::string shown(std::string_view text);

// The path of an entry: "barrier.timeout", or "barrier[\"a key like no other\"]".
[[nodiscard]] std::string path_of(std::string_view parent, std::string_view key);

// Parses one document. Faults are added to `faults`; after a syntax error the value is unusable.
[[nodiscard]] Value read_document(std::string_view yaml, std::vector<Fault>& faults);

}  // namespace echelon::config
