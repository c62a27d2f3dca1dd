#pragma once

// How is a text of known maximum length written? Into one allocation, which is neither cleared nor moved.
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
    // Removes the last character.
    void drop_last() { --at_; }
    [[nodiscard]] const char* end() const { return at_; }

private:
    char* at_;
};

// The text that `write(TextWriter&)` writes, at most `most` bytes.
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
