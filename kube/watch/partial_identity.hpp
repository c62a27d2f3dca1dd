#pragma once

// Which object does a broken text describe? Finds the identity in a text that can't be read as a whole, so that the
// fault affects only that object.
//
// Pure and thread-safe. Reads up to the fault, or to the end of `metadata`. Never throws.

#include <string>
#include <string_view>

namespace echelon::kube {

struct PartialIdentity {
    std::string type;  // Type of the watch event: "ADDED" ...; empty for an object.
    std::string ns;
    std::string name;
    std::string uid;
    std::string version;  // metadata.resourceVersion.

    [[nodiscard]] bool is_named() const { return !name.empty() && !uid.empty(); }
};

// The identity of the object at the front of the text.
[[nodiscard]] PartialIdentity identity_of_object(std::string_view text);
// The type of the watch event at the front of the text, and the identity of the object in it.
[[nodiscard]] PartialIdentity identity_of_event(std::string_view text);

}  // namespace echelon::kube
