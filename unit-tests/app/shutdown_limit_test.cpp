#include "app/shutdown_limit.hpp"

#include <chrono>
#include <future>

#include <doctest/doctest.h>

namespace echelon::app {
namespace {

TEST_CASE("a service that doesn't end in time is ended") {
    std::promise<void> ended;
    ShutdownLimit limit(std::chrono::milliseconds(1), [&] { ended.set_value(); });
    limit.begin();
    CHECK(ended.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
}

TEST_CASE("a service that ends in time is left alone") {
    bool is_late = false;
    {
        ShutdownLimit limit(std::chrono::hours(1), [&] { is_late = true; });
        limit.begin();
    }
    {
        const ShutdownLimit never_begun(std::chrono::milliseconds(0), [&] { is_late = true; });
    }
    CHECK_FALSE(is_late);
}

}  // namespace
}  // namespace echelon::app
