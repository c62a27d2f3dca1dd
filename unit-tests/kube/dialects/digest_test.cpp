#include "kube/dialects/digest.hpp"

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

TEST_CASE("a digest is the first half of SHA-256") {
    CHECK(digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223");
    CHECK(digest_of("") == "e3b0c44298fc1c149afbf4c8996fb924");
    CHECK(digest_of("ab") != digest_of("abc"));
}

}  // namespace
}  // namespace echelon::kube
