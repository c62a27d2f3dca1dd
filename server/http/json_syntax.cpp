#include "server/http/json_syntax.hpp"

#include "base/ascii.hpp"

#include <array>
#include <cstring>

namespace echelon::server {
namespace {

constexpr bool is_hex(char c) {
    return base::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Bytes that end a string, begin an escape or are invalid in it.
constexpr auto make_marks() {
    std::array<bool, 256> marks{};
    for (std::size_t c = 0; c < 0x20; ++c)
        marks[c] = true;
    marks['"'] = marks['\\'] = true;
    return marks;
}
constexpr auto string_marks = make_marks();

// Reads token by token; each function returns whether the token is valid.
class TokenReader {
public:
    explicit TokenReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    [[nodiscard]] const char* at() const { return at_; }
    void skip_blanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r'))
            ++at_;
    }
    // '\0' at the end.
    [[nodiscard]] char next() const { return at_ == end_ ? '\0' : *at_; }
    void step() { ++at_; }

    bool string() {
        if (next() != '"')
            return false;
        for (++at_; at_ != end_; ++at_) {
            if (!string_marks[static_cast<unsigned char>(*at_)])
                continue;
            if (*at_ == '"') {
                ++at_;
                return true;
            }
            if (*at_ != '\\' || !escape())
                return false;
        }
        return false;
    }

    bool scalar() {
        switch (next()) {
            case '"':
                return string();
            case 't':
                return word("true");
            case 'f':
                return word("false");
            case 'n':
                return word("null");
            default:
                return number();
        }
    }

private:
    // At a backslash; stops at the last byte of the escape.
    bool escape() {
        if (++at_ == end_)
            return false;
        if (*at_ != 'u')
            return *at_ != '\0' && std::strchr("\"\\/bfnrt", *at_) != nullptr;
        for (int digits = 0; digits < 4; ++digits) {
            if (++at_ == end_ || !is_hex(*at_))
                return false;
        }
        return true;
    }

    bool word(std::string_view expected) {
        if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected))
            return false;
        at_ += expected.size();
        return true;
    }

    bool digits() {
        const char* begin = at_;
        while (at_ != end_ && base::is_digit(*at_))
            ++at_;
        return at_ != begin;
    }

    bool number() {
        if (next() == '-')
            ++at_;
        if (next() == '0') {
            ++at_;
        } else if (!digits()) {
            return false;
        }
        if (next() == '.') {
            ++at_;
            if (!digits())
                return false;
        }
        if (next() != 'e' && next() != 'E')
            return true;
        ++at_;
        if (next() == '+' || next() == '-')
            ++at_;
        return digits();
    }

    const char* at_;
    const char* end_;
};

// The open brackets, and which bracket closes each.
class OpenBrackets {
public:
    [[nodiscard]] bool empty() const { return depth_ == 0; }
    [[nodiscard]] bool is_full() const { return depth_ == deepest_json; }
    [[nodiscard]] char closer() const { return closers_.at(depth_ - 1); }
    [[nodiscard]] bool is_object() const { return closer() == '}'; }
    void open(char bracket) { closers_.at(depth_++) = bracket == '{' ? '}' : ']'; }
    void close() { --depth_; }

private:
    std::array<char, deepest_json> closers_{};
    std::size_t depth_ = 0;
};

// `"key":`, up to the value.
bool key(TokenReader& reader) {
    reader.skip_blanks();
    if (!reader.string())
        return false;
    reader.skip_blanks();
    if (reader.next() != ':')
        return false;
    reader.step();
    return true;
}

// After a value: closes the objects and lists that end here. False: invalid. Otherwise another value begins, or nothing
// is open.
bool go_on(TokenReader& reader, OpenBrackets& open_brackets) {
    while (!open_brackets.empty()) {
        reader.skip_blanks();
        const char c = reader.next();
        if (c != ',' && c != open_brackets.closer())
            return false;
        reader.step();
        if (c == ',')
            return !open_brackets.is_object() || key(reader);
        open_brackets.close();
    }
    return true;
}

}  // namespace

Judged judge_value(std::string_view text) {
    TokenReader reader(text);
    OpenBrackets open_brackets;
    do {
        reader.skip_blanks();
        const char c = reader.next();
        if (c != '{' && c != '[') {
            if (!reader.scalar() || !go_on(reader, open_brackets))
                return {Syntax::broken, 0};
            continue;
        }
        if (open_brackets.is_full())
            return {Syntax::too_deep, 0};
        reader.step();
        open_brackets.open(c);
        reader.skip_blanks();
        if (reader.next() == open_brackets.closer()) {
            reader.step();
            open_brackets.close();
            if (!go_on(reader, open_brackets))
                return {Syntax::broken, 0};
        } else if (open_brackets.is_object() && !key(reader)) {
            return {Syntax::broken, 0};
        }
    } while (!open_brackets.empty());
    return {Syntax::sound, static_cast<std::size_t>(reader.at() - text.data())};
}

}  // namespace echelon::server
