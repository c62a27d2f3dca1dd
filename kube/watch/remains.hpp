#pragma once

// Which object was this text to be? Finds the name in a text that cannot be read as a whole, so that only that object
// suffers from it.
//
// Pure and thread-safe. Reads up to the fault, or up to the end of `metadata`; keeps four short texts. Never throws.

#include <string>
#include <string_view>

namespace echelon::kube {

struct Remains {
    std::string type;  // Of a watch event: "ADDED" ...
    std::string ns;
    std::string name;
    std::string uid;
    std::string version;  // metadata.resourceVersion.

    [[nodiscard]] bool is_named() const { return !name.empty() && !uid.empty(); }
};

// Of an object that begins at the front of the text.
[[nodiscard]] Remains remains_of_object(std::string_view text);
// Of the watch event that begins at the front of the text: its type, and what it says of its object.
[[nodiscard]] Remains remains_of_event(std::string_view text);

}  // namespace echelon::kube
