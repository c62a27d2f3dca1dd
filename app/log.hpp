#pragma once

// Where do the service's log lines go? To standard error, as text or JSON (docs/configuration.md, `log.level`).
//
// Thread-safe. Warnings and errors that repeat are sampled: of each source the first of each in a minute, at most
// twenty different ones, then a count of the rest. A source is a part of the service, and for messages about a gang its
// namespace, too. Control characters in names are escaped.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "engine/action.hpp"

#include <string>
#include <string_view>

namespace echelon::app {

// What a line is about, apart from its sentence. Empty fields are left out.
struct LogFields {
    std::string_view caller = {};  // The part of the service that logs: "engine", "watcher" ...
    std::string_view gang = {};    // "namespace/name".
    std::string_view pod = {};     // "namespace/name".
    std::string_view err = {};     // The error as it was reported.
    bool is_sampled = false;       // The caller has sampled it already.
};

// `verbosity` above 0: debug, whatever `level` says.
void start_log(bool json, int verbosity, config::LogLevel level);
void set_log_level(config::LogLevel level);
// The level of a changed configuration. A verbosity above 0 goes before it.
void follow_log_level(config::LogLevel level);
[[nodiscard]] config::LogLevel current_log_level();
// Sets the level of this name, unless it is empty. Returns the name of the current level.
[[nodiscard]] base::Result<std::string> log_level_by_name(std::string_view name);

void log_line(config::LogLevel level, const LogFields& fields, const std::string& sentence);
void log_note(const engine::Note& note);

// One line of JSON as it goes out, with a line feed; `seconds` since 1970. Pure.
[[nodiscard]] std::string json_line(double seconds, std::string_view level, std::string_view sentence,
                                    const LogFields& fields);

}  // namespace echelon::app
