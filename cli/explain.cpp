#include "cli/explain.hpp"

#include "cli/screen.hpp"
#include "kube/http_client.hpp"

#include <chrono>
#include <cstdio>
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

model::Result<std::string> ask_why(const ExplainArguments& arguments, bool has_colour) {
    const bool has_namespace = arguments.gang.find('/') != std::string::npos;
    const auto gang = has_namespace ? arguments.gang : "default/" + arguments.gang;
    try {  // The library converts and allocates.
        httplib::Client client(arguments.server);
        if (!client.is_valid())
            return model::failure(
                fmt::format("--server \"{}\": not an address like http://127.0.0.1:9302", arguments.server));
        client.set_connection_timeout(connect_time);
        client.set_read_timeout(answer_time);
        const auto target =
            fmt::format("/v1/explain?gang={}{}", kube::percent_encoded(gang), has_colour ? "&colour=1" : "");
        const auto answer = client.Get(target, {{"Accept", "text/plain"}});
        if (!answer) {
            return model::failure(fmt::format("the service doesn't answer at {}: {}", arguments.server,
                                              httplib::to_string(answer.error())));
        }
        if (answer->status != 200)
            return model::failure(without_end_of_line(answer->body));
        return answer->body;
    } catch (const std::exception&) {
        return model::failure(fmt::format("--server \"{}\" can't be asked", arguments.server));
    }
}

int explain(const ExplainArguments& arguments) {
    const auto text = ask_why(arguments, wants_colour());
    if (!text) {
        fmt::print(stderr, "echelon explain: {}\n", text.error().sentence);
        return 1;
    }
    if (!write_out(*text)) {
        fmt::print(stderr, "echelon explain: the answer can't be written to standard output\n");
        return 1;
    }
    return 0;
}

}  // namespace echelon::cli
