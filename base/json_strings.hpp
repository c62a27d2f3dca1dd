#pragma once

// Is this byte of a JSON text part of a string? The one place that knows quotation marks and escapes, for whatever
// looks at the structure of a text without parsing it. Pure; one object for each text.

namespace echelon::base {

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

}  // namespace echelon::base
