#include "cli/ready.hpp"

#include "app/complaint.hpp"
#include "cli/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

namespace echelon::cli {

namespace {

constexpr auto connect_time = std::chrono::seconds(3);
constexpr auto answer_time = std::chrono::seconds(5);
constexpr auto pause = std::chrono::milliseconds(500);

// The lines of an answer as one.
std::string on_one_line(std::string text) {
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    std::ranges::replace(text, '\n', ';');
    return text;
}

base::Result<std::string> ask_once(httplib::Client& client, const std::string& server) {
    const auto answer = client.Get("/readyz");
    if (!answer) {
        return base::failure(
            fmt::format("the service doesn't answer at {}: {}", server, httplib::to_string(answer.error())));
    }
    if (answer->status != 200)
        return base::failure(fmt::format("not ready: {}", on_one_line(answer->body)));
    return answer->body;
}

}  // namespace

base::Result<std::string> query_readiness(const ReadyArguments& arguments) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(arguments.wait_seconds);
    try {  // The library converts and allocates.
        httplib::Client client(arguments.server);
        if (!client.is_valid()) {
            return base::failure(
                fmt::format("--server \"{}\": not an address like http://127.0.0.1:9302", arguments.server));
        }
        client.set_connection_timeout(connect_time);
        client.set_read_timeout(answer_time);
        while (true) {
            auto said = ask_once(client, arguments.server);
            if (said || std::chrono::steady_clock::now() + pause > until)
                return said;
            std::this_thread::sleep_for(pause);
        }
    } catch (const std::exception&) {
        return base::failure(fmt::format("--server \"{}\" can't be asked", arguments.server));
    }
}

int ready(const ReadyArguments& arguments) {
    const auto said = query_readiness(arguments);
    if (!said) {
        app::complain("echelon ready: {}", said.error().sentence);
        return 1;
    }
    if (!write_out(*said)) {
        app::complain("echelon ready: the answer can't be written to standard output");
        return 1;
    }
    return 0;
}

}  // namespace echelon::cli
