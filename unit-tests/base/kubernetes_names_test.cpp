#include "base/kubernetes_names.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

TEST_CASE("a DNS subdomain has parts of lower letters, digits and inner hyphens") {
    for (const std::string text : {"a", "0", "a.b", "a-b.c-d", "x--y", "1.2.3"}) {
        CAPTURE(text);
        CHECK(is_dns_subdomain(text));
    }
    CHECK(is_dns_subdomain(std::string(253, 'a')));
    CHECK_FALSE(is_dns_subdomain(std::string(254, 'a')));
    for (const std::string text : {"", ".", "a.", ".a", "a..b", "-a", "a-", "a-.b", "a.-b", "A", "a_b", "a/b", "ä"}) {
        CAPTURE(text);
        CHECK_FALSE(is_dns_subdomain(text));
    }
}

TEST_CASE("label keys are a name behind an optional domain") {
    for (const std::string key : {"a", "kubernetes.io/hostname", "nvidia.com/gpu.clique", "x-y/A_b.c-1", "a..b"}) {
        CAPTURE(key);
        CHECK(is_label_key(key));
    }
    const std::string longest(63, 'a');
    CHECK(is_label_key(longest));
    CHECK_FALSE(is_label_key(longest + "a"));
    for (const std::string key :
         {"", "/", "a/", "/a", "a b", "-a", "a.", "a-", "A.com/a", "a/b/c", "a..b/c", "a-.b/c", "a\n", "ä"}) {
        CAPTURE(key);
        CHECK_FALSE(is_label_key(key));
    }
}

}  // namespace
}  // namespace echelon::base
