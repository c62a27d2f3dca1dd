// From a file to settings, and from a fault to the line that a person reads.

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

}  // namespace

std::expected<Settings, std::vector<Fault>> load(const std::string& file) {
    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    const auto unreadable = [] {
        return std::unexpected(std::vector<Fault>{{1, "", fmt::format("can't be read: {}", std::strerror(errno))}});
    };
    const std::unique_ptr<std::FILE, Close> stream(std::fopen(file.c_str(), "rb"));
    if (!stream)
        return unreadable();
    std::string text;
    std::array<char, 1U << 14U> part{};
    while (text.size() <= enough_bytes) {
        const std::size_t got = std::fread(part.data(), 1, part.size(), stream.get());
        if (got == 0)
            break;
        text.append(part.data(), got);
    }
    if (std::ferror(stream.get()) != 0)
        return unreadable();
    return parse(text);
}

std::string to_line(const std::string& file, const Fault& fault) {
    return fault.path.empty() ? fmt::format("{}:{}: {}", file, fault.line, fault.what)
                              : fmt::format("{}:{}: {}: {}", file, fault.line, fault.path, fault.what);
}

}  // namespace echelon::config
