#include "translate/unlike_roles.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::translate {
namespace {

model::Pod pod_of(const std::string& uid, const std::string& gang, const std::string& group, std::int64_t gpus) {
    model::Pod pod;
    pod.uid = uid;
    pod.pod_class.requests.set("nvidia.com/gpu", gpus);
    pod.membership.emplace();
    pod.membership->leaf = {"grove-podgroup", gang + "/" + group};
    return pod;
}

TEST_CASE("a gang is reported with the first pod of different requests, and not again") {
    MixedRoles unlike;
    CHECK(!unlike.notice(pod_of("1", "ml/g", "b", 8)));
    CHECK(!unlike.notice(pod_of("2", "ml/g", "b", 8)));
    CHECK(!unlike.notice(pod_of("3", "ml/other", "a", 1)));  // A separate gang.
    CHECK(unlike.warning_of("ml/g") == "");
    CHECK(unlike.notice(pod_of("4", "ml/g", "a", 1)) == "ml/g");
    CHECK(!unlike.notice(pod_of("4", "ml/g", "a", 1)));
    CHECK(!unlike.notice(pod_of("5", "ml/g", "c", 2)));
    CHECK(unlike.warning_of("ml/g") == unlike_roles_sentence("ml/g/a", "ml/g/b"));
    CHECK(unlike.warning_of("ml/other") == "");
}

TEST_CASE("pods of one role may be unlike, too") {
    MixedRoles unlike;
    CHECK(!unlike.notice(pod_of("1", "ml/g", "a", 8)));
    CHECK(unlike.notice(pod_of("2", "ml/g", "a", 1)) == "ml/g");
    CHECK(unlike.warning_of("ml/g") ==
          "pods of group \"ml/g/a\" ask for different amounts: Koordinator may refuse the gang although it fits");
}

TEST_CASE("a gang is forgotten with its last pod") {
    MixedRoles unlike;
    CHECK(!unlike.notice(pod_of("1", "ml/g", "a", 8)));
    CHECK(unlike.notice(pod_of("2", "ml/g", "b", 1)));
    SUBCASE("that is gone") {
        unlike.notice_gone("1");
        unlike.notice_gone("1");
        CHECK(unlike.warning_of("ml/g") != "");
        unlike.notice_gone("2");
    }
    SUBCASE("that is on its way out, or has ended") {
        auto going = pod_of("1", "ml/g", "a", 8);
        going.deleting = true;
        auto ended = pod_of("2", "ml/g", "b", 1);
        ended.phase = model::PodPhase::succeeded;
        CHECK(!unlike.notice(going));
        CHECK(!unlike.notice(ended));
        unlike.notice_gone("2");
    }
    SUBCASE("that is another gang's now") {
        unlike.notice_gone("1");
        CHECK(!unlike.notice(pod_of("2", "ml/h", "b", 1)));
    }
    CHECK(unlike.warning_of("ml/g") == "");
    CHECK(!unlike.notice(pod_of("3", "ml/g", "a", 2)));
}

TEST_CASE("pods of no PodGang report nothing") {
    MixedRoles unlike;
    auto plain = pod_of("1", "ml/g", "a", 8);
    plain.membership.reset();
    auto labelled = pod_of("2", "ml/g", "a", 1);
    labelled.membership->leaf.kind = "label-gang";
    CHECK(!unlike.notice(plain));
    CHECK(!unlike.notice(labelled));
    CHECK(!unlike.notice(pod_of("3", "ml/g", "a", 2)));
    CHECK(unlike.warning_of("ml/g") == "");
}

}  // namespace
}  // namespace echelon::translate
