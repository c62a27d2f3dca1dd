#pragma once

// How do many owners share a list that seldom changes, such as the groups that a pod declares? A copy costs a pointer.
//
// Copy on write: an owner that changes the list gets its own copy first. As thread-safe as a value.

#include "base/copy_on_write.hpp"
#include "base/shared.hpp"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace echelon::base {

template <typename T>
class SharedList {
public:
    SharedList() = default;
    SharedList(std::initializer_list<T> values) : values_(std::vector<T>(values)) {}
    SharedList(std::vector<T> values) : values_(std::move(values)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] const std::vector<T>& values() const { return *values_; }
    [[nodiscard]] auto begin() const { return values().begin(); }
    [[nodiscard]] auto end() const { return values().end(); }
    [[nodiscard]] std::size_t size() const { return values().size(); }
    [[nodiscard]] bool empty() const { return values().empty(); }
    // These require that the element exists.
    [[nodiscard]] const T& operator[](std::size_t at) const { return values()[at]; }
    [[nodiscard]] const T& front() const { return values().front(); }
    [[nodiscard]] const T& back() const { return values().back(); }
    // Shares one element without a copy; keeps the whole list alive.
    [[nodiscard]] Shared<T> share(std::size_t at) const {
        const auto whole = std::make_shared<const SharedList>(*this);
        return Shared<T>::part(whole, (*whole)[at]);
    }

    // This owner's elements, for changes. Valid until the next copy of the list.
    [[nodiscard]] std::vector<T>& edit() { return values_.edit(); }
    void push_back(T value) { edit().push_back(std::move(value)); }
    T& emplace_back() { return edit().emplace_back(); }

    bool operator==(const SharedList& other) const = default;

private:
    CopyOnWrite<std::vector<T>> values_;
};

}  // namespace echelon::base
