#pragma once

// Which bytes of a JSON text are part of a string, and how is a string written? Pure.

#include <string>
#include <string_view>

namespace echelon::base {

// For code that looks at the structure of a text without parsing it. One object for each text.
class JsonStrings {
public:
    // Takes the next byte. True: it is part of a string, both quotation marks included.
    bool take(char c) {
        if (!in_string_) {
            in_string_ = c == '"';
            return in_string_;
        }
        if (is_escaped_) {
            is_escaped_ = false;
        } else if (c == '\\') {
            is_escaped_ = true;
        } else {
            in_string_ = c != '"';
        }
        return true;
    }

private:
    bool in_string_ = false;
    bool is_escaped_ = false;
};

// Appends the text in quotation marks. Bytes that aren't UTF-8 become U+FFFD, so that the result can always be decoded.
void append_json_string(std::string& to, std::string_view text);

}  // namespace echelon::base
