#include "base/quoted.hpp"

namespace echelon::base {

std::string quoted(std::string_view name) {
    std::string text = "\"";
    text.append(name).push_back('"');
    return text;
}

}  // namespace echelon::base
