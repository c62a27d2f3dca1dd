#include "server/http/byte_buffer.hpp"

#include "server/http/buffer_pool.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace echelon::server {
namespace {

void append(ByteBuffer& buffer, std::string_view bytes) {
    auto room = buffer.room(bytes.size());
    REQUIRE(room.size() >= bytes.size());
    std::ranges::copy(bytes, room.begin());
    buffer.filled(bytes.size());
}

}  // namespace

TEST_CASE("a buffer keeps its bytes in order while it grows and is consumed") {
    ByteBuffer buffer;
    std::string expected;
    for (int at = 0; at < 1000; ++at) {
        std::string piece(static_cast<std::size_t>(at % 97 + 1), static_cast<char>('a' + at % 26));
        append(buffer, piece);
        expected += piece;
        if (at % 3 == 0) {
            auto gone = std::min<std::size_t>(expected.size(), 50);
            buffer.consume(gone);
            expected.erase(0, gone);
        }
        REQUIRE(buffer.view() == expected);
    }
}

TEST_CASE("the pool lends buffers again and keeps none that grew") {
    BufferPool pool;
    auto buffer = pool.take();
    append(buffer, "secret");
    const auto* memory = buffer.view().data();
    pool.give_back(std::move(buffer));
    auto again = pool.take();
    CHECK(again.empty());
    CHECK(again.room(1).data() == memory);
    append(again, std::string(BufferPool::usual_capacity + 1, 'x'));
    const auto* grown = again.view().data();
    pool.give_back(std::move(again));
    CHECK(pool.take().room(1).data() != grown);
}

}  // namespace echelon::server
