#include "kube/json/ordered_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

TEST_CASE("pieces are taken in order, however many threads make them, and each is made once") {
    constexpr std::size_t pieces = 500;
    for (const std::size_t threads : {0U, 1U, 2U, 5U}) {
        CAPTURE(threads);
        std::vector<std::atomic<int>> made(pieces);
        std::atomic<bool> is_strange = false;
        OrderedParallelReader<std::unique_ptr<std::size_t>> relay(
            pieces, threads, [&](std::size_t thread, std::size_t piece) {
                is_strange = is_strange || thread >= std::max<std::size_t>(threads, 1);
                ++made[piece];
                return std::make_unique<std::size_t>(piece * piece);
            });
        for (std::size_t piece = 0; piece < pieces; ++piece)
            REQUIRE(*relay.next() == piece * piece);
        CHECK_FALSE(is_strange);
        for (const auto& times : made)
            REQUIRE(times == 1);
    }
}

TEST_CASE("threads run ahead by a bounded number of pieces, and end before all are made") {
    std::atomic<std::size_t> made = 0;
    {
        OrderedParallelReader<std::size_t> relay(1'000'000, 2, [&](std::size_t, std::size_t piece) {
            ++made;
            return piece;
        });
        for (std::size_t piece = 0; piece < 10; ++piece)
            REQUIRE(relay.next() == piece);
    }
    CHECK(made >= 10);
    CHECK(made <= 30);
}

}  // namespace
}  // namespace echelon::kube
