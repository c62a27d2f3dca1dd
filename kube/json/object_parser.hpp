#pragma once

// Which object is in one message of the API server? A valid text is parsed in place, without a tree of values: most
// objects are read once and dropped.
//
// Used by one thread at a time. Results are views, valid until the next call.

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

    // Like parse_object: accepts the same texts and gives the same faults. If a key is given twice, the last one
    // counts.
    [[nodiscard]] base::Result<Value> parse(std::string_view text);

private:
    struct State;
    const std::unique_ptr<State> state_;
};

}  // namespace echelon::kube
