#pragma once

// `echelon explain`: asks the service on this machine why a gang is where it is, and prints the answer.

#include "base/result.hpp"
#include "cli/admin_client.hpp"

#include <string>

namespace echelon::cli {

struct ExplainArguments {
    std::string gang;                   // "namespace/name", or a name in the namespace "default".
    std::string server = usual_server;  // The admin address.
};

// The answer as text; an error is one sentence.
[[nodiscard]] base::Result<std::string> query_explanation(const ExplainArguments& arguments, bool has_colour);
// Exit status: 0 an answer was printed, 1 there is none.
[[nodiscard]] int explain(const ExplainArguments& arguments);

}  // namespace echelon::cli
