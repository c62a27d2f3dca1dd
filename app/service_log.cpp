#include "app/service_log.hpp"

#include "app/log.hpp"

namespace echelon::app {

using config::LogLevel;

void info(const std::string& sentence) {
    log_line(LogLevel::info, {.caller = "serve"}, sentence);
}

void warn(std::string_view caller, const std::string& sentence) {
    log_line(LogLevel::warning, {.caller = caller, .err = sentence}, sentence);
}

void pass_on(std::string_view caller, const std::string& sentence) {
    log_line(LogLevel::warning, {.caller = caller, .err = sentence, .is_sampled = true}, sentence);
}

void complain_of_files(const std::string& sentence) {
    log_line(LogLevel::error, {.caller = "reload", .err = sentence}, sentence);
}

}  // namespace echelon::app
