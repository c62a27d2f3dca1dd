#pragma once

// How do many owners share a value that each may change, such as what pods of one template request? A copy costs a
// reference count.
//
// An owner that changes the value gets its own copy first, unless nobody shares it. The default value takes no memory.
// As thread-safe as a value.

#include <atomic>
#include <cstdint>
#include <utility>

namespace echelon::base {

template <typename T>
class CopyOnWrite {
public:
    CopyOnWrite() = default;
    explicit CopyOnWrite(T value) : shared_(new Shared(std::move(value))) {}
    CopyOnWrite(const CopyOnWrite& other) noexcept : shared_(other.shared_) {
        if (shared_ != nullptr)
            shared_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    CopyOnWrite(CopyOnWrite&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): it copies first.
    CopyOnWrite& operator=(const CopyOnWrite& other) noexcept {
        CopyOnWrite(other).swap(*this);
        return *this;
    }
    CopyOnWrite& operator=(CopyOnWrite&& other) noexcept {
        CopyOnWrite(std::move(other)).swap(*this);
        return *this;
    }
    ~CopyOnWrite() {
        // The last owner needs no atomic change: nobody else can add one.
        if (shared_ != nullptr && (is_last() || shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1))
            delete shared_;
    }

    [[nodiscard]] const T& operator*() const { return shared_ != nullptr ? shared_->value : usual; }
    [[nodiscard]] const T* operator->() const { return &**this; }
    // This owner's value, for changes. Valid until the next copy.
    [[nodiscard]] T& edit() {
        if (shared_ == nullptr || !is_last())
            *this = CopyOnWrite(**this);
        return shared_->value;
    }
    // Both have the same object, so that they are equal without a look at it.
    [[nodiscard]] bool is_shared_with(const CopyOnWrite& other) const { return shared_ == other.shared_; }

    bool operator==(const CopyOnWrite& other) const { return is_shared_with(other) || **this == *other; }

private:
    struct Shared {
        explicit Shared(T what) : value(std::move(what)) {}

        std::atomic<std::uint32_t> owners = 1;
        T value;
    };

    void swap(CopyOnWrite& other) noexcept { std::swap(shared_, other.shared_); }
    [[nodiscard]] bool is_last() const { return shared_->owners.load(std::memory_order_acquire) == 1; }

    inline static const T usual{};

    Shared* shared_ = nullptr;  // Null: the default value.
};

}  // namespace echelon::base
