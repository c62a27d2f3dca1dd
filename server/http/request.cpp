#include "server/http/request.hpp"

#include <iterator>

#include <fmt/format.h>

namespace echelon::server {

std::string_view Request::parameter(const std::string& name) const {
    auto found = query.find(name);
    return found == query.end() ? std::string_view{} : std::string_view{found->second};
}

std::string_view reason_phrase(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 411:
            return "Length Required";
        case 413:
            return "Payload Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 417:
            return "Expectation Failed";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Unknown";
    }
}

std::string request_id(std::uint64_t seed, const Ticket& ticket) {
    return fmt::format("{:x}-{:08x}-{:08x}", seed, ticket.connection, ticket.request);
}

std::string answer_head(const Answer& answer, std::string_view request_id) {
    std::string head;
    head.reserve(256);
    auto out = std::back_inserter(head);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\n", answer.status, reason_phrase(answer.status));
    fmt::format_to(out, "Content-Type: {}\r\nContent-Length: {}\r\n", answer.type, answer.body.size());
    if (!answer.allow.empty())
        fmt::format_to(out, "Allow: {}\r\n", answer.allow);
    if (answer.retry_after > 0)
        fmt::format_to(out, "Retry-After: {}\r\n", answer.retry_after);
    if (answer.close)
        head += "Connection: close\r\n";
    fmt::format_to(out, "X-Request-Id: {}\r\n\r\n", request_id);
    return head;
}

}  // namespace echelon::server
