#include "simulate/trace.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon::simulate;

namespace {

TraceFault fault_of(std::string_view csv) {
    const auto trace = read_trace(csv);
    REQUIRE(!trace);
    return trace.error();
}

}  // namespace

TEST_CASE("columns are found by name, and others are ignored") {
    const auto trace = read_trace("color,pods,submit,name\nred,3,10,b\nblue,,5,a\n");
    REQUIRE(trace);
    REQUIRE(trace->jobs.size() == 2);
    CHECK(trace->jobs[0].name == "a");
    CHECK(trace->jobs[0].pods == 1);
    CHECK(trace->jobs[0].line == 3);
    CHECK(trace->jobs[1].name == "b");
    CHECK(trace->jobs[1].pods == 3);
    CHECK(trace->jobs[1].submit == 10);
    CHECK(!trace->jobs[1].duration);
    CHECK(trace->jobs[1].is_gang);
}

TEST_CASE("a row says what each pod requests") {
    const auto trace = read_trace(
        "submit,cpu,memory,gpu,gpu-share,gpu-resource,gpu-model,required,preferred,priority,gang,limit,duration\n"
        "0,4000,1024,2,,,A100|V100,rack,block|zone,7,False,60,100\n"
        "0,,,,250,amd.com/gpu,,,,,,,\n"
        "0,,,1,500,,,,,,true,,10.5\n");
    REQUIRE(trace);
    const auto request = [&](std::size_t job) { return trace->requests[trace->jobs[job].request]; };
    CHECK(request(0) == PodRequest{4000, std::int64_t{1024} << 20, "nvidia.com/gpu", 2, 0, {"A100", "V100"}});
    CHECK(request(1) == PodRequest{0, 0, "amd.com/gpu", 0, 250, {}});
    CHECK(request(2) == PodRequest{0, 0, "nvidia.com/gpu", 0, 500, {}});
    const auto& levels = trace->levels[trace->jobs[0].levels];
    CHECK(levels.required == std::vector<std::string>{"rack"});
    CHECK(levels.preferred == std::vector<std::string>{"block", "zone"});
    CHECK(trace->jobs[0].priority == 7);
    CHECK(!trace->jobs[0].is_gang);
    CHECK(trace->jobs[2].is_gang);
    CHECK(trace->jobs[0].run_time() == 60);
    CHECK(!trace->jobs[1].run_time());
    CHECK(trace->jobs[2].run_time() == 10.5);
}

TEST_CASE("quotes, carriage returns, empty lines and a byte order mark are read as other programs write them") {
    const auto trace = read_trace("\xEF\xBB\xBFname,submit\r\n\"a,\"\"b\"\"\",1\r\n\r\nc,2");
    REQUIRE(trace);
    REQUIRE(trace->jobs.size() == 2);
    CHECK(trace->jobs[0].name == "a,\"b\"");
    CHECK(trace->jobs[1].line == 4);
    CHECK(trace->jobs[1].submit == 2);
}

TEST_CASE("what is wrong with a trace names its line") {
    struct Row {
        std::string csv;
        TraceFault fault;
    };
    const std::vector<Row> rows = {
        {"", {1, "there is no header"}},
        {"name,pods\n", {1, "there is no column \"submit\""}},
        {"submit,submit\n", {1, "there are two columns \"submit\""}},
        {"submit,name\n0,a\n1,a\n", {3, "name \"a\" is that of line 2"}},
        {"submit,pods\n0,1\n0,two\n", {3, "pods must be a whole number from 1 to 1000000, not \"two\""}},
        {"submit,pods\n0,0\n", {2, "pods must be a whole number from 1 to 1000000, not \"0\""}},
        {"submit\n-1\n", {2, "submit must be a number of seconds, 0 or more, not \"-1\""}},
        {"submit\nnan\n", {2, "submit must be a number of seconds, 0 or more, not \"nan\""}},
        {"submit,name\n,a\n", {2, "submit is missing"}},
        {"submit,gpu,gpu-share\n0,2,500\n", {2, "gpu must be 1 or empty beside a gpu-share, not \"2\""}},
        {"submit,gpu-share\n0,1001\n", {2, "gpu-share must be a whole number from 0 to 1000, not \"1001\""}},
        {"submit,gang\n0,maybe\n", {2, "gang must be true or false, not \"maybe\""}},
        {"submit,name\n0\n", {2, "there is 1 field, and the header has 2"}},
        {"submit,name\n0,\"a\n", {2, "a quoted field has no end"}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.csv);
        CHECK(fault_of(row.csv) == row.fault);
    }
}
