// How the configuration file becomes settings of the model, the server and the API client.

#include "app/settings_mapping.hpp"

#include <doctest/doctest.h>

using namespace echelon;

TEST_CASE("a file without limits has the bounds that the model has by itself") {
    CHECK(app::model_limits(config::Settings{}) == model::Limits{});
}

TEST_CASE("each bound of the file is that bound of the model") {
    config::Settings settings;
    settings.limits = {.members = 1,
                       .groups = 2,
                       .depth = 3,
                       .declared_groups = 4,
                       .annotation_bytes = 5,
                       .annotation_depth = 6,
                       .topology_nodes = 7,
                       .pattern_bytes = 8,
                       .resources = 9,
                       .message_bytes = 10,
                       .longest_hold = std::chrono::seconds(11),
                       .free_priority = true};
    CHECK(app::model_limits(settings) == model::Limits{.members = 1,
                                                       .groups = 2,
                                                       .depth = 3,
                                                       .declared_groups = 4,
                                                       .annotation_bytes = 5,
                                                       .annotation_depth = 6,
                                                       .topology_nodes = 7,
                                                       .pattern_bytes = 8,
                                                       .resources = 9,
                                                       .message_bytes = 10,
                                                       .longest_hold = 11,
                                                       .free_priority = true});
}

TEST_CASE("the section health says which nodes take no pods; without it Kubernetes alone does (Z38)") {
    config::Settings settings;
    CHECK(app::node_health(settings) == nullptr);
    settings.health = {.conditions = {"GpuBroken", "LinkUp=False"}, .taints = {"example.com/broken=yes:NoExecute"}};
    const auto health = app::node_health(settings);
    REQUIRE(health != nullptr);
    REQUIRE(health->conditions.size() == 2);
    CHECK(health->conditions.at(0).status == "True");
    CHECK(health->conditions.at(1).type == "LinkUp");
    CHECK(health->conditions.at(1).status == "False");
    REQUIRE(health->taints.size() == 1);
    CHECK(health->taints.at(0).key == "example.com/broken");
    CHECK(health->taints.at(0).value == "yes");
    CHECK(health->taints.at(0).effect == model::TaintEffect::no_execute);
}
