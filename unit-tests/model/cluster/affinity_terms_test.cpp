// Along which labels a pod and members of gangs keep apart (D14).

#include "model/cluster/affinity_terms.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;
using Keys = std::set<std::string>;

PodTerm term(std::string key, std::vector<Requirement> labels, PodTerm::Kind kind = PodTerm::Kind::apart) {
    return {.kind = kind, .key = std::move(key), .labels = std::move(labels), .namespaces = {"default"}};
}

Pod with(const std::string& name, std::vector<PodTerm> terms) {
    auto made = pod(name);
    made.ns = "default";
    made.terms = std::move(terms);
    return made;
}

const Requirement web{"app", Requirement::Operator::in, {"api", "web"}};
const Requirement not_db{"app", Requirement::Operator::not_in, {"db"}};

TEST_CASE("a pod and members keep apart along the keys of either one's terms, but for the host's (D14)") {
    AffinityTerms terms;
    const auto member = with("m", {term("rack", {web}), term("kubernetes.io/hostname", {web})});
    terms.add_member(member);
    const auto plain = with("p", {});
    CHECK(terms.keys_apart(plain, {{"app", "web"}}) == Keys{"rack"});
    CHECK(terms.keys_apart(plain, {{"app", "api"}, {"tier", "a"}}) == Keys{"rack"});
    CHECK(terms.keys_apart(plain, {{"app", "db"}}).empty());
    CHECK(terms.keys_apart(plain, {}).empty());
    const auto own = with("q", {term("block", {not_db}), term("zone", {}, PodTerm::Kind::together)});
    CHECK(terms.keys_apart(own, {{"app", "web"}}) == Keys{"block", "rack"});
}

TEST_CASE("terms without a list of values, and those of every namespace, are found as well (D14)") {
    AffinityTerms terms;
    auto everywhere = term("block", {web});
    everywhere.namespaces.clear();
    everywhere.is_everywhere = true;
    terms.add_member(with("m", {term("rack", {not_db}), everywhere, term("row", {})}));
    auto plain = with("p", {});
    CHECK(terms.keys_apart(plain, {{"app", "web"}}) == Keys{"block", "rack", "row"});
    CHECK(terms.keys_apart(plain, {{"app", "db"}}) == Keys{"row"});
    plain.ns = "other";
    CHECK(terms.keys_apart(plain, {{"app", "web"}}) == Keys{"block"});
}

TEST_CASE("a term counts while a member has it (D14)") {
    AffinityTerms terms;
    const auto one = with("m", {term("rack", {web})});
    const auto other = with("n", {term("rack", {web})});
    terms.add_member(one);
    terms.add_member(other);
    terms.remove_member(one);
    CHECK(terms.keys_apart(with("p", {}), {{"app", "web"}}) == Keys{"rack"});
    terms.remove_member(other);
    CHECK(terms.keys_apart(with("p", {}), {{"app", "web"}}).empty());
}

}  // namespace
}  // namespace echelon::model
