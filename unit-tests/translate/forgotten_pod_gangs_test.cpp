// What remains of PodGangs that are gone: nothing, so that a change of the lead costs no request for them.

#include "unit-tests/translate/kept_pod_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {
namespace {

using nlohmann::json;

json named(json gang, const std::string& name) {
    gang["metadata"]["name"] = name;
    return gang;
}

bool is_about_past(const std::string& request) {
    return request.find("past-") != std::string::npos;
}

TEST_CASE("PodGangs that came and went before the lead cause no request (I12)") {
    GroveStore store;
    Kept kept(store);
    kept.leads = false;
    for (int i = 0; i < 1000; ++i) {
        const auto past = named(pod_gang(one_group), fmt::format("past-{}", i));
        kept.see(past);
        kept.lose(past);
    }
    store.put_gang(pod_gang(one_group));
    kept.see(pod_gang(one_group));
    kept.leads = true;
    store.await([&] { return store.groups().size() == 1; });
    CHECK(std::ranges::none_of(store.requests(), is_about_past));
}

TEST_CASE("what a leader knew of a PodGang and its PodGroups goes with them (I12)") {
    GroveStore store;
    Kept kept(store);
    const std::size_t count = 20;
    for (std::size_t i = 0; i < count; ++i) {
        const auto gang = named(pod_gang(one_group), fmt::format("past-{}", i));
        store.put_gang(gang);
        kept.see(gang);
    }
    store.await([&] { return store.groups().size() == count; });
    const auto groups = store.groups();
    store.remove_gang();
    for (std::size_t i = 0; i < count; ++i)
        kept.lose(named(pod_gang(one_group), fmt::format("past-{}", i)));
    for (const auto& [name, group] : groups) {
        store.remove_group(name);
        kept.lose(group);
    }
    const std::size_t before = store.requests().size();
    for (const auto& [name, group] : groups)
        kept.see(group);
    store.put_gang(pod_gang(one_group));
    kept.see(pod_gang(one_group));
    store.await([&] { return store.groups().size() == 1; });
    const auto requests = store.requests();
    CHECK(std::none_of(requests.begin() + static_cast<std::ptrdiff_t>(before), requests.end(), is_about_past));
}

}  // namespace
}  // namespace echelon::translate
