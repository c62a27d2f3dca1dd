#include "server/http/buffer_pool.hpp"

#include <utility>

namespace echelon::server {

ByteBuffer BufferPool::take() {
    {
        std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            auto buffer = std::move(free_.back());
            free_.pop_back();
            return buffer;
        }
    }
    return ByteBuffer(usual_capacity);
}

void BufferPool::give_back(ByteBuffer buffer) {
    if (buffer.capacity() != usual_capacity)
        return;
    buffer.clear();
    std::lock_guard lock(mutex_);
    if (free_.size() < kept)
        free_.push_back(std::move(buffer));
}

}  // namespace echelon::server
