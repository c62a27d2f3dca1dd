#include "server/http/descriptors.hpp"

#include <sys/resource.h>

namespace echelon::server {
namespace {

constexpr std::uint64_t usual = 1024;  // If the system gives no limit.

rlimit limit_now() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit = {.rlim_cur = usual, .rlim_max = usual};
    return limit;
}

}  // namespace

DescriptorLimits raise_descriptor_limit() {
    const rlimit before = limit_now();
    rlimit raised = before;
    raised.rlim_cur = raised.rlim_max;
    const bool is_raised = ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
    return {.found = before.rlim_cur, .now = is_raised ? raised.rlim_cur : before.rlim_cur, .hard = before.rlim_max};
}

std::uint64_t descriptor_limit() {
    return limit_now().rlim_cur;
}

}  // namespace echelon::server
