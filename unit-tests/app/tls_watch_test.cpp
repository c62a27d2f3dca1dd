#include "app/tls_watch.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::app {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::minutes;

TEST_CASE("TLS files that can't be used are complained about until they can be") {
    base::Result<void> usable = base::failure("tls.keyFile k: doesn't belong to the certificate");
    Lines informed;
    Lines complained;
    TlsWatch watch([&] { return usable; }, [&](const std::string& sentence) { informed.push_back(sentence); },
                   [&](const std::string& sentence) { complained.push_back(sentence); });
    const std::string trouble =
        "the changed TLS files aren't used, the old ones stay: tls.keyFile k: doesn't belong to the certificate";
    const TlsWatch::Instant begin{std::chrono::hours(1)};
    watch.look(false, begin);
    CHECK(watch.trouble().empty());
    watch.look(std::unexpected(usable.error()), begin);
    CHECK(complained == Lines{trouble});
    for (int minute = 1; minute <= 25; ++minute)
        watch.look(false, begin + minutes(minute));
    CHECK(complained == Lines{trouble, trouble, trouble});
    CHECK(watch.trouble() == trouble);
    watch.look(true, begin + minutes(26));  // Those of another port.
    CHECK(watch.trouble() == trouble);
    usable = {};
    watch.look(true, begin + minutes(27));
    CHECK(watch.trouble().empty());
    CHECK(informed.size() == 2);
    CHECK(complained.size() == 3);
}

}  // namespace
}  // namespace echelon::app
