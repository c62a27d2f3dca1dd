#include "kube/write/write_figures.hpp"

#include "unit-tests/kube/writer_desk.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using namespace desk;

std::uint64_t count(const WriteCounts& counts, WriteKind kind, std::string_view code) {
    const auto at = std::ranges::find(answer_codes, code) - answer_codes.begin();
    return counts.at(static_cast<std::size_t>(kind)).at(static_cast<std::size_t>(at));
}

std::uint64_t total(const WriteCounts& counts) {
    std::uint64_t sum = 0;
    for (const auto& of_kind : counts) {
        for (const auto each : of_kind)
            sum += each;
    }
    return sum;
}

TEST_CASE("writes are counted by kind and by the answer that came, and reads are not") {
    Desk desk([](const httplib::Request& request, httplib::Response& response) {
        const bool is_status = request.path.ends_with("/status");
        answer(response, request.path.ends_with("/eviction") ? 503 : is_status ? 429 : 200);
    });
    for (const model::Write& write :
         {model::Write(binding("a")), model::Write(model::NominatePod{pod("a"), "n1"}),
          model::Write(model::UngatePod{pod("a")}), model::Write(model::KickPod{pod("a"), "1"}),
          model::Write(plan(model::Phase::held)), model::Write(model::DeletePlan{"team", "train", "u-1"}),
          model::Write(planned()), model::Write(model::EvictPod{pod("a")}), model::Write(model::ReadPod{pod("a")}),
          model::Write(model::ReadGroup{"scheduling.k8s.io/v1alpha3", "PodGroup", "team", "train"})})
        static_cast<void>(desk.carried_out(write));
    const auto counts = desk.writer->write_counts();
    CHECK(count(counts, WriteKind::bind, "200") == 1);
    CHECK(count(counts, WriteKind::nominate, "429") == 1);
    CHECK(count(counts, WriteKind::ungate, "200") == 1);
    CHECK(count(counts, WriteKind::kick, "200") == 1);
    CHECK(count(counts, WriteKind::plan, "200") == 1);
    CHECK(count(counts, WriteKind::plan_status, "429") == 1);
    CHECK(count(counts, WriteKind::plan_deletion, "200") == 1);
    CHECK(count(counts, WriteKind::event, "200") == 1);
    CHECK(count(counts, WriteKind::evict, "503") == 1);
    CHECK(total(counts) == 9);
}

TEST_CASE("writes that keep failing are warned about, with one object and the answer") {
    Desk desk([](const httplib::Request& request, httplib::Response& response) {
        const bool is_nomination = request.path.ends_with("/status");
        answer(response, is_nomination ? 429 : 200, R"({"kind":"Status","message":"too many requests"})");
    });
    for (const char* name : {"a", "b", "c", "d"}) {
        static_cast<void>(desk.carried_out(model::NominatePod{pod(name), "n1"}));
        static_cast<void>(desk.carried_out(model::UngatePod{pod(name)}));
    }
    CHECK(desk.warnings.all() ==
          std::vector<std::string>{"writes of kind nominate keep failing, and echelon_writes_total counts them; one of "
                                   "them: nominating n1 for team/b was answered with 429: too many requests"});
}

TEST_CASE("a write that fails once is not warned about, and one that keeps failing once a minute") {
    std::vector<std::string> warnings;
    WriteFigures figures([&](const std::string& sentence) { warnings.push_back(sentence); });
    const auto begin = std::chrono::steady_clock::now();
    const auto fail = [&](WriteKind kind, int second) {
        figures.failed(kind, "s" + std::to_string(second), begin + std::chrono::seconds(second));
        return warnings.size();
    };
    CHECK(fail(WriteKind::evict, 0) == 0);
    CHECK(fail(WriteKind::evict, 70) == 0);  // A minute has passed without one.
    CHECK(fail(WriteKind::event, 71) == 0);  // Of another kind.
    CHECK(fail(WriteKind::evict, 72) == 1);
    CHECK(fail(WriteKind::evict, 73) == 1);
    CHECK(fail(WriteKind::evict, 131) == 1);
    CHECK(fail(WriteKind::evict, 132) == 2);
    CHECK(warnings.back().ends_with("one of them: s132"));
}

TEST_CASE("a write without an answer is counted as none") {
    const HttpAnswer lost{.ending = HttpAnswer::Ending::broken, .status = 200};
    CHECK(answer_codes.at(answer_code(lost)) == "none");
    const HttpAnswer odd{.ending = HttpAnswer::Ending::complete, .status = 418};
    CHECK(answer_codes.at(answer_code(odd)) == "other");
    for (const std::string_view code : {"200", "429", "504"}) {
        const HttpAnswer known{.ending = HttpAnswer::Ending::complete, .status = std::stoi(std::string(code))};
        CHECK(answer_codes.at(answer_code(known)) == code);
    }
}

}  // namespace
}  // namespace echelon::kube
