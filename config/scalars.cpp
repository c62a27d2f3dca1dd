#include "config/scalars.hpp"

#include "base/ascii.hpp"
#include "base/go_duration.hpp"
#include "base/whole_number.hpp"
#include "config/document.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace echelon::config {

namespace {

bool is_ipv4(const std::string& text) {
    in_addr address{};
    return inet_pton(AF_INET, text.c_str(), &address) == 1;
}

std::optional<in6_addr> ipv6_in(const std::string& text) {
    in6_addr address{};
    return inet_pton(AF_INET6, text.c_str(), &address) == 1 ? std::optional(address) : std::nullopt;
}

bool is_host_name(std::string_view text) {
    const auto fits = [](char c) { return base::is_alphanumeric(c) || c == '-' || c == '.'; };
    return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, fits) &&
           base::is_alphanumeric(text.front()) && base::is_alphanumeric(text.back()) &&
           text.find("..") == std::string_view::npos;
}

// A host name or an address; digits and dots alone must be an address.
bool is_host(const std::string& text) {
    const bool numeric = text.find_first_not_of("0123456789.") == std::string::npos;
    return numeric ? is_ipv4(text) : is_host_name(text);
}

}  // namespace

std::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text) {
    const auto nanoseconds = base::nanoseconds_of_go_duration(text);
    if (!nanoseconds) {
        return std::unexpected(fmt::format("{} isn't a duration like \"1m30s\" or \"50ms\"", shown(text)));
    }
    if (*nanoseconds < 0)
        return std::unexpected(fmt::format("{} is negative", shown(text)));
    return std::chrono::milliseconds(base::rounded_up(*nanoseconds, 1'000'000));
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
    const auto port = base::whole_number<int>(port_text);
    if (!port || *port < 1 || *port > 65535)
        return no_address();
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        if (!ipv6_in(host))
            return no_address();
    } else if (!is_host(host)) {
        return no_address();
    }
    return Address{.host = std::move(host), .port = *port};
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
