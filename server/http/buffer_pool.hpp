#pragma once

// Where do connections get buffers for requests? From a pool that all connections of a port share.
//
// A connection has a buffer only while it reads a request. Idle connections need none, and busy ones no allocation.
// Thread-safe.

#include "server/http/byte_buffer.hpp"

#include <mutex>
#include <vector>

namespace echelon::server {

class BufferPool {
public:
    static constexpr std::size_t usual_capacity = 256 * 1024;  // Fits a request with 5,000 names.
    static constexpr std::size_t kept = 16;

    [[nodiscard]] ByteBuffer take();
    // Buffers that grew, and those beyond `kept`, are freed.
    void give_back(ByteBuffer buffer);

private:
    std::mutex mutex_;
    std::vector<ByteBuffer> free_;  // Protected by mutex_.
};

}  // namespace echelon::server
