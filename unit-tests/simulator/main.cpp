// test-simulator: without arguments the tests; with --seed one run with its trace; with --seeds many runs.
//
//   test-simulator --seed N [--steps M] [--most N] [--leave-out 1,2,3] [--sabotage K] [--trace]
//   test-simulator --seeds FIRST COUNT [--steps M]
//   test-simulator --bugs             the table of deliberate bugs in docs/simulator.md

#define DOCTEST_CONFIG_IMPLEMENT
#include "unit-tests/simulator/campaign.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace {

using namespace echelon::simulator;

struct Arguments {
    Order order;
    bool is_single = false;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool hunts = false;
};

std::uint64_t number(std::string_view text) {
    return std::strtoull(std::string(text).c_str(), nullptr, 10);
}

Arguments read(const std::vector<std::string_view>& words) {
    Arguments arguments;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const auto next = [&]() -> std::string_view { return at + 1 < words.size() ? words[++at] : ""; };
        if (words[at] == "--seed") {
            arguments.is_single = true;
            arguments.order.seed = number(next());
        } else if (words[at] == "--steps") {
            arguments.order.steps = number(next());
        } else if (words[at] == "--seeds") {
            arguments.first = number(next());
            arguments.count = number(next());
        } else if (words[at] == "--sabotage") {
            arguments.order.sabotage =
                static_cast<Sabotage>(std::min<std::uint64_t>(number(next()), sabotage_count - 1));
        } else if (words[at] == "--most") {
            arguments.order.most = static_cast<std::uint32_t>(number(next()));
        } else if (words[at] == "--bugs") {
            arguments.hunts = true;
        } else if (words[at] == "--trace") {
            arguments.order.is_tracing = true;
        } else if (words[at] == "--leave-out") {
            std::string_view list = next();
            while (!list.empty()) {
                arguments.order.left_out.insert(static_cast<std::uint32_t>(number(list)));
                const auto comma = list.find(',');
                list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
            }
        }
    }
    arguments.order.lives_again = true;
    return arguments;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    const auto arguments = read(words);
    if (arguments.is_single)
        return run_one(arguments.order) ? 0 : 1;
    if (arguments.count > 0)
        return run_many(arguments.order, arguments.first, arguments.count) ? 0 : 1;
    if (arguments.hunts) {
        print_bugs();
        return 0;
    }
    doctest::Context context;
    context.applyCommandLine(argc, argv);
    return context.run();
}
