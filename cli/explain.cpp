#include "cli/explain.hpp"

#include "app/complaint.hpp"
#include "cli/terminal.hpp"
#include "kube/client/http_client.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace echelon::cli {

base::Result<std::string> query_explanation(const ExplainArguments& arguments, bool has_colour) {
    const bool has_namespace = arguments.gang.find('/') != std::string::npos;
    const auto gang = has_namespace ? arguments.gang : "default/" + arguments.gang;
    return query_admin_port(
        arguments.server,
        fmt::format("/v1/explain?gang={}{}", kube::percent_encoded(gang), has_colour ? "&colour=1" : ""), "text/plain");
}

int explain(const ExplainArguments& arguments) {
    const auto text = query_explanation(arguments, wants_colour());
    if (!text) {
        app::complain("echelon explain: {}", text.error().sentence);
        return 1;
    }
    if (!write_out(*text)) {
        app::complain("echelon explain: the answer can't be written to standard output");
        return 1;
    }
    return 0;
}

}  // namespace echelon::cli
