#pragma once

// What may fail, and the one sentence that says why.
//
// Not fitting is never an `Error`: that is a `solver::Refusal`. An `Error` is bad input or a world that failed.

#include <expected>
#include <string>
#include <utility>

namespace echelon::base {

struct Error {
    std::string sentence;  // Names the object and the field; no trailing period.

    bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> failure(std::string sentence) {
    return std::unexpected<Error>(Error{std::move(sentence)});
}

}  // namespace echelon::base
