#pragma once

// What does one object of a manifest say, and how are two copies of the same object recognised?
//
// Pure and thread-safe. Looks at one object alone; duplicates and priorities are resolved in manifests.cpp.

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
    std::string title;     // "Pod web-0", with its namespace if it states one.
    std::string identity;  // Kind, group, namespace and name.
    std::string uid;       // May be empty.
    std::string version;   // "v1beta1", from apiVersion; the API server may serve an object in several (Z44).
    std::vector<model::Event> events;
    // The class that decides the priority of a pod, or its preemption policy, where the pod does not state it. Empty:
    // the default class.
    std::optional<std::string> priority_class;
    bool has_priority = false;         // A pod with spec.priority.
    std::string name;                  // metadata.name.
    std::string text;                  // The object as JSON; empty unless `keeps_text`.
    std::string skipped_kind;          // Not empty: the kind isn't known, and all other fields are empty.
    std::optional<base::Error> fault;  // Set: the object can't be read, and it is the last one.
};

// Appends the object, or the items of a list. `source`: the file; it gives its name to a topology that states none.
void find_objects(const Value& object, const std::string& source, const std::string& place,
                  std::vector<ManifestObject>& found, bool keeps_text = false, const Reading& reading = {});

}  // namespace echelon::kube
