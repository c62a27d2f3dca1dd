#include "server/extender/request_ring.hpp"

#include "base/json_strings.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace echelon::server {
namespace {

constexpr std::chrono::milliseconds slow_call{100};
constexpr std::chrono::seconds slow_bind{10};  // A bind call waits for the other members of the gang.

bool is_slow(const RequestLogEntry& request) {
    return request.verb == Verb::bind ? request.took >= slow_bind : request.took >= slow_call;
}

void keep(std::deque<RequestLogEntry>& ring, RequestLogEntry request, std::size_t most) {
    if (ring.size() == most)
        ring.pop_back();
    ring.push_front(std::move(request));
}

void append(std::string& out, const std::deque<RequestLogEntry>& ring) {
    for (const auto& request : ring) {
        const auto since_epoch = request.began.time_since_epoch();
        const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
        const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch - seconds).count();
        out += &request == &ring.front() ? "\n    {\"id\": " : ",\n    {\"id\": ";
        base::append_json_string(out, request.id);
        out += fmt::format(", \"verb\": \"{}\", \"pod\": ", to_string(request.verb));
        base::append_json_string(out, request.pod);
        out += fmt::format(", \"result\": \"{}\", \"began\": \"{:%Y-%m-%dT%H:%M:%S}.{:03}Z\", \"microseconds\": {}}}",
                           to_string(request.result), fmt::gmtime(seconds.count()), millis, request.took.count());
    }
    out += ring.empty() ? "]" : "\n  ]";
}

}  // namespace

void RequestRing::add(RequestLogEntry request) {
    const std::lock_guard lock(mutex_);
    if (is_slow(request))
        keep(slow_, request, most_slow);
    keep(last_, std::move(request), most);
}

std::string RequestRing::to_json() const {
    std::string out = "{\n  \"last\": [";
    const std::lock_guard lock(mutex_);
    append(out, last_);
    out += ",\n  \"slow\": [";
    append(out, slow_);
    return out + "\n}\n";
}

}  // namespace echelon::server
