#include "server/http/byte_buffer.hpp"

#include "server/http/request.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace echelon::server {

void ByteBuffer::reserve(std::size_t capacity) {
    auto bigger = std::make_unique_for_overwrite<char[]>(capacity + body_padding);
    if (!empty())
        std::memcpy(bigger.get(), bytes_.get() + begin_, size());
    bytes_ = std::move(bigger);
    end_ = size();
    begin_ = 0;
    capacity_ = capacity;
    std::memset(bytes_.get() + capacity_, 0, body_padding);
}

std::span<char> ByteBuffer::room(std::size_t wanted, std::size_t most) {
    if (capacity_ - end_ < wanted) {
        if (capacity_ - size() >= wanted) {
            std::memmove(bytes_.get(), bytes_.get() + begin_, size());
            end_ = size();
            begin_ = 0;
        } else {
            reserve(std::max(std::min(capacity_ * 2, most), size() + wanted));
        }
    }
    return {bytes_.get() + end_, capacity_ - end_};
}

void ByteBuffer::consume(std::size_t count) {
    begin_ += std::min(count, size());
    if (empty())
        clear();
}

}  // namespace echelon::server
