#pragma once

// Where does a JSON document end, and where are its items if it is a list? Found without parsing, so that a dump of a
// whole cluster can be parsed item by item.
//
// Pure and thread-safe. One pass; keeps a few bytes per item. Validates nothing: the caller parses `frame` and every
// item. A document with an escaped or repeated key counts as no list.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

struct Outline {
    struct Item {
        std::size_t start = 0;
        std::size_t length = 0;  // Without the white space around it.
        std::size_t line = 0;    // Line feeds before it.
        std::size_t column = 0;  // Bytes between the last of them and the item.
    };
    std::size_t length = 0;  // Bytes of the document up to its closing bracket, or of the whole text if there is none.
    bool is_list = false;    // It has the strings `kind` ("...List") and `apiVersion`, and the list `items`.

    // Only of a list.
    std::string kind;
    std::string api_version;
    std::vector<Item> items;
    std::string frame;  // The document with an empty `items`.
};

// Outlines the document at the front of the text.
[[nodiscard]] Outline outline(std::string_view text);

// True for "List", "PodList" and other kinds of lists.
[[nodiscard]] bool is_list_kind(std::string_view kind);

}  // namespace echelon::kube
