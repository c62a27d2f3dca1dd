#pragma once

// How does a type hold a value that is nearly always the default? In one pointer.
//
// Copies and compares by value. As thread-safe as a value.

#include <compare>
#include <memory>
#include <utility>

namespace echelon::base {

template <typename T>
class Rare {
public:
    Rare() = default;
    Rare(T value) {  // NOLINT(google-explicit-constructor)
        if (value != T())
            value_ = std::make_unique<T>(std::move(value));
    }
    Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Rare(Rare&& other) noexcept = default;
    Rare& operator=(const Rare& other) {
        value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
        return *this;
    }
    Rare& operator=(Rare&& other) noexcept = default;
    ~Rare() = default;

    [[nodiscard]] const T& operator*() const {
        static const T usual;
        return value_ ? *value_ : usual;
    }
    [[nodiscard]] const T* operator->() const { return &**this; }
    // The value, for changes. Valid until the next assignment.
    [[nodiscard]] T& edit() {
        if (!value_)
            value_ = std::make_unique<T>();
        return *value_;
    }

    bool operator==(const Rare& other) const { return (!value_ && !other.value_) || **this == *other; }
    auto operator<=>(const Rare& other) const { return **this <=> *other; }

private:
    std::unique_ptr<T> value_;  // Null: the default.
};

}  // namespace echelon::base
