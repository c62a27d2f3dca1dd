#pragma once

// How is a text shared that many values name, such as the UID of a pod? A copy costs a reference count, not an
// allocation.
//
// Immutable: an assignment replaces the whole text. The empty text takes no memory. As thread-safe as a
// std::shared_ptr<const std::string>: threads may share a text, but not one `Text` that one of them assigns to.

#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::base {

// Alike for a text and a view of it.
[[nodiscard]] inline std::uint32_t hash_of(std::string_view text) {
    const std::uint64_t hash = std::hash<std::string_view>()(text);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

class Text {
public:
    Text() = default;
    Text(std::string text)  // NOLINT(google-explicit-constructor)
        : shared_(text.empty() ? nullptr : new Shared(std::move(text))) {}
    Text(std::string_view text) : Text(std::string(text)) {}  // NOLINT(google-explicit-constructor)
    Text(const char* text) : Text(std::string(text)) {}       // NOLINT(google-explicit-constructor)
    Text(std::nullptr_t) = delete;                            // NOLINT(google-explicit-constructor)
    Text(const Text& other) noexcept : shared_(other.shared_) {
        if (shared_ != nullptr)
            shared_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    Text(Text&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    Text& operator=(const Text& other) noexcept {
        Text(other).swap(*this);
        return *this;
    }
    Text& operator=(Text&& other) noexcept {
        Text(std::move(other)).swap(*this);
        return *this;
    }
    ~Text() {
        if (shared_ != nullptr)
            drop();
    }

    // Valid until this `Text` is assigned to or ends. So a temporary gives a copy away, and no view.
    [[nodiscard]] const std::string& str() const& { return shared_ != nullptr ? shared_->text : none; }
    [[nodiscard]] std::string str() const&& { return shared_ != nullptr ? shared_->text : std::string(); }
    operator const std::string&() const& { return str(); }  // NOLINT(google-explicit-constructor)
    operator const std::string&() const&& = delete;         // NOLINT(google-explicit-constructor)
    operator std::string_view() const& { return str(); }    // NOLINT(google-explicit-constructor)
    operator std::string_view() const&& = delete;           // NOLINT(google-explicit-constructor)
    [[nodiscard]] bool empty() const { return shared_ == nullptr; }
    [[nodiscard]] std::size_t size() const { return str().size(); }
    // The same as `hash_of` of the characters, but kept unless there are none.
    [[nodiscard]] std::uint32_t hash() const {
        return shared_ != nullptr ? shared_->hash : hash_of(std::string_view());
    }

    void clear() { Text().swap(*this); }

    friend bool operator==(const Text& one, const Text& other) {
        if (one.shared_ == other.shared_)
            return true;
        return !one.empty() && !other.empty() && one.hash() == other.hash() && one.str() == other.str();
    }
    friend std::strong_ordering operator<=>(const Text& one, const Text& other) {
        if (one.shared_ == other.shared_)
            return std::strong_ordering::equal;
        return one.str() <=> other.str();
    }
    template <typename Other>
        requires std::convertible_to<const Other&, std::string_view> && (!std::same_as<Other, Text>)
    friend bool operator==(const Text& one, const Other& other) {
        return std::string_view(one.str()) == std::string_view(other);
    }
    template <typename Other>
        requires std::convertible_to<const Other&, std::string_view> && (!std::same_as<Other, Text>)
    friend std::strong_ordering operator<=>(const Text& one, const Other& other) {
        return std::string_view(one.str()) <=> std::string_view(other);
    }
    template <typename Other>
        requires std::convertible_to<const Other&, std::string_view>
    friend std::string operator+(const Text& one, const Other& other) {
        return std::string(one.str()).append(std::string_view(other));
    }
    template <typename Other>
        requires std::convertible_to<const Other&, std::string_view> && (!std::same_as<Other, Text>)
    friend std::string operator+(const Other& one, const Text& other) {
        return std::string(one).append(other.str());
    }
    friend std::string operator+(std::string&& one, const Text& other) { return std::move(one.append(other.str())); }
    template <typename Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const Text& text) {
        return out << text.str();
    }

private:
    struct Shared {
        explicit Shared(std::string what) : hash(hash_of(what)), text(std::move(what)) {}

        std::atomic<std::uint32_t> owners = 1;
        std::uint32_t hash;
        std::string text;
    };

    inline static const std::string none{};

    void swap(Text& other) noexcept { std::swap(shared_, other.shared_); }
    void drop() noexcept {
        // The last owner needs no atomic change: nobody else can add one.
        if (shared_->owners.load(std::memory_order_acquire) == 1 ||
            shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete shared_;
    }

    Shared* shared_ = nullptr;  // Null: empty.
};

[[nodiscard]] inline std::uint32_t hash_of(const Text& text) {
    return text.hash();
}
[[nodiscard]] inline std::uint32_t hash_of(const std::string& text) {
    return hash_of(std::string_view(text));
}

// The first eight characters as a number that sorts as they do; zeros stand for characters that a shorter text lacks.
[[nodiscard]] inline std::uint64_t leading_bytes(std::string_view text) {
    std::uint64_t bytes = 0;
    for (std::size_t at = 0; at < sizeof bytes; ++at)
        bytes = bytes << 8U | (at < text.size() ? static_cast<unsigned char>(text[at]) : 0U);
    return bytes;
}

// For hash tables of texts that are searched by views, too.
struct TextHash {
    using is_transparent = void;
    template <typename Any>
    std::size_t operator()(const Any& text) const {
        return hash_of(text);
    }
};

}  // namespace echelon::base

template <>
struct fmt::formatter<echelon::base::Text> : fmt::formatter<std::string_view> {
    auto format(const echelon::base::Text& text, fmt::format_context& context) const {
        return fmt::formatter<std::string_view>::format(text, context);
    }
};
