#include "fuzz/targets.hpp"
#include "server/http/request_framing.hpp"
#include "server/http/request_parser.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

namespace echelon::fuzz {
namespace {

using server::Framing;
using server::FramingFault;
using server::NeedMore;

// Small, so that inputs reach the limits.
constexpr server::HeaderLimits limits{.header_bytes = 512, .body_bytes = 256};

bool are_equal(const server::FramingResult& a, const server::FramingResult& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* framing = std::get_if<Framing>(&a)) {
        const auto& other = std::get<Framing>(b);
        return framing->total() == other.total() && framing->head_bytes == other.head_bytes &&
               framing->keep_alive == other.keep_alive && framing->wants_continue == other.wants_continue;
    }
    if (const auto* fault = std::get_if<FramingFault>(&a)) {
        const auto& other = std::get<FramingFault>(b);
        return fault->status == other.status && fault->what == other.what;
    }
    return true;
}

// The verdict on bytes that arrive one by one. Sets `broken` if more bytes were scanned than have arrived.
server::FramingResult judge_byte_by_byte(std::string_view bytes, std::string& broken) {
    std::size_t scanned = 0;
    server::FramingResult verdict = NeedMore{};
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        verdict = server::parse_framing(bytes.substr(0, size), scanned, limits);
        const auto* more = std::get_if<NeedMore>(&verdict);
        if (more == nullptr)
            return verdict;
        if (more->scanned > size)
            broken = "more was looked at than came";
        scanned = more->scanned;
    }
    return verdict;
}

// `bytes`: one request with its padding, as in a connection's buffer.
std::string parse_fault(std::string_view bytes, const Framing& framing) {
    auto buffer = std::make_unique<char[]>(bytes.size() + server::body_padding);
    std::memcpy(buffer.get(), bytes.data(), bytes.size());
    const auto request = server::parse_request({buffer.get(), framing.total()}, framing);
    if (!request)
        return {};
    if (request->body != bytes.substr(framing.head_bytes, framing.body_bytes))
        return "the body isn't what was framed";
    const auto method = bytes.substr(0, bytes.find(' '));
    if (request->method != method)
        return fmt::format("method {} was parsed as {}", method, request->method);
    if (!request->path.starts_with('/'))
        return "a path without its slash";
    return {};
}

}  // namespace

std::string header(std::string_view bytes) {
    if (bytes.size() > 2048)
        return {};
    std::string broken;
    const auto whole = server::parse_framing(bytes, 0, limits);
    const auto slowly = judge_byte_by_byte(bytes, broken);
    if (!broken.empty())
        return broken;
    if (!are_equal(whole, slowly))
        return "the verdict hangs on how the bytes came";
    if (const auto* fault = std::get_if<FramingFault>(&whole))
        return fault->status >= 400 && fault->status < 600 && !fault->what.empty() ? "" : "a fault without a reason";
    const auto* framing = std::get_if<Framing>(&whole);
    if (framing == nullptr)
        return {};
    if (framing->head_bytes > limits.header_bytes || framing->body_bytes > limits.body_bytes)
        return "a limit was passed";
    return framing->total() <= bytes.size() ? parse_fault(bytes, *framing) : "";
}

}  // namespace echelon::fuzz
