#pragma once

// How is a recorded value written as JSON and read back? Both directions follow the tables in the other files of this
// folder.
//
// Pure. Only recording.cpp and its tests include this.

#include "base/rare.hpp"
#include "base/text.hpp"
#include "replay/recorded_enums.hpp"
#include "replay/recorded_inputs.hpp"
#include "replay/recorded_settings.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::replay {

template <typename T>
concept HasFields = requires { Recorded<T>::names; };
template <typename T>
concept HasWords = requires { RecordedEnum<T>::words; };
template <typename T>
concept HasCases = requires { RecordedCases<T>::names; };

// ---- Writing: `out` gets the value.

[[nodiscard]] bool is_plain_text(std::string_view text);  // ASCII only: needs no escapes.
void write_text(std::string& out, std::string_view text);

template <HasWords T>
void write(std::string& out, T value) {
    write_text(out, RecordedEnum<T>::words.at(static_cast<std::size_t>(value)));
}
inline void write(std::string& out, const std::string& value) {
    write_text(out, value);
}
template <std::integral T>
void write(std::string& out, T value) {
    if constexpr (std::same_as<T, bool>) {
        out += value ? "true" : "false";
    } else {
        fmt::format_to(std::back_inserter(out), "{}", value);
    }
}
inline void write(std::string& out, std::chrono::milliseconds value) {
    write(out, value.count());
}
void write(std::string& out, const model::Amounts& value);
inline void write(std::string& out, const model::NamePattern& value) {
    write_text(out, value.text);
}
template <HasFields T>
void write(std::string& out, const T& value);
template <HasCases T>
void write(std::string& out, const T& value);
template <typename T>
void write(std::string& out, const std::optional<T>& value);
template <typename T>
void write(std::string& out, const base::Shared<T>& value);
template <typename T>
void write(std::string& out, const base::Rare<T>& value);
template <typename T>
void write(std::string& out, const base::SharedList<T>& value);
template <typename T>
void write(std::string& out, const std::vector<T>& value);
template <typename T, typename Less>
void write(std::string& out, const std::map<std::string, T, Less>& value);

// True if the value equals its default, and so isn't written.
template <typename T>
[[nodiscard]] bool is_default(const T& value, const T& usual) {
    if constexpr (HasFields<T>) {
        const auto fields = Recorded<T>::fields(value);
        const auto others = Recorded<T>::fields(usual);
        return [&]<std::size_t... at>(std::index_sequence<at...>) {
            return (is_default(std::get<at>(fields), std::get<at>(others)) && ...);
        }(std::make_index_sequence<Recorded<T>::names.size()>());
    } else if constexpr (HasCases<T>) {
        return false;
    } else if constexpr (requires { value.has_value(); }) {
        return !value && !usual;
    } else if constexpr (requires { value.empty(); }) {
        return value.empty() && usual.empty();
    } else if constexpr (std::same_as<T, model::NamePattern>) {
        return value.text.empty();
    } else {
        return value == usual;
    }
}

template <HasFields T>
void write(std::string& out, const T& value) {
    static const T usual{};
    const auto fields = Recorded<T>::fields(value);
    static_assert(std::tuple_size_v<decltype(fields)> == Recorded<T>::names.size(), "a name for each field");
    const auto others = Recorded<T>::fields(usual);
    char before = '{';
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        const auto one = [&](std::string_view name, const auto& field, const auto& other) {
            if (is_default(field, other))
                return;
            out += before;
            before = ',';
            write_text(out, name);
            out += ':';
            write(out, field);
        };
        (one(Recorded<T>::names[at], std::get<at>(fields), std::get<at>(others)), ...);
    }(std::make_index_sequence<Recorded<T>::names.size()>());
    out += before == '{' ? "{}" : "}";
}

template <HasCases T>
void write(std::string& out, const T& value) {
    static_assert(RecordedCases<T>::names.size() == std::variant_size_v<T>);
    out += '{';
    write_text(out, RecordedCases<T>::names.at(value.index()));
    out += ':';
    std::visit(
        [&out]<typename Case>(const Case& one) {
            if constexpr (std::is_empty_v<Case>) {
                out += "{}";
            } else {
                write(out, one);
            }
        },
        value);
    out += '}';
}

template <typename T>
void write(std::string& out, const std::optional<T>& value) {
    if (value) {
        write(out, *value);
    } else {
        out += "null";
    }
}

template <typename T>
void write(std::string& out, const base::Shared<T>& value) {
    write(out, value ? std::optional(*value) : std::nullopt);
}

template <typename T>
void write(std::string& out, const base::Rare<T>& value) {
    write(out, *value);
}

template <typename T>
void write(std::string& out, const base::SharedList<T>& value) {
    write(out, value.values());
}

template <typename T>
void write(std::string& out, const std::vector<T>& value) {
    out += '[';
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (at > 0)
            out += ',';
        write(out, value[at]);
    }
    out += ']';
}

// An object; or a list of pairs if a key isn't plain text.
template <typename T, typename Less>
void write(std::string& out, const std::map<std::string, T, Less>& value) {
    const bool is_plain = std::ranges::all_of(value, [](const auto& entry) { return is_plain_text(entry.first); });
    const std::string_view brackets = is_plain ? "{}" : "[]";
    out += brackets[0];
    bool is_first = true;
    for (const auto& [key, one] : value) {
        if (!std::exchange(is_first, false))
            out += ',';
        out += is_plain ? "" : "[";
        write_text(out, key);
        out += is_plain ? ':' : ',';
        write(out, one);
        out += is_plain ? "" : "]";
    }
    out += brackets[1];
}

// ---- Reading: returns the fault with its path (".pod.phase: ..."); empty: none.

using Json = nlohmann::json;

[[nodiscard]] std::string read(const Json& json, std::string& value);
[[nodiscard]] std::string read(const Json& json, base::Text& value);
[[nodiscard]] std::string read(const Json& json, bool& value);
[[nodiscard]] std::string read(const Json& json, std::chrono::milliseconds& value);
[[nodiscard]] std::string read(const Json& json, model::Amounts& value);
[[nodiscard]] std::string read(const Json& json, model::NamePattern& value);
template <std::integral T>
[[nodiscard]] std::string read(const Json& json, T& value);
template <HasWords T>
[[nodiscard]] std::string read(const Json& json, T& value);
template <HasFields T>
[[nodiscard]] std::string read(const Json& json, T& value);
template <HasCases T>
[[nodiscard]] std::string read(const Json& json, T& value);
template <typename T>
[[nodiscard]] std::string read(const Json& json, std::optional<T>& value);
template <typename T>
[[nodiscard]] std::string read(const Json& json, base::Shared<T>& value);
template <typename T>
[[nodiscard]] std::string read(const Json& json, base::Rare<T>& value);
template <typename T>
[[nodiscard]] std::string read(const Json& json, base::SharedList<T>& value);
template <typename T>
[[nodiscard]] std::string read(const Json& json, std::vector<T>& value);
template <typename T, typename Less>
[[nodiscard]] std::string read(const Json& json, std::map<std::string, T, Less>& value);

template <std::integral T>
std::string read(const Json& json, T& value) {
    if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
        value = static_cast<T>(json.get<std::uint64_t>());
    } else if (json.is_number_integer() && !json.is_number_unsigned() && std::in_range<T>(json.get<std::int64_t>())) {
        value = static_cast<T>(json.get<std::int64_t>());
    } else {
        return ": must be a whole number within its bounds";
    }
    return {};
}

template <HasWords T>
std::string read(const Json& json, T& value) {
    const auto& words = RecordedEnum<T>::words;
    const auto* text = json.get_ptr<const std::string*>();
    const auto found = text == nullptr ? words.end() : std::ranges::find(words, *text);
    if (found == words.end())
        return fmt::format(": must be one of {}", fmt::join(words, ", "));
    value = static_cast<T>(found - words.begin());
    return {};
}

template <HasFields T>
std::string read(const Json& json, T& value) {
    if (!json.is_object())
        return ": must be an object";
    const auto& names = Recorded<T>::names;
    for (const auto& [key, one] : json.items()) {
        if (std::ranges::find(names, key) == names.end())
            return "." + key + ": isn't known";
    }
    std::string problem;
    const auto one = [&](std::string_view name, auto& field) {
        const auto found = problem.empty() ? json.find(name) : json.end();
        if (found == json.end())
            return;
        if (auto inner = read(*found, field); !inner.empty())
            problem = fmt::format(".{}{}", name, inner);
    };
    auto name = Recorded<T>::names.begin();
    std::apply([&](auto&... fields) { (one(*name++, fields), ...); }, Recorded<T>::fields(value));
    return problem;
}

template <HasCases T>
std::string read(const Json& json, T& value) {
    const auto& names = RecordedCases<T>::names;
    const auto found =
        json.is_object() && json.size() == 1 ? std::ranges::find(names, json.begin().key()) : names.end();
    if (found == names.end())
        return fmt::format(": must be one of {}", fmt::join(names, ", "));
    const auto index = static_cast<std::size_t>(found - names.begin());
    std::string problem;
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        const auto one = [&]<std::size_t number>(std::integral_constant<std::size_t, number>) {
            if (number != index)
                return;
            auto& inner = value.template emplace<number>();
            if constexpr (!std::is_empty_v<std::remove_reference_t<decltype(inner)>>)
                problem = read(json.begin().value(), inner);
        };
        (one(std::integral_constant<std::size_t, at>()), ...);
    }(std::make_index_sequence<std::variant_size_v<T>>());
    return problem.empty() ? problem : fmt::format(".{}{}", *found, problem);
}

template <typename T>
std::string read(const Json& json, std::optional<T>& value) {
    return read(json, value.emplace());
}

template <typename T>
std::string read(const Json& json, base::Shared<T>& value) {
    T inner;
    std::string problem = read(json, inner);
    value = std::move(inner);
    return problem;
}

template <typename T>
std::string read(const Json& json, base::Rare<T>& value) {
    return read(json, value.edit());
}

template <typename T>
std::string read(const Json& json, base::SharedList<T>& value) {
    return read(json, value.edit());
}

template <typename T>
std::string read(const Json& json, std::vector<T>& value) {
    if (!json.is_array())
        return ": must be a list";
    value.clear();
    for (const auto& item : json) {
        if (auto inner = read(item, value.emplace_back()); !inner.empty())
            return fmt::format("[{}]{}", value.size() - 1, inner);
    }
    return {};
}

template <typename T, typename Less>
std::string read(const Json& json, std::map<std::string, T, Less>& value) {
    if (!json.is_object() && !json.is_array())
        return ": must be an object, or a list of pairs";
    value.clear();
    for (const auto& [name, item] : json.items()) {
        std::string key = name;
        const bool is_pair = json.is_array();
        if (is_pair && (!item.is_array() || item.size() != 2))
            return ": must be an object, or a list of pairs";
        if (auto inner = is_pair ? read(item[0], key) : std::string(); !inner.empty())
            return inner;
        if (auto inner = read(is_pair ? item[1] : item, value[key]); !inner.empty())
            return fmt::format(".{}{}", key, inner);
    }
    return {};
}

}  // namespace echelon::replay
