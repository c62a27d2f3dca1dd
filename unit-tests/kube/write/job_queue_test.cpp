#include "kube/write/job_queue.hpp"

#include <array>
#include <string>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

struct TestJob {
    std::size_t rank = 0;
    std::string ns;
    int number = 0;
};

TEST_CASE("the first rank goes ahead, and each later rank goes on") {
    JobQueue<TestJob> queue;
    for (int number = 0; number < 160; ++number) {
        for (std::size_t rank = 0; rank < job_ranks; ++rank)
            queue.push({rank, "ns", number});
    }
    std::array<int, job_ranks> popped{};
    for (int number = 0; number < 160; ++number)
        ++popped[queue.pop().rank];
    CHECK(popped == std::array<int, job_ranks>{140, 10, 10});
}

TEST_CASE("each job comes out once, in order within a namespace and rank, and namespaces take turns") {
    JobQueue<TestJob> queue;
    for (int number = 0; number < 3; ++number)
        queue.push({1, "many", number});
    queue.push({1, "few", 0});
    queue.push({2, "many", 7});
    std::string order;
    while (!queue.empty()) {
        const auto job = queue.pop();
        order += job.ns + std::to_string(job.number) + " ";
    }
    CHECK(order == "many0 few0 many1 many2 many7 ");
}

}  // namespace
}  // namespace echelon::kube
