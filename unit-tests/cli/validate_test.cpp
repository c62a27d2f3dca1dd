#include "cli/validate.hpp"

#include "unit-tests/cli/files.hpp"

#include <doctest/doctest.h>

using echelon::cli::faults_in;
using echelon::cli::validate;

namespace {

constexpr const char* good = R"(apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
profiles:
- schedulerName: default-scheduler
)";

}  // namespace

TEST_CASE("a good configuration has no faults and exits with 0") {
    const echelon::cli::testing::Folder folder;
    const auto file = folder.write("good.yaml", good);
    CHECK(faults_in(file).empty());
    CHECK(validate(file) == 0);
}

TEST_CASE("each fault is a line with file, line, path and what is wrong, and the exit status is 2") {
    const echelon::cli::testing::Folder folder;
    const auto file = folder.write("bad.yaml", std::string(good) + "- schedulerName: default-scheduler\nbarier: {}\n");
    const auto lines = faults_in(file);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].starts_with(file + ":5: profiles[1].schedulerName: "));
    CHECK(lines[1].starts_with(file + ":6: barier: "));
    CHECK(validate(file) == 2);
}

TEST_CASE("a file that can't be read is a fault") {
    const echelon::cli::testing::Folder folder;
    CHECK(faults_in(folder.path("absent.yaml")).size() == 1);
    CHECK(validate(folder.path("absent.yaml")) == 2);
}
