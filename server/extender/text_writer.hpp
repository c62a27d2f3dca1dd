#pragma once

// Writes a text whose greatest length is known beforehand: memory is taken once, and nothing is cleared or moved.
//
// Pure.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace echelon::server {

class TextWriter {
public:
    explicit TextWriter(char* begin) : at_(begin) {}

    void put(std::string_view text) {
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void put(char c) { *at_++ = c; }
    // Takes back the last character.
    void drop_last() { --at_; }
    [[nodiscard]] const char* end() const { return at_; }

private:
    char* at_;
};

// What `write(TextWriter&)` puts: at most `most` bytes.
template <typename Write>
[[nodiscard]] std::string written(std::size_t most, Write write) {
    std::string text;
    text.resize_and_overwrite(most, [&write](char* begin, std::size_t) {
        TextWriter to(begin);
        write(to);
        return static_cast<std::size_t>(to.end() - begin);
    });
    return text;
}

}  // namespace echelon::server
