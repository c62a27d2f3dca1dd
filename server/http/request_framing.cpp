#include "server/http/request_framing.hpp"

#include "base/ascii.hpp"
#include "base/whole_number.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace echelon::server {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view block_end = "\r\n\r\n";
constexpr std::size_t longest_target = 8 * 1024;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, base::to_lower, base::to_lower);
}

// Characters that a header name may consist of (RFC 9110 token).
bool is_token_char(char c) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return base::is_alphanumeric(c) || marks.contains(c);
}

// Visible characters, and others that headers may contain; a tab only in values.
bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

// The headers that matter for framing and the answer.
struct Collected {
    int lengths = 0;
    bool length_is_digits = true;
    std::uint64_t length = 0;
    bool transfer_encoding = false;
    bool content_encoding = false;
    bool range = false;
    bool close = false;
    bool expects = false;
    bool expects_continue = false;
    std::string_view accept;  // The first one.
};

void read_length(std::string_view value, Collected& into) {
    ++into.lengths;
    if (value.empty() || !std::ranges::all_of(value, base::is_digit)) {
        into.length_is_digits = false;
        return;
    }
    // Too many digits are a length beyond any accepted body.
    into.length = base::whole_number<std::uint64_t>(value).value_or(UINT64_MAX);
}

// Connection is a list of tokens.
void read_connection(std::string_view value, Collected& into) {
    while (!value.empty()) {
        auto comma = value.find(',');
        auto token = trim(value.substr(0, comma));
        if (equals_ignoring_case(token, "close"))
            into.close = true;
        if (comma == std::string_view::npos)
            return;
        value.remove_prefix(comma + 1);
    }
}

void read_header(std::string_view name, std::string_view value, Collected& into) {
    if (equals_ignoring_case(name, "Content-Length"))
        read_length(value, into);
    if (equals_ignoring_case(name, "Transfer-Encoding"))
        into.transfer_encoding = true;
    if (equals_ignoring_case(name, "Content-Encoding"))
        into.content_encoding = true;
    if (equals_ignoring_case(name, "Range"))
        into.range = true;
    if (equals_ignoring_case(name, "Accept") && into.accept.empty())
        into.accept = value;
    if (equals_ignoring_case(name, "Connection"))
        read_connection(value, into);
    if (equals_ignoring_case(name, "Expect")) {
        into.expects = true;
        into.expects_continue = equals_ignoring_case(value, "100-continue");
    }
}

std::optional<FramingFault> read_line(std::string_view line, Collected& into) {
    if (line.front() == ' ' || line.front() == '\t')
        return FramingFault{400, "folded header line"};
    auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return FramingFault{400, "header line without a colon"};
    auto name = line.substr(0, colon);
    if (name.empty() || !std::ranges::all_of(name, is_token_char))
        return FramingFault{400, "bad header name"};
    auto value = trim(line.substr(colon + 1));
    if (std::ranges::any_of(value, [](char c) { return is_control(c) && c != '\t'; })) {
        return FramingFault{400, "control character in a header"};
    }
    read_header(name, value, into);
    return std::nullopt;
}

struct RequestLine {
    std::string_view method;
    std::string_view target;
    bool is_http_1_0 = false;
};

std::variant<RequestLine, FramingFault> read_request_line(std::string_view line) {
    if (line.empty() || std::ranges::any_of(line, is_control))
        return FramingFault{400, "bad request line"};
    auto first = line.find(' ');
    auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
        return FramingFault{400, "bad request line"};
    auto method = line.substr(0, first);
    auto target = line.substr(first + 1, last - first - 1);
    auto version = line.substr(last + 1);
    if (!std::ranges::all_of(method, is_token_char))
        return FramingFault{400, "bad request line"};
    if (target.empty() || target.front() != '/' || target.contains(' '))
        return FramingFault{400, "bad request target"};
    if (target.size() > longest_target)
        return FramingFault{414, "the request target is too long"};
    if (version != "HTTP/1.1" && version != "HTTP/1.0")
        return FramingFault{505, "HTTP/1.1 is spoken here"};
    constexpr std::array<std::string_view, 5> methods{"GET", "HEAD", "POST", "PUT", "DELETE"};
    if (std::ranges::find(methods, method) == methods.end()) {
        return FramingFault{405, "only GET, HEAD, POST, PUT and DELETE are known"};
    }
    return RequestLine{.method = method, .target = target, .is_http_1_0 = version == "HTTP/1.0"};
}

std::optional<FramingFault> check_body(const RequestLine& line, const Collected& seen, const HeaderLimits& limits) {
    if (seen.transfer_encoding)
        return FramingFault{411, "Transfer-Encoding isn't taken, send a Content-Length"};
    if (line.method != "POST" && line.method != "PUT") {
        bool has_body = seen.lengths > 1 || !seen.length_is_digits || seen.length != 0;
        if (has_body)
            return FramingFault{400, "a body is taken on POST and PUT only"};
    } else {
        if (seen.lengths != 1 || !seen.length_is_digits) {
            return FramingFault{411, "exactly one Content-Length of digits is needed"};
        }
        if (seen.length > limits.body_bytes)
            return FramingFault{413, "the body is too large"};
    }
    if (seen.content_encoding)
        return FramingFault{415, "Content-Encoding isn't taken"};
    if (seen.range)
        return FramingFault{416, "Range isn't taken"};
    if (seen.expects && !seen.expects_continue)
        return FramingFault{417, "only 100-continue can be expected"};
    return std::nullopt;
}

FramingResult parse_block(std::string_view block, std::size_t head_bytes, const HeaderLimits& limits) {
    const char* const front = block.data();
    auto end_of_line = block.find(line_end);
    auto line = read_request_line(block.substr(0, end_of_line));
    if (const auto* fault = std::get_if<FramingFault>(&line))
        return *fault;
    const auto& request = std::get<RequestLine>(line);
    Collected seen;
    while (end_of_line != std::string_view::npos) {
        block.remove_prefix(end_of_line + line_end.size());
        end_of_line = block.find(line_end);
        if (auto fault = read_line(block.substr(0, end_of_line), seen))
            return *fault;
    }
    if (auto fault = check_body(request, seen, limits))
        return *fault;
    return Framing{.head_bytes = head_bytes,
                   .body_bytes = static_cast<std::size_t>(seen.length),
                   .keep_alive = !seen.close && !request.is_http_1_0,
                   .wants_continue = seen.expects_continue,
                   .method_bytes = request.method.size(),
                   .target_bytes = request.target.size(),
                   .accept_at = seen.accept.empty() ? 0 : static_cast<std::size_t>(seen.accept.data() - front),
                   .accept_bytes = seen.accept.size()};
}

}  // namespace

FramingResult parse_framing(std::string_view received, std::size_t scanned, const HeaderLimits& limits) {
    if (received.empty())
        return NeedMore{};
    if (!base::is_upper(received.front()))
        return FramingFault{400, "bad request line"};
    auto from = scanned < block_end.size() ? 0 : scanned - block_end.size() + 1;
    auto end = received.substr(0, limits.header_bytes).find(block_end, from);
    if (end == std::string_view::npos) {
        if (received.size() >= limits.header_bytes)
            return FramingFault{431, "the header is too large"};
        return NeedMore{.scanned = received.size()};
    }
    return parse_block(received.substr(0, end), end + block_end.size(), limits);
}

}  // namespace echelon::server
