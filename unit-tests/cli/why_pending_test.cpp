// docs/why-pending.md shows what the command prints, and this test runs the same command: the text can't drift.

#include "cli/plan.hpp"
#include "kube/manifests.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

using namespace echelon;

namespace {

std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(std::string(ECHELON_SOURCE_DIR) + "/" + file).rdbuf();
    return text.str();
}

// The only part of the output that isn't a function of the input.
std::string without_times(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        kept += (line.ends_with(" ms") ? line.substr(0, line.rfind("  ")) : line) + "\n";
    }
    return kept;
}

}  // namespace

TEST_CASE("docs/why-pending.md shows what echelon plan prints about its example") {
    const auto manifests = kube::read_manifests({std::string(ECHELON_SOURCE_DIR) + "/examples/why-pending.yaml"});
    REQUIRE(manifests);
    const auto report = cli::decide(manifests->events, {}, {}, true);
    REQUIRE(report);
    const auto printed = without_times(report::to_tree(*report, false));
    CAPTURE(printed);
    const auto page = without_times(text_of("docs/why-pending.md"));
    CHECK(page.find("$ echelon plan -f examples/why-pending.yaml\n" + printed + "```\n") != std::string::npos);
}
