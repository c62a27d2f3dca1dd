#include "kube/dialects/label_gang.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKind;
using model::Membership;
using nlohmann::json;

std::optional<Membership> membership(const json& labels, const json& annotations) {
    const json pod{
        {"metadata", {{"name", "p"}, {"namespace", "ns"}, {"labels", labels}, {"annotations", annotations}}}};
    FieldFault fault;
    const Metadata metadata = read_metadata(Field(pod, fault), Scope::namespaced);
    std::optional<Membership> out = label_membership(metadata);
    CHECK(fault.sentence().empty());
    return out;
}

TEST_CASE("a gang without groups is one leaf") {
    const auto read =
        membership({{"echelon.sh/gang", "train"}}, {{"echelon.sh/gang-minimum", "4"},
                                                    {"echelon.sh/gang-required-topology", "example.com/rack"},
                                                    {"echelon.sh/gang-preferred-topology", "x"}});
    REQUIRE(read);
    Group leaf;
    leaf.key = {"label-gang", "ns/train"};
    leaf.minimum = 4;
    leaf.required = {"example.com/rack"};
    leaf.preferred = {"x"};
    CHECK(*read == Membership{.leaf = leaf.key, .declared = {leaf}, .rank = -1, .attempt = ""});
}

TEST_CASE("a gang with groups is a composite over leaves") {
    const auto read = membership({{"echelon.sh/gang", "train"}, {"echelon.sh/group", "workers"}},
                                 {{"echelon.sh/gang-minimum", "2"},
                                  {"echelon.sh/group-minimum", "08"},
                                  {"echelon.sh/group-required-topology", "rack"},
                                  {"echelon.sh/group-preferred-topology", "host"},
                                  {"echelon.sh/gang-required-topology", "block"},
                                  {"echelon.sh/gang-preferred-topology", "zone"}});
    REQUIRE(read);
    Group root;
    root.key = {"label-gang", "ns/train"};
    root.kind = GroupKind::composite;
    root.minimum = 2;
    root.required = {"block"};
    root.preferred = {"zone"};
    Group leaf;
    leaf.key = {"label-group", "ns/train/workers"};
    leaf.parent = root.key;
    leaf.minimum = 8;
    leaf.required = {"rack"};
    leaf.preferred = {"host"};
    CHECK(*read == Membership{.leaf = leaf.key, .declared = {leaf, root}, .rank = -1, .attempt = ""});
}

TEST_CASE(
    "a gang by labels states how many of a group one domain may hold, and in which level groups are paired (Z26)") {
    const std::map<std::string, std::int64_t> most = {{"example.com/rack", 2}, {"kubernetes.io/hostname", 1}};
    const auto read = membership({{"echelon.sh/gang", "train"}, {"echelon.sh/group", "workers"}},
                                 {{"echelon.sh/gang-minimum", "2"},
                                  {"echelon.sh/group-minimum", "8"},
                                  {"echelon.sh/gang-paired-topology", "example.com/rack"},
                                  {"echelon.sh/group-max-per-domain", "kubernetes.io/hostname=1,example.com/rack=2"}});
    REQUIRE(read);
    CHECK(read->declared[0].most_per_domain == most);
    CHECK(read->declared[0].problem == "");
    CHECK(read->declared[1].paired == "example.com/rack");
    CHECK(read->declared[1].most_per_domain.empty());
    CHECK(read->declared[1].problem == "");
    const auto leaf = membership({{"echelon.sh/gang", "train"}},
                                 {{"echelon.sh/gang-minimum", "2"},
                                  {"echelon.sh/group-max-per-domain", "example.com/rack=2,kubernetes.io/hostname=1"}});
    CHECK(leaf->declared[0].most_per_domain == most);
    CHECK(leaf->declared[0].problem == "");
}

TEST_CASE("a pod without a gang label belongs to nothing") {
    CHECK_FALSE(membership(json::object(), json::object()));
    CHECK_FALSE(membership(nullptr, nullptr));
    CHECK_FALSE(membership({{"echelon.sh/gang", ""}}, json::object()));
    CHECK_FALSE(membership({{"echelon.sh/group", "g"}}, json::object()));
}

TEST_CASE("an annotation that can't be read makes a gang by labels Invalid, never weaker (A3)") {
    struct Row {
        json annotations;
        std::string root_problem;
        std::string leaf_problem;
    };
    const std::string minimum = "echelon.sh/gang-minimum";
    const Row rows[] = {
        {{{"echelon.sh/gang-preferred-topology", "x"}},
         "the annotation echelon.sh/gang-minimum is missing",
         "the annotation echelon.sh/group-minimum is missing"},
        {{{minimum, "2"}}, "", "the annotation echelon.sh/group-minimum is missing"},
        {{{minimum, "two"}, {"echelon.sh/group-minimum", "-1"}},
         "the annotation echelon.sh/gang-minimum is \"two\", which isn't a number from 1 on",
         "the annotation echelon.sh/group-minimum is \"-1\", which isn't a number from 1 on"},
        {{{minimum, "1"}, {"echelon.sh/group-minimum", "1"}, {"echelon.sh/gang-required-topology", ""}},
         "the annotation echelon.sh/gang-required-topology is \"\", which isn't a label key",
         ""},
        {{{minimum, "1"}, {"echelon.sh/group-minimum", "1"}, {"echelon.sh/group-required-topology", "a b"}},
         "",
         "the annotation echelon.sh/group-required-topology is \"a b\", which isn't a label key"},
        {{{minimum, "1"}, {"echelon.sh/group-minimum", "1"}, {"echelon.sh/gang-paired-topology", "a b"}},
         "the annotation echelon.sh/gang-paired-topology is \"a b\", which isn't a label key",
         ""},
    };
    for (const Row& row : rows) {
        const auto read = membership({{"echelon.sh/gang", "a"}, {"echelon.sh/group", "b"}}, row.annotations);
        REQUIRE(read);
        REQUIRE(read->declared.size() == 2);
        CHECK(read->declared[0].problem == row.leaf_problem);
        CHECK(read->declared[1].problem == row.root_problem);
    }
}

TEST_CASE("a pod without the gang's annotations names a Gang object, and disagrees with pods that have them") {
    const auto read = membership({{"echelon.sh/gang", "a"}, {"echelon.sh/group", "b"}}, json::object());
    REQUIRE(read);
    CHECK(read->leaf == model::GroupKey{"gang", "ns/a"});
    REQUIRE(read->declared.size() == 2);
    CHECK(read->declared[0].only_supplements);
    CHECK(read->declared[0].key == model::GroupKey{"label-gang", "ns/a"});
    CHECK(read->declared[0].problem != "");
    CHECK_FALSE(read->declared[1].only_supplements);  // So it is Invalid until the object is there.
    CHECK(read->declared[1].key == model::GroupKey{"gang", "ns/a"});
    CHECK(read->declared[1].parent == model::GroupKey{"label-gang", "ns/a"});  // Until the object is there.
    CHECK(read->declared[1].problem ==
          "the annotation echelon.sh/gang-minimum is missing, and there is no Gang of this name");
}

TEST_CASE("a minimum is digits alone, from 1 on (A3)") {
    for (const std::string text :
         {"", "0", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "2147483648", "99999999999999999999"}) {
        CAPTURE(text);
        const auto read = membership({{"echelon.sh/gang", "a"}}, {{"echelon.sh/gang-minimum", text}});
        CHECK_FALSE(read->declared[0].minimum);
        CHECK_FALSE(read->declared[0].problem.empty());
    }
    const auto largest = membership({{"echelon.sh/gang", "a"}}, {{"echelon.sh/gang-minimum", "20000"}});
    CHECK(largest->declared[0].minimum == 20000);
    CHECK(largest->declared[0].problem.empty());
}

TEST_CASE("an unreadable preferred level of a gang by labels is dropped with a warning (A8)") {
    const auto read = membership({{"echelon.sh/gang", "a"}},
                                 {{"echelon.sh/gang-minimum", "1"}, {"echelon.sh/gang-preferred-topology", "no key"}});
    const Group& leaf = read->declared[0];
    CHECK(leaf.problem.empty());
    CHECK(leaf.preferred.empty());
    CHECK(leaf.warnings ==
          std::vector<std::string>{
              "the annotation echelon.sh/gang-preferred-topology is \"no key\", which isn't a label key"});
}

TEST_CASE("the cluster of GPU cliques is a level although it is no label key") {
    const auto read = membership({{"echelon.sh/gang", "train"}},
                                 {{"echelon.sh/gang-minimum", "4"},
                                  {"echelon.sh/gang-required-topology", "nvidia.com/gpu.clique/cluster"},
                                  {"echelon.sh/gang-preferred-topology", "nvidia.com/gpu.clique/other"}});
    REQUIRE(read);
    const Group& leaf = read->declared.front();
    CHECK(leaf.required == std::vector<std::string>{"nvidia.com/gpu.clique/cluster"});
    CHECK(leaf.problem.empty());
    CHECK(leaf.preferred.empty());
    CHECK(leaf.warnings.size() == 1);
}

TEST_CASE("a limit for each domain that can't be read makes a gang by labels Invalid (A3)") {
    const std::string unreadable = "which isn't KEY=n with a label key and a number from 1 on";
    std::string levels = "a=1";
    for (int i = 0; i < 16; ++i) {
        levels += ",level" + std::to_string(i) + "=1";
    }
    const std::pair<std::string, std::string> rows[] = {
        {"", unreadable},
        {"rack", unreadable},
        {"rack=", unreadable},
        {"rack=0", unreadable},
        {"=1", unreadable},
        {"a b=1", unreadable},
        {"rack=1,", unreadable},
        {"rack=1,rack=2", "which names a level twice"},
        {"rack=20001", "20001 is more than the 20000 members that a gang may have (limits.members)"},
        {levels, "17 is more than the 16 levels that a topology may have"},
    };
    for (const auto& [text, fault] : rows) {
        CAPTURE(text);
        const auto read = membership({{"echelon.sh/gang", "a"}},
                                     {{"echelon.sh/gang-minimum", "1"}, {"echelon.sh/group-max-per-domain", text}});
        CHECK(read->declared[0].problem.starts_with("the annotation echelon.sh/group-max-per-domain"));
        CHECK(read->declared[0].problem.ends_with(fault));
    }
}

TEST_CASE("annotations of a group need the label that names it") {
    const json labels{{"echelon.sh/gang", "a"}};
    const auto promise = membership(
        labels, {{"echelon.sh/gang-minimum", "1"}, {"echelon.sh/group-required-topology", "example.com/rack"}});
    CHECK(promise->declared[0].problem ==
          "the annotation echelon.sh/group-required-topology needs the label echelon.sh/group");
    const auto pairs =
        membership(labels, {{"echelon.sh/gang-minimum", "1"}, {"echelon.sh/gang-paired-topology", "example.com/rack"}});
    CHECK(pairs->declared[0].problem ==
          "the annotation echelon.sh/gang-paired-topology needs the label echelon.sh/group");
    const auto idle = membership(labels, {{"echelon.sh/gang-minimum", "1"}, {"echelon.sh/group-minimum", "3"}});
    CHECK(idle->declared[0].problem.empty());
    CHECK(idle->declared[0].minimum == 1);
    CHECK(idle->declared[0].warnings.size() == 1);
}

TEST_CASE("names can't be joined in two ways") {
    const auto slash = membership({{"echelon.sh/gang", "a/b"}}, {{"echelon.sh/gang-minimum", "1"}});
    CHECK(slash->declared[0].problem == "the label echelon.sh/gang is \"a/b\", which isn't a label value");
    const auto group = membership({{"echelon.sh/gang", "a"}, {"echelon.sh/group", "b/c"}},
                                  {{"echelon.sh/gang-minimum", "1"}, {"echelon.sh/group-minimum", "1"}});
    CHECK(group->declared[0].problem == "the label echelon.sh/group is \"b/c\", which isn't a label value");
}

}  // namespace
}  // namespace echelon::kube
