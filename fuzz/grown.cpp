// Objects of every dialect that nest, repeat and grow. The bytes choose how, so a few bytes make megabytes.

#include "fuzz/beside.hpp"
#include "fuzz/targets.hpp"
#include "unit-tests/big_objects/growth.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using big_objects::Growth;
using big_objects::Objects;
using nlohmann::json;

constexpr std::int64_t most_objects = 192;         // Objects of one tenant.
constexpr std::int64_t most_parts = 12'000;        // Parts of one object.
constexpr std::size_t largest_object = 1'500'000;  // Bytes that the API server accepts.
constexpr int most_changes = 6;
constexpr std::size_t deepest = 400;  // Levels that changes may add in all; JSON is copied and written by recursion.

class Choices {
public:
    explicit Choices(std::string_view bytes) : bytes_(bytes) {}

    std::size_t next(std::size_t below) {
        if (bytes_.empty() || below == 0)
            return 0;
        std::size_t value = static_cast<unsigned char>(bytes_.front());
        bytes_.remove_prefix(1);
        if (below > 256 && !bytes_.empty()) {
            value = value * 256 + static_cast<unsigned char>(bytes_.front());
            bytes_.remove_prefix(1);
        }
        return value % below;
    }
    [[nodiscard]] bool is_spent() const { return bytes_.empty(); }

private:
    std::string_view bytes_;
};

// How often a growth is repeated. Bounded where it adds objects, or parts of one object.
std::int64_t count_for(const Growth& growth, Choices& choices) {
    const auto two = growth.make("odd", 2);
    const auto nine = growth.make("odd", 9);
    const std::size_t power = choices.next(40);
    const std::int64_t count =
        (std::int64_t{1} << std::min<std::size_t>(power, 31)) - static_cast<int>(choices.next(3));
    if (nine.size() > two.size())
        return std::clamp<std::int64_t>(count, 1, most_objects);
    if (json(nine).dump().size() > json(two).dump().size() + 4)
        return std::clamp<std::int64_t>(count, 1, most_parts);
    return std::clamp<std::int64_t>(count, 1, std::numeric_limits<std::int32_t>::max());
}

// Any value below the object.
json& somewhere_in(json& object, Choices& choices) {
    json* here = &object;
    for (int depth = 0; depth < 24 && here->is_structured() && !here->empty(); ++depth) {
        if (depth > 1 && choices.next(4) == 0)
            break;
        auto part = here->begin();
        std::advance(part, static_cast<std::ptrdiff_t>(choices.next(here->size())));
        here = &*part;
    }
    return *here;
}

void repeat(json& value, std::size_t times) {
    if (value.is_array() && !value.empty()) {
        const std::size_t room = most_parts / std::max<std::size_t>(value.size(), 1);
        const json once = value;
        for (std::size_t i = 0; i < std::min(times, room); ++i)
            value.insert(value.end(), once.begin(), once.end());
    } else if (value.is_object() && !value.empty()) {
        const json first = value.front();
        for (std::size_t i = 0; i < std::min<std::size_t>(times, 2'000); ++i)
            value["odd-" + std::to_string(i)] = first;
    } else if (value.is_string()) {
        const std::string once = value.get<std::string>();
        std::string text;
        for (std::size_t i = 0; i < times && text.size() < 300'000; ++i)
            text += once.empty() ? "[" : once;
        value = text;
    }
}

// Nests the value in itself several times: as a list, or under its first key.
void nest(json& value, std::size_t times) {
    const std::string key = value.is_object() && !value.empty() ? value.begin().key() : "";
    for (std::size_t i = 0; i < times; ++i) {
        json outer;
        if (key.empty()) {
            outer.push_back(std::move(value));
        } else {
            outer[key] = std::move(value);
        }
        value = std::move(outer);
    }
}

void enlarge(json& value, Choices& choices) {
    static const std::vector<json> extremes = {std::numeric_limits<std::int32_t>::max(),
                                               std::numeric_limits<std::int64_t>::max(),
                                               std::numeric_limits<std::int64_t>::min(),
                                               -1,
                                               0,
                                               1e300,
                                               nullptr,
                                               true,
                                               "",
                                               "2147483647",
                                               "-1",
                                               std::string(70'000, '['),
                                               std::string(300, 'x'),
                                               json::array(),
                                               json::object()};
    value = extremes[choices.next(extremes.size())];
}

// `depth`: levels that may still be added; the added ones are subtracted.
void change(Objects& objects, std::size_t& depth, Choices& choices) {
    json& value = somewhere_in(objects[choices.next(objects.size())], choices);
    const std::size_t times = std::size_t{1} << choices.next(13);
    switch (choices.next(4)) {
        case 0:
            return repeat(value, times);
        case 1:
            nest(value, std::min(times, depth));
            depth -= std::min(times, depth);
            return;
        case 2:
            return enlarge(value, choices);
        default:
            if (value.is_structured() && !value.empty())
                value.erase(value.begin());
    }
}

bool is_taken(const json& object) {
    if (!object.is_object())
        return false;
    const std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() <= largest_object && !text.contains(sane_mark);
}

}  // namespace

std::string grown(std::string_view bytes) {
    Choices choices(bytes);
    Objects objects;
    for (std::size_t parts = 1 + choices.next(2); parts > 0; --parts) {
        const Growth& growth = big_objects::all()[choices.next(big_objects::all().size())];
        std::ranges::move(growth.make("odd", count_for(growth, choices)), std::back_inserter(objects));
    }
    std::size_t depth = deepest;
    for (int changes = 0; changes < most_changes && !choices.is_spent(); ++changes)
        change(objects, depth, choices);
    std::erase_if(objects, [](const json& object) { return !is_taken(object); });
    return beside_sane_gangs(objects);
}

}  // namespace echelon::fuzz
