#pragma once

// How do many owners share one immutable value, such as the pod class of a template? A copy costs a pointer.
//
// Compares by value. As thread-safe as a value.

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
    // These require a value.
    [[nodiscard]] const T& operator*() const { return *value_; }
    [[nodiscard]] const T* operator->() const { return value_.get(); }

    void reset() { value_.reset(); }

    // A value that is a part of `whole`, which it keeps alive.
    [[nodiscard]] static Shared part(const std::shared_ptr<const void>& whole, const T& of) {
        Shared out;
        out.value_ = std::shared_ptr<const T>(whole, &of);
        return out;
    }

    bool operator==(const Shared& other) const {
        return value_ == other.value_ || (value_ && other.value_ && *value_ == *other.value_);
    }

private:
    std::shared_ptr<const T> value_;  // Null: none.
};

}  // namespace echelon::base
