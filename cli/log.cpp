#include "cli/log.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace echelon::cli {

namespace {

std::string escaped(const std::string& text) {
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

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// JSON lines; the payload of spdlog is a plain sentence.
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& msg, spdlog::memory_buf_t& dest) override {
        const auto seconds = std::chrono::duration<double>(msg.time.time_since_epoch()).count();
        const std::string sentence(msg.payload.data(), msg.payload.size());
        fmt::format_to(std::back_inserter(dest), "{{\"ts\":{:.3f},\"v\":\"{}\",\"msg\":{}}}\n", seconds,
                       spdlog::level::to_string_view(msg.level), quoted(sentence));
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }
};

}  // namespace

void start_log(bool json, int verbosity) {
    auto logger = spdlog::stderr_logger_mt("echelon");
    if (json) {
        logger->set_formatter(std::make_unique<JsonFormatter>());
    } else {
        logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    }
    logger->set_level(verbosity > 0 ? spdlog::level::debug : spdlog::level::info);
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

void log_note(const engine::Note& note) {
    const std::string sentence =
        escaped(note.gang.empty() ? note.sentence : fmt::format("gang {}: {}", note.gang, note.sentence));
    switch (note.level) {
        case engine::Note::Level::info:
            spdlog::info("{}", sentence);
            break;
        case engine::Note::Level::warning:
            spdlog::warn("{}", sentence);
            break;
        case engine::Note::Level::bug:
            spdlog::error("bug: {}", sentence);
            break;
    }
}

}  // namespace echelon::cli
