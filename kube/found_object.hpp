#pragma once

// What does one object of a manifest say, and how would another one be told to be the same?
//
// Pure and thread-safe. Decides nothing about objects beside it: whoever takes them in order does.

#include "base/result.hpp"
#include "kube/json/value.hpp"
#include "kube/reading.hpp"
#include "model/facts/event.hpp"

#include <optional>
#include <string>
#include <vector>

namespace echelon::kube {

struct ManifestObject {
    std::string place;     // In its file: "document 1, items[4]".
    std::string title;     // "Pod web-0".
    std::string identity;  // Kind, group, namespace and name.
    std::string uid;       // May be empty.
    std::string version;   // "v1beta1" of its apiVersion; one object may be served in several (Z44).
    std::vector<model::Event> events;
    // Of a pod whose priority follows from its class; empty: from the default one.
    std::optional<std::string> priority_class;
    bool is_default_class = false;     // A PriorityClass that is the default.
    std::string name;                  // Of the object.
    std::string text;                  // The object as JSON, if it was asked for.
    std::string skipped_kind;          // Not empty: a kind that isn't known, and nothing else is said.
    std::optional<base::Error> fault;  // Nothing else is said, and nothing follows.
};

// Appends the object, or, if it is a list, what is in it. `source`: the file that it stands in, after which a topology
// is named that bears no name. `keeps_text`: with the object as JSON.
void find_objects(const Value& object, const std::string& source, const std::string& place,
                  std::vector<ManifestObject>& found, bool keeps_text = false, const Reading& reading = {});

}  // namespace echelon::kube
