#pragma once

// How does a function return a failure? As an error with one sentence that says why.
//
// An `Error` is bad input or a failure of the environment. A gang that doesn't fit is a `solver::Refusal`, never an
// `Error`.

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
