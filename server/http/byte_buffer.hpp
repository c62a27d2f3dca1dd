#pragma once

// How are received bytes buffered? Appended at the end, consumed from the front, padded for the JSON parser.
//
// Memory is never cleared, and grows by doubling. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace echelon::server {

class ByteBuffer {
public:
    ByteBuffer() = default;
    explicit ByteBuffer(std::size_t capacity) { reserve(capacity); }

    [[nodiscard]] std::string_view view() const { return {bytes_.get() + begin_, end_ - begin_}; }
    [[nodiscard]] std::size_t size() const { return end_ - begin_; }
    [[nodiscard]] bool empty() const { return begin_ == end_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

    // At least `wanted` bytes of free space after the content. May move the content, which invalidates views. Capacity
    // doubles, but exceeds `most` only if necessary.
    [[nodiscard]] std::span<char> room(std::size_t wanted, std::size_t most = SIZE_MAX);
    // `count` bytes of room() were written.
    void filled(std::size_t count) { end_ += count; }
    void consume(std::size_t count);
    void clear() { begin_ = end_ = 0; }

private:
    void reserve(std::size_t capacity);

    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;  // Without the padding.
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace echelon::server
