#pragma once

// What object is in a text that has just come? Read in place, where nothing is wrong with it: most of what an API
// server says is read once and forgotten.
//
// Used by one thread at a time. What it gives are views, which are good until the next call.

#include "base/result.hpp"
#include "kube/json/value.hpp"

#include <memory>
#include <string_view>

namespace echelon::kube {

class ObjectParser {
public:
    ObjectParser();
    ~ObjectParser();
    ObjectParser(const ObjectParser&) = delete;
    ObjectParser& operator=(const ObjectParser&) = delete;

    // As parse_object: the same texts are objects, the others have the same faults, and of a key that is given twice
    // the last one counts.
    [[nodiscard]] base::Result<Value> parse(std::string_view text);

private:
    struct State;
    const std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
