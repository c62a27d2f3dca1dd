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
    // The number of bytes that `put_padded` may read behind its text, and write behind the end.
    static constexpr std::size_t padding = 16;

    explicit TextWriter(char* begin) : at_(begin) {}

    void put(std::string_view text) {
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void put(char c) { *at_++ = c; }
    // For short texts with `padding` readable bytes behind them: as `put`, without a call.
    void put_padded(std::string_view text) {
        for (std::size_t i = 0; i < text.size(); i += padding)
            std::memcpy(at_ + i, text.data() + i, padding);
        at_ += text.size();
    }
    // Removes the last characters.
    void drop_last(std::size_t count = 1) { at_ -= count; }
    [[nodiscard]] const char* end() const { return at_; }

private:
    char* at_;
};

// The text that `write(TextWriter&)` writes, at most `most` bytes.
template <typename Write>
[[nodiscard]] std::string written(std::size_t most, Write write) {
    std::string text;
    text.resize_and_overwrite(most + TextWriter::padding, [&write](char* begin, std::size_t) {
        TextWriter to(begin);
        write(to);
        return static_cast<std::size_t>(to.end() - begin);
    });
    return text;
}

}  // namespace echelon::server
