// How is a configuration file loaded, and how is a fault printed?

#include "config/settings.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace echelon::config {

namespace {

constexpr std::size_t enough_bytes = 1UL << 20U;  // More is refused by `parse`.

constexpr std::array<std::string_view, 4> level_words = {"debug", "info", "warning", "error"};

}  // namespace

std::expected<Settings, std::vector<Fault>> load(const std::string& file) {
    const auto text = read_file(file);
    if (!text)
        return std::unexpected(std::vector<Fault>{text.error()});
    return parse(*text);
}

std::expected<std::string, Fault> read_file(const std::string& file) {
    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    const auto unreadable = [] {
        return std::unexpected(Fault{1, "", fmt::format("can't be read: {}", std::strerror(errno))});
    };
    const std::unique_ptr<std::FILE, Close> stream(std::fopen(file.c_str(), "rb"));
    if (!stream)
        return unreadable();
    std::string text;
    std::array<char, 1U << 14U> part{};
    while (text.size() <= enough_bytes && std::feof(stream.get()) == 0 && std::ferror(stream.get()) == 0) {
        const std::size_t got = std::fread(part.data(), 1, part.size(), stream.get());
        text.append(part.data(), got);
    }
    if (std::ferror(stream.get()) != 0)
        return unreadable();
    return text;
}

std::string_view to_string(LogLevel level) {
    return level_words[static_cast<std::size_t>(level)];
}

std::optional<LogLevel> log_level(std::string_view word) {
    for (std::size_t at = 0; at < level_words.size(); ++at) {
        if (level_words[at] == word)
            return static_cast<LogLevel>(at);
    }
    return std::nullopt;
}

std::string to_line(const std::string& file, const Fault& fault) {
    return fault.path.empty() ? fmt::format("{}:{}: {}", file, fault.line, fault.what)
                              : fmt::format("{}:{}: {}: {}", file, fault.line, fault.path, fault.what);
}

}  // namespace echelon::config
