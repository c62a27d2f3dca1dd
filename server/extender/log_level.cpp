#include "server/extender/log_level.hpp"

#include "server/http/refused.hpp"

#include <string_view>

namespace echelon::server {

Answer log_level_answer(const Backend& backend, const Request& request) {
    if (request.method == "POST" || request.method == "DELETE")
        return wrong_method("GET, HEAD, PUT");
    if (!backend.log_level)
        return no_explanation("the log has one level here");
    std::string_view word = request.method == "PUT" ? request.body : std::string_view();
    while (!word.empty() && (word.back() == '\n' || word.back() == '\r' || word.back() == ' '))
        word.remove_suffix(1);
    if (request.method == "PUT" && word.empty())
        return {.status = 400, .type = text_type, .body = "which level? put debug, info, warning or error\n"};
    auto level = backend.log_level(word);
    if (!level)
        return {.status = 400, .type = text_type, .body = level.error().sentence + "\n"};
    return {.type = text_type, .body = *level + "\n"};
}

}  // namespace echelon::server
