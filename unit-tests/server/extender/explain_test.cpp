#include "server/extender/explain.hpp"

#include <doctest/doctest.h>

namespace echelon::server {

TEST_CASE("the answer is text if the caller accepts text before JSON") {
    CHECK(wants_text("text/plain"));
    CHECK(wants_text("text/plain, application/json;q=0.5"));
    CHECK_FALSE(wants_text("application/json, text/plain"));
    CHECK_FALSE(wants_text("*/*"));
    CHECK_FALSE(wants_text(""));
}

TEST_CASE("a standby says that the leader knows the gangs") {
    const engine::PublishedState published;
    const auto by_leader = find_gang(published, "ml/chat", true);
    REQUIRE(!by_leader);
    CHECK(by_leader.error().status == 404);
    CHECK(by_leader.error().body.find("its members have to ask for a scheduler of ours") != std::string::npos);
    const auto by_standby = find_gang(published, "ml/chat", false);
    REQUIRE(!by_standby);
    CHECK(by_standby.error().status == 404);
    CHECK(by_standby.error().body ==
          "no gang \"ml/chat\": this echelon is on standby and lists no gangs, ask the leader\n");
}

TEST_CASE("a gang with nothing to explain has no explanation in its JSON") {
    CHECK(explain_answer({}, nullptr).body.find("explanation") == std::string::npos);
    const model::Explanation empty;
    CHECK(explain_answer({}, &empty).body.find("explanation") != std::string::npos);
}

}  // namespace echelon::server
