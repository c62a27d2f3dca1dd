#include "server/http/port_shares.hpp"

#include <doctest/doctest.h>

namespace echelon::server {

TEST_CASE("the ports never take more descriptors than there are, and each has some") {
    for (const std::uint64_t descriptors : {64UL, 256UL, 1'024UL, 4'096UL, 20'000UL, 65'536UL, 1UL << 20U, ~0UL}) {
        for (const bool has_webhook : {false, true}) {
            CAPTURE(descriptors);
            config::Settings settings;
            if (has_webhook)
                settings.webhook.emplace();
            const auto shares = port_shares(settings, descriptors);
            std::size_t turned_away = 0;
            for (const auto& limits : {extender_limits(shares), bind_limits(shares), admin_limits(shares)})
                turned_away += limits.refused_with_answer;
            if (descriptors >= 1'024)
                CHECK(turned_away <= shares.outside);
            CHECK(shares.outside + shares.extender + shares.bind + shares.admin + shares.webhook <= descriptors);
            CHECK(shares.extender > 0);
            CHECK(shares.admin > 0);
            CHECK((shares.webhook > 0) == has_webhook);
            CHECK(shares.bind > shares.member_calls());
            CHECK(shares.member_calls() >= shares.barrier);
        }
    }
}

TEST_CASE("the barrier has the connections that are configured, where there are descriptors for them") {
    config::Settings settings;
    CHECK(port_shares(settings, 65'536).barrier == 16'384);
    CHECK(port_shares(settings, 20'000).barrier > 15'000);
    CHECK(port_shares(settings, 1'024).barrier > 400);
    settings.barrier_connections = 40'000;
    CHECK(port_shares(settings, 65'536).barrier == 40'000);
    settings.barrier_connections = 100;
    const auto few = port_shares(settings, 65'536);
    CHECK(few.barrier == 100);
    CHECK(few.bind == 1'124);
}

}  // namespace echelon::server
