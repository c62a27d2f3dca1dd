// Which kinds are served, and what is called when that changes?

#include "kube/client/served_kinds.hpp"

#include <bit>
#include <thread>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST_CASE("each kind that pods name has a separate bit, and no other kind has one") {
    KindBits all = 0;
    int count = 0;
    for (const WatchedKind& kind : watched_kinds) {
        CAPTURE(full_name(kind));
        const KindBits bit = kind_bit(kind.resource, kind.group);
        CHECK(std::popcount(bit) == (kind.is_named_by_pods ? 1 : 0));
        CHECK((all & bit) == 0);
        all |= bit;
        count += kind.is_named_by_pods ? 1 : 0;
    }
    CHECK(count == 10);
    CHECK(kind_bit("podgroups", "example.com") == 0);
}

TEST_CASE("callers learn what is served, and waiting callers learn of a change") {
    int changes = 0;
    ServedKinds served([&changes] { ++changes; });
    const KindBits job_sets = kind_bit("jobsets", "jobset.x-k8s.io");
    CHECK(served.unserved() == UnservedKinds{});
    for (const WatchedKind& kind : watched_kinds)
        served.report(kind, true);
    CHECK(changes == 0);
    for (const WatchedKind& kind : watched_kinds) {
        if (kind.kind == "JobSet" || kind.kind == "HyperNode")
            served.report(kind, false);
    }
    CHECK(changes == 1);
    CHECK(served.unserved() == UnservedKinds{job_sets});
    CHECK(served.unserved().has(job_sets));
    CHECK_FALSE(served.unserved().has(0));
}

TEST_CASE("waiting ends when every kind is reported, when it is stopped, or after the time-out") {
    ServedKinds served;
    served.wait_for_all({}, milliseconds(1));
    std::stop_source stop;
    stop.request_stop();
    served.wait_for_all(stop.get_token(), hours(1));
    std::jthread teller([&served] {
        for (const WatchedKind& kind : watched_kinds)
            served.report(kind, false);
    });
    served.wait_for_all({}, hours(1));
    CHECK(served.unserved().kinds != 0);
}

}  // namespace
}  // namespace echelon::kube
