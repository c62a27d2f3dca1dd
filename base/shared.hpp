#pragma once

// One immutable value with many holders, such as the shape of all pods of a template: copies cost a pointer.
//
// Equal where the values are. Thread-safe, as values are.

#include <memory>
#include <utility>

namespace echelon::base {

template <typename T>
class Shared {
public:
    Shared() = default;                                                       // None.
    Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const { return value_ != nullptr; }
    [[nodiscard]] explicit operator bool() const { return has_value(); }
    // Require a value.
    [[nodiscard]] const T& operator*() const { return *value_; }
    [[nodiscard]] const T* operator->() const { return value_.get(); }

    void reset() { value_.reset(); }

    // A value that is part of another one, which lives as long.
    [[nodiscard]] static Shared part(const std::shared_ptr<const void>& whole, const T& of) {
        Shared out;
        out.value_ = std::shared_ptr<const T>(whole, &of);
        return out;
    }

    bool operator==(const Shared& other) const {
        return value_ == other.value_ || (value_ && other.value_ && *value_ == *other.value_);
    }

private:
    std::shared_ptr<const T> value_;  // Argued: a group is copied by all that plan, its shape need not be.
};

}  // namespace echelon::base
