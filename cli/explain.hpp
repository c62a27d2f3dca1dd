#pragma once

// `echelon explain`: asks the service on this machine why a gang is where it is, and prints what it says.

#include "model/result.hpp"

#include <string>

namespace echelon::cli {

struct ExplainArguments {
    std::string gang;                              // "namespace/name", or a name in the namespace "default".
    std::string server = "http://127.0.0.1:9302";  // The admin address; it explains to this machine alone.
};

// The text for people; an error is one sentence.
[[nodiscard]] model::Result<std::string> ask_why(const ExplainArguments& arguments, bool has_colour);
// Exit status: 0 an answer was printed, 1 there is none.
[[nodiscard]] int explain(const ExplainArguments& arguments);

}  // namespace echelon::cli
