#pragma once

// Buffers for requests that are being read, shared by all connections of a port.
//
// A connection has one only while bytes of a request are there: an idle connection costs none, and a busy one needs no
// allocation. Thread-safe.

#include "server/http/byte_buffer.hpp"

#include <mutex>
#include <vector>

namespace echelon::server {

class BufferPool {
public:
    static constexpr std::size_t usual_capacity = 256 * 1024;  // A request with 5,000 names and more.
    static constexpr std::size_t kept = 16;

    [[nodiscard]] ByteBuffer take();
    // Buffers that grew, and those beyond `kept`, are freed.
    void give_back(ByteBuffer buffer);

private:
    std::mutex mutex_;
    std::vector<ByteBuffer> free_;  // Protected by mutex_.
};

}  // namespace echelon::server
