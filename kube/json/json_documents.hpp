#pragma once

// Which objects are in a JSON text? Reads documents and the items of lists one by one. So a dump of a whole cluster is
// never in memory as a tree of values.
//
// Thread-safe, and pure but for the threads that read a long list. Nesting is capped, and a key given twice is an
// error.

#include "base/result.hpp"
#include "kube/json/value.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

// The second step for an object: called on the caller's thread, in the order of the objects.
using KeepObject = std::move_only_function<base::Result<void>()>;
// The first step: reads the object at "document 1" or "document 1, items[4]". Items of a long list are read by several
// threads at once, even items after one whose `KeepObject` will fail.
using ReadObject = std::function<KeepObject(const Value& object, const std::string& place)>;

// Called now and then: the text before `offset` is no longer needed.
using Passed = std::function<void(std::size_t offset)>;

// Fills in apiVersion and kind, which items of a typed list lack.
void complete_item(nlohmann::json& item, std::string_view list_api_version, std::string_view list_kind);

// Does a JSON object start here (after white space)? YAML flow mappings with plain keys don't look like one.
[[nodiscard]] bool looks_like_json(std::string_view text);

// One document, from the start of `text` on. Items of a list are read one by one.
// Requires: simdjson's padding behind the end of `text` may be read.
// Returns: how many characters the document takes. An error names its place.
[[nodiscard]] base::Result<std::size_t> read_json_document(std::string_view text, std::size_t number,
                                                           const ReadObject& read, const Passed& passed = {});

}  // namespace echelon::kube
