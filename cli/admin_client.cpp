#include "cli/admin_client.hpp"

#include <chrono>
#include <exception>

#include <fmt/format.h>
#include <httplib.h>

namespace echelon::cli {

namespace {

constexpr auto connect_time = std::chrono::seconds(3);
constexpr auto answer_time = std::chrono::seconds(30);

std::string without_end_of_line(std::string text) {
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

}  // namespace

base::Result<std::string> query_admin_port(const std::string& server, const std::string& target,
                                           const std::string& accept) {
    try {  // The library converts and allocates.
        httplib::Client client(server);
        if (!client.is_valid())
            return base::failure(fmt::format("--server \"{}\": not an address like {}", server, usual_server));
        client.set_connection_timeout(connect_time);
        client.set_read_timeout(answer_time);
        const auto answer = client.Get(target, {{"Accept", accept}});
        if (!answer) {
            return base::failure(
                fmt::format("the service doesn't answer at {}: {}", server, httplib::to_string(answer.error())));
        }
        if (answer->status != 200)
            return base::failure(without_end_of_line(answer->body));
        return answer->body;
    } catch (const std::exception&) {
        return base::failure(fmt::format("--server \"{}\" can't be asked", server));
    }
}

}  // namespace echelon::cli
