#include "config/scalars.hpp"

#include "config/document.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace echelon::config {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_alphanumeric(char c) {
    return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z');
}

// Nanoseconds of the unit at the front of the text, and how long the name of the unit is.
struct DurationUnit {
    std::string_view name;
    std::int64_t nanoseconds;
};

const DurationUnit* unit_at(std::string_view text) {
    // Longer names first: "ms" isn't "m".
    static constexpr std::array units{
        DurationUnit{"ns", 1},
        DurationUnit{"us", 1'000},
        DurationUnit{"\u00b5s", 1'000},
        DurationUnit{"\u03bcs", 1'000},
        DurationUnit{"ms", 1'000'000},
        DurationUnit{"s", 1'000'000'000},
        DurationUnit{"m", 60'000'000'000},
        DurationUnit{"h", 3'600'000'000'000},
    };
    const auto* at = std::ranges::find_if(units, [&](const DurationUnit& unit) { return text.starts_with(unit.name); });
    return at == units.end() ? nullptr : at;
}

// Takes one "1.5h" off the front; nullopt: it isn't one, or is too large.
std::optional<std::int64_t> take_part(std::string_view& text) {
    std::int64_t whole = 0;
    double fraction = 0;
    double scale = 1;
    std::size_t at = 0;
    for (; at < text.size() && is_digit(text[at]); ++at) {
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, text[at] - '0', &whole)) {
            return std::nullopt;
        }
    }
    std::size_t digits = at;
    if (at < text.size() && text[at] == '.') {
        for (++at; at < text.size() && is_digit(text[at]); ++at, ++digits) {
            if (scale > 1e15)
                continue;  // Below a nanosecond of any unit.
            fraction = fraction * 10 + (text[at] - '0');
            scale *= 10;
        }
    }
    if (digits == 0)
        return std::nullopt;
    text.remove_prefix(at);
    const DurationUnit* unit = unit_at(text);
    if (unit == nullptr)
        return std::nullopt;
    text.remove_prefix(unit->name.size());
    const auto rest = static_cast<std::int64_t>(fraction * (static_cast<double>(unit->nanoseconds) / scale));
    if (__builtin_mul_overflow(whole, unit->nanoseconds, &whole) || __builtin_add_overflow(whole, rest, &whole)) {
        return std::nullopt;
    }
    return whole;
}

std::optional<std::int64_t> nanoseconds_in(std::string_view text) {
    if (text == "0")
        return 0;
    if (text.empty())
        return std::nullopt;
    std::int64_t sum = 0;
    while (!text.empty()) {
        const std::optional<std::int64_t> part = take_part(text);
        if (!part || __builtin_add_overflow(sum, *part, &sum))
            return std::nullopt;
    }
    return sum;
}

bool is_ipv4(const std::string& text) {
    in_addr address{};
    return inet_pton(AF_INET, text.c_str(), &address) == 1;
}

std::optional<in6_addr> ipv6_in(const std::string& text) {
    in6_addr address{};
    return inet_pton(AF_INET6, text.c_str(), &address) == 1 ? std::optional(address) : std::nullopt;
}

bool is_host_name(std::string_view text) {
    const auto fits = [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; };
    return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, fits) && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back()) && text.find("..") == std::string_view::npos;
}

// A host name or an address; digits and dots alone must be an address.
bool is_host(const std::string& text) {
    const bool numeric = text.find_first_not_of("0123456789.") == std::string::npos;
    return numeric ? is_ipv4(text) : is_host_name(text);
}

}  // namespace

std::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::size_t sign = negative || text.starts_with('+') ? 1 : 0;
    const std::optional<std::int64_t> nanoseconds = nanoseconds_in(text.substr(sign));
    if (!nanoseconds) {
        return std::unexpected(fmt::format("{} isn't a duration like \"1m30s\" or \"50ms\"", shown(text)));
    }
    if (negative && *nanoseconds != 0)
        return std::unexpected(fmt::format("{} is negative", shown(text)));
    const std::int64_t part = *nanoseconds % 1'000'000 == 0 ? 0 : 1;
    return std::chrono::milliseconds(*nanoseconds / 1'000'000 + part);
}

std::expected<Address, std::string> parse_address(std::string_view text) {
    const auto no_address = [&] {
        return std::unexpected(
            fmt::format("{} isn't an address like \"127.0.0.1:9300\" or \"[::1]:9300\"", shown(text)));
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return no_address();
    std::string host(text.substr(0, colon));
    const std::string_view port_text = text.substr(colon + 1);
    int port = 0;
    const auto [end, error] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
    if (error != std::errc{} || end != port_text.data() + port_text.size() || port < 1 || port > 65535) {
        return no_address();
    }
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        if (!ipv6_in(host))
            return no_address();
    } else if (!is_host(host)) {
        return no_address();
    }
    return Address{.host = std::move(host), .port = port};
}

bool is_object_name(std::string_view text) {
    const auto fits = [](char c) { return is_digit(c) || is_lower(c) || c == '-' || c == '.'; };
    return is_host_name(text) && std::ranges::all_of(text, fits);
}

bool is_label_key(std::string_view text) {
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        if (!is_object_name(text.substr(0, slash)))
            return false;
        text.remove_prefix(slash + 1);
    }
    const auto fits = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
    return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, fits) && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back());
}

std::string Address::text() const {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

bool Address::is_loopback() const {
    if (host == "localhost")
        return true;
    if (is_ipv4(host))
        return host.starts_with("127.");
    const std::optional<in6_addr> address = ipv6_in(host);
    if (!address)
        return false;
    const auto* bytes = address->s6_addr;
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&*address) != 0;
    return IN6_IS_ADDR_LOOPBACK(&*address) != 0 || (is_mapped && bytes[12] == 127);
}

}  // namespace echelon::config
