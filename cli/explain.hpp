#pragma once

// `echelon explain`: asks the service on this machine why a gang is where it is, and prints what it says.

#include "cli/ask.hpp"
#include "model/result.hpp"

#include <string>

namespace echelon::cli {

struct ExplainArguments {
    std::string gang;                   // "namespace/name", or a name in the namespace "default".
    std::string server = usual_server;  // The admin address.
};

// The text for people; an error is one sentence.
[[nodiscard]] model::Result<std::string> ask_why(const ExplainArguments& arguments, bool has_colour);
// Exit status: 0 an answer was printed, 1 there is none.
[[nodiscard]] int explain(const ExplainArguments& arguments);

}  // namespace echelon::cli
