#include "app/log.hpp"

#include "base/log_limits.hpp"
#include "base/split.hpp"
#include "kube/json/compact_text.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace echelon::app {

namespace {

using config::LogLevel;

std::atomic<bool> is_verbose{false};

// Fields of the line that is being logged: the formatter runs on the thread that logs.
thread_local const LogFields* fields_of_line = nullptr;

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
    }
    return out;
}

std::string quoted(std::string_view text) {
    return kube::compact_text(nlohmann::json(text));
}

// JSON lines; the payload of spdlog is a plain sentence.
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& msg, spdlog::memory_buf_t& dest) override {
        const auto seconds = std::chrono::duration<double>(msg.time.time_since_epoch()).count();
        const auto level = spdlog::level::to_string_view(msg.level);
        const auto line = json_line(seconds, {level.data(), level.size()}, {msg.payload.data(), msg.payload.size()},
                                    fields_of_line == nullptr ? LogFields{} : *fields_of_line);
        dest.append(line.data(), line.data() + line.size());
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }
};

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

// Empty: the line is about no namespace.
std::string namespace_in(const LogFields& fields) {
    return std::string(base::split_at_slash(fields.gang.empty() ? fields.pod : fields.gang).before);
}

// For a warning or an error, the lines that are worth logging now. A tenant's bad objects use up the limit of that
// tenant alone, and any number of tenants no limit of a part.
std::vector<std::string> sampled(const LogFields& fields, const std::string& sentence) {
    static std::mutex mutex;
    static base::LogLimits of_parts;       // Guarded by mutex.
    static base::LogLimits of_namespaces;  // Guarded by mutex.
    if (fields.is_sampled)
        return {sentence};
    const auto now = std::chrono::steady_clock::now();
    const auto ns = namespace_in(fields);
    const std::lock_guard lock(mutex);
    return ns.empty() ? of_parts.pass(std::string(fields.caller), sentence, now)
                      : of_namespaces.pass(fmt::format("{} about namespace {}", fields.caller, ns), sentence, now);
}

}  // namespace

std::string json_line(double seconds, std::string_view level, std::string_view sentence, const LogFields& fields) {
    std::string line = fmt::format("{{\"ts\":{:.3f},\"v\":\"{}\",\"msg\":{}", seconds, level, quoted(sentence));
    if (!fields.caller.empty())
        line += fmt::format(",\"caller\":{}", quoted(fields.caller));
    if (!fields.err.empty())
        line += fmt::format(",\"err\":{}", quoted(fields.err));
    if (!fields.pod.empty()) {
        const auto [ns, name] = base::split_at_slash(fields.pod);
        line += fmt::format(",\"pod\":{{\"namespace\":{},\"name\":{}}}", quoted(ns), quoted(name));
    }
    if (!fields.gang.empty())
        line += fmt::format(",\"gang\":{}", quoted(fields.gang));
    return line + "}\n";
}

void start_log(bool json, int verbosity, LogLevel level) {
    auto logger = spdlog::stderr_logger_mt("echelon");
    if (json) {
        logger->set_formatter(std::make_unique<JsonFormatter>());
    } else {
        logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    }
    is_verbose = verbosity > 0;
    logger->set_level(is_verbose ? spdlog::level::debug : level_of(level));
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

void set_log_level(LogLevel level) {
    spdlog::set_level(level_of(level));
}

void follow_log_level(LogLevel level) {
    if (!is_verbose)
        set_log_level(level);
}

LogLevel current_log_level() {
    for (const auto level : {LogLevel::debug, LogLevel::info, LogLevel::warning}) {
        if (spdlog::should_log(level_of(level)))
            return level;
    }
    return LogLevel::error;
}

base::Result<std::string> log_level_by_name(std::string_view name) {
    if (!name.empty()) {
        const auto level = config::log_level(name);
        if (!level)
            return base::failure("the level must be debug, info, warning or error");
        set_log_level(*level);
    }
    return std::string(config::to_string(current_log_level()));
}

void log_line(LogLevel level, const LogFields& fields, const std::string& sentence) {
    fields_of_line = &fields;
    if (level == LogLevel::debug || level == LogLevel::info) {
        spdlog::log(level_of(level), "{}", escaped(sentence));
    } else {
        for (const auto& line : sampled(fields, sentence))
            spdlog::log(level_of(level), "{}", escaped(line));
    }
    fields_of_line = nullptr;
}

void log_note(const engine::Note& note) {
    const auto sentence = note.gang.empty() ? note.sentence : fmt::format("gang {}: {}", note.gang, note.sentence);
    const LogFields fields{.caller = "engine", .gang = note.gang, .pod = note.pod, .err = note.err};
    switch (note.level) {
        case engine::Note::Level::info:
            return log_line(LogLevel::info, fields, sentence);
        case engine::Note::Level::warning:
            return log_line(LogLevel::warning, fields, sentence);
        case engine::Note::Level::bug:
            return log_line(LogLevel::error, fields, "bug: " + sentence);
    }
}

}  // namespace echelon::app
