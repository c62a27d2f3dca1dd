#include "cli/serve.hpp"

namespace echelon::cli {

int serve(const ServeArguments&) { return 1; }

}  // namespace echelon::cli
