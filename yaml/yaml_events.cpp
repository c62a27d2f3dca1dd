#include "yaml/yaml_events.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <spanstream>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace echelon::yaml {

namespace {

template <std::size_t size>
bool is_one_of(std::string_view text, const std::array<std::string_view, size>& words) {
    return std::ranges::find(words, text) != words.end();
}

bool is_all_of(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

constexpr std::string_view digits = "0123456789";

// [-+]? digits, or 0o and 0x without a sign.
bool is_integer(std::string_view text) {
    if (text.starts_with("0x"))
        return is_all_of(text.substr(2), "0123456789abcdefABCDEF");
    if (text.starts_with("0o"))
        return is_all_of(text.substr(2), "01234567");
    if (text.starts_with('-') || text.starts_with('+'))
        text.remove_prefix(1);
    return is_all_of(text, digits);
}

// [-+]? ( "." digits | digits ( "." digits? )? ) ( [eE] [-+]? digits )?
bool is_real(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+'))
        text.remove_prefix(1);
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        std::string_view exponent = text.substr(e + 1);
        if (exponent.starts_with('-') || exponent.starts_with('+'))
            exponent.remove_prefix(1);
        if (!is_all_of(exponent, digits))
            return false;
        text = text.substr(0, e);
    }
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
    const auto is_part = [](std::string_view part) { return part.empty() || is_all_of(part, digits); };
    return is_part(whole) && is_part(fraction) && !(whole.empty() && fraction.empty());
}

}  // namespace

std::optional<Fault> parse(std::string_view text, YAML::EventHandler& handler, const std::function<bool()>& next) {
    try {
        // The parser accepts a quotation that is never closed if the text ends in white space. It does not if a comment
        // is on the last line.
        const std::string terminated = std::string(text) + (text.ends_with('\n') ? "#" : "\n#");
        std::ispanstream stream{std::span<const char>(terminated)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(handler) && next()) {
        }
        return std::nullopt;
    } catch (const YAML::Exception& error) {
        return Fault{.mark = error.mark, .what = "isn't valid YAML", .cause = error.msg};
    } catch (const std::exception& error) {
        return Fault{.mark = {}, .what = "can't be read", .cause = error.what()};
    }
}

Scalar plain_scalar(std::string_view text) {
    static constexpr std::array<std::string_view, 5> nulls = {"", "~", "null", "Null", "NULL"};
    static constexpr std::array<std::string_view, 6> booleans = {"true", "True", "TRUE", "false", "False", "FALSE"};
    static constexpr std::array<std::string_view, 12> infinites = {".inf",  ".Inf",  ".INF",  "-.inf", "-.Inf", "-.INF",
                                                                   "+.inf", "+.Inf", "+.INF", ".nan",  ".NaN",  ".NAN"};
    if (is_one_of(text, nulls))
        return Scalar::null;
    if (is_one_of(text, booleans))
        return Scalar::boolean;
    if (is_integer(text))
        return Scalar::integer;
    if (is_real(text))
        return Scalar::real;
    return is_one_of(text, infinites) ? Scalar::infinite : Scalar::text;
}

}  // namespace echelon::yaml
