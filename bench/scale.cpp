// How long does echelon take to list a large cluster and to plan in it, and how much memory does it need?
//
// scale NODES PODS MEMBERS. The API server is in the same process, so memory includes what it keeps: little, since each
// object is made up while it is listed.

#include "unit-tests/app/support/large_cluster.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>

namespace {

using namespace echelon;  // NOLINT(google-build-using-namespace)

// A line of /proc/self/status, in MB.
long megabytes(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name + ":"))
            return std::strtol(line.c_str() + name.size() + 1, nullptr, 10) / 1024;
    }
    return 0;
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

template <typename Condition>
double seconds_until(std::chrono::steady_clock::time_point begin, const Condition& condition) {
    while (!condition())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int number(const char* text) {
    return static_cast<int>(std::strtol(text, nullptr, 10));
}

}  // namespace

int main(int count, char** arguments) {
    app::ClusterSize size{.nodes = 100'000, .pods = 400'000, .members = 1'000};
    if (count == 4)
        size = {number(arguments[1]), number(arguments[2]), number(arguments[3])};
    const app::LargeCluster cluster(size);
    const auto used = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    const app::Intake intake(cluster);
    const auto synced = seconds_until(begin, [&] { return intake.published()->is_synced(); });
    const auto planned = seconds_until(
        begin, [&] { return intake.published()->stats.held_seats == static_cast<std::uint32_t>(size.members); });
    const auto took = processor_seconds() - used - cluster.processor_seconds();
    fmt::print("{} nodes, {} pods, a gang of {}; {:.0f} MB of JSON\n", size.nodes, size.pods, size.members,
               static_cast<double>(cluster.bytes()) * 1e-6);
    fmt::print("listed and synced  {:6.2f} s\n", synced);
    fmt::print("planned            {:6.2f} s after that\n", planned - synced);
    fmt::print("processor time     {:6.2f} s, without {:.2f} s of the server\n", took, cluster.processor_seconds());
    fmt::print("resident           {:6} MB, at most {} MB\n", megabytes("VmRSS"), megabytes("VmHWM"));
    return 0;
}
