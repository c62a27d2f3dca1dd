// The subset of CEL that selectors of devices are evaluated by (DR2).

#include "model/devices/selector.hpp"

#include "model/devices/versions.hpp"

#include <array>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using Answer = DeviceSelector::Answer;

Device gpu() {
    Device device;
    device.name = "gpu-0";
    device.attributes = {
        {"gpu.example.com/model", {.kind = DeviceAttribute::Kind::text, .text = "H100"}},
        {"gpu.example.com/index", {.kind = DeviceAttribute::Kind::number, .text = {}, .number = 3}},
        {"gpu.example.com/healthy", {.kind = DeviceAttribute::Kind::truth, .text = {}, .number = 1}},
        {"gpu.example.com/firmware", {.kind = DeviceAttribute::Kind::version, .text = "1.10.0"}},
    };
    device.capacity = {{"gpu.example.com/memory", 80LL * 1024 * 1024 * 1024 * 1000}};
    return device;
}

Answer judged(const std::string& text) {
    const auto selector = DeviceSelector::parse(text);
    REQUIRE_MESSAGE(selector, (text + ": " + (selector ? "" : selector.error())));
    return selector->judge("gpu.example.com", gpu());
}

TEST_CASE("selectors answer as CEL does (DR2)") {
    static const std::array<std::pair<const char*, Answer>, 51> rows{{
        {"true", Answer::yes},
        {"device.driver == \"gpu.example.com\"", Answer::yes},
        {"device.driver != 'gpu.example.com'", Answer::no},
        {"device.attributes[\"gpu.example.com\"].model == \"H100\"", Answer::yes},
        {"device.attributes['gpu.example.com']['model'] == 'H100'", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].model in [\"A100\", \"H100\"]", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].model in [\"A100\"]", Answer::no},
        {"device.attributes[\"gpu.example.com\"].model in []", Answer::no},
        {"device.attributes[\"gpu.example.com\"].index < 4", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].index <= 2", Answer::no},
        {"device.attributes[\"gpu.example.com\"].index > -1", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].index >= 3", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].healthy", Answer::yes},
        {"!device.attributes[\"gpu.example.com\"].healthy", Answer::no},
        {"device.attributes[\"gpu.example.com\"].healthy == true", Answer::yes},
        {"!!true", Answer::yes},
        {"(false || true) && true", Answer::yes},
        {"false && true || true", Answer::yes},
        {"false || true && false", Answer::no},
        {"device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"80Gi\")) == 0", Answer::yes},
        {"device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"81Gi\")) >= 0", Answer::no},
        {"device.capacity[\"gpu.example.com\"].memory.isGreaterThan(quantity(\"40G\"))", Answer::yes},
        {"device.capacity[\"gpu.example.com\"].memory.isLessThan(quantity(\"40G\"))", Answer::no},
        {"device.capacity[\"gpu.example.com\"].memory == quantity(\"81920Mi\")", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].firmware.compareTo(semver(\"1.9.0\")) > 0", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].firmware.isLessThan(semver(\"2.0.0-rc.1\"))", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].firmware == semver(\"1.10.0+build\")", Answer::yes},
        {"device.allowMultipleAllocations", Answer::no},
        {"\"model\" in device.attributes[\"gpu.example.com\"]", Answer::yes},
        {"\"color\" in device.attributes[\"gpu.example.com\"]", Answer::no},
        {"has(device.attributes[\"gpu.example.com\"].color)", Answer::no},
        {"has(device.capacity[\"gpu.example.com\"].memory)", Answer::yes},
        // What fails, and what makes good for it.
        {"device.attributes[\"gpu.example.com\"].color == \"red\"", Answer::fails},
        {"device.attributes[\"nic.example.com\"].model == \"H100\"", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].color == \"red\" && false", Answer::no},
        {"device.attributes[\"gpu.example.com\"].color == \"red\" || true", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].model < 4", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].model", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].model == 4", Answer::no},
        {"device.attributes[\"gpu.example.com\"].firmware == \"1.10.0\"", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].firmware != \"1.10.0\"", Answer::yes},
        {"\"1.10.0\" == device.attributes[\"gpu.example.com\"].firmware", Answer::no},
        {"device.capacity[\"gpu.example.com\"].memory == 80", Answer::fails},
        {"quantity(\"1\") == semver(\"1.0.0\")", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].firmware in [1, semver(\"1.10.0\")]", Answer::yes},
        {"device.attributes[\"gpu.example.com\"].firmware in [1]", Answer::fails},
        {"device.capacity[\"gpu.example.com\"].memory in [1]", Answer::no},
        {"\"H100\" in [\"H100\", device.attributes[\"gpu.example.com\"].color]", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].color in [\"red\"]", Answer::fails},
        {"device.attributes[\"gpu.example.com\"].color in []", Answer::no},
        {" true\n&&\ttrue ", Answer::yes},
    }};
    for (const auto& [text, answer] : rows) {
        CAPTURE(text);
        CHECK(judged(text) == answer);
    }
}

TEST_CASE("what isn't understood is named (DR2, DR5)") {
    static const std::array<std::pair<const char*, const char*>, 20> rows{{
        {"device.driver.startsWith(\"gpu\")", "`startsWith()`"},
        {"device.attributes[\"a\"].x.matches(\"b\")", "`matches()`"},
        {"cel.bind(x, 1, x == 1)", "`cel`"},
        {"device.attributes", "a map that isn't looked up by a text"},
        {"device.attributes[\"a\"]", "a domain of attributes by itself"},
        {"device.attributes[device.driver].x == 1", "a map that isn't looked up by a text"},
        {"device.color", "`device.color`"},
        {"device", "`device` by itself"},
        {"1.5 < 2", "a number that is no integer"},
        {"1u == 1", "a number that is no integer"},
        {"\"open", "a text with escapes, or one that does not end"},
        {"\"a\\n\" == \"b\"", "a text with escapes, or one that does not end"},
        {"(true", "a parenthesis that does not end"},
        {"[1, 2", "a list that does not end"},
        {"true ? true : false", "what follows the expression"},
        {"1 + 1 == 2", "what follows the expression"},
        {"", "an operator or a character"},
        {"quantity(\"much\") == quantity(\"1\")", "such a quantity"},
        {"semver(\"1.0\") == semver(\"1.0.0\")", "such a version"},
        {"1 in 2", "`in` beside anything but a list or the attributes of a domain"},
    }};
    for (const auto& [text, what] : rows) {
        CAPTURE(text);
        const auto selector = DeviceSelector::parse(text);
        REQUIRE_FALSE(selector);
        CHECK(selector.error() == what);
    }
}

TEST_CASE("depth, length and parts of a selector are bounded (BD1)") {
    CHECK(DeviceSelector::parse(std::string(30, '(') + "true" + std::string(30, ')')));
    CHECK_FALSE(DeviceSelector::parse(std::string(100'000, '(') + "true"));
    CHECK_FALSE(DeviceSelector::parse(std::string(5'000, '!') + "true"));
    CHECK_FALSE(DeviceSelector::parse("\"" + std::string(20'000, 'a') + "\" == \"a\""));
    std::string many = "true";
    for (int i = 0; i < 600; ++i)
        many += " && true";
    CHECK_FALSE(DeviceSelector::parse(many));
}

TEST_CASE("semantic versions are ordered as semver.org has it") {
    // Ascending.
    static const std::array<const char*, 12> order{
        "0.9.9",      "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
        "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
        "1.0.0",      "1.9.0",        "1.10.0",        "99999999999999999999.0.0"};
    for (std::size_t a = 0; a < order.size(); ++a) {
        for (std::size_t b = 0; b < order.size(); ++b) {
            CAPTURE(order[a]);
            CAPTURE(order[b]);
            CHECK(compare_versions(order[a], order[b]) == (a < b ? -1 : a > b ? 1 : 0));
        }
    }
    CHECK(compare_versions("1.0.0+a", "1.0.0+b") == 0);
    for (const auto* bad :
         {"", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "v1.2.3", "1.2.x", "1.2.3-a..b"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_version(bad));
    }
}

}  // namespace
}  // namespace echelon::model
