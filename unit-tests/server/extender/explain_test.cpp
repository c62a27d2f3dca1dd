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

TEST_CASE("a gang with nothing to explain has no explanation in its JSON") {
    CHECK(explain_answer({}, nullptr).body.find("explanation") == std::string::npos);
    const model::Explanation empty;
    CHECK(explain_answer({}, &empty).body.find("explanation") != std::string::npos);
}

}  // namespace echelon::server
