#pragma once

// Which events does one Kubernetes object become? The same decoder serves the watch, `plan -f` and the tests.
//
// Thread-safe: nothing is shared. Fields that the model doesn't need are ignored; a field of the wrong type or range is
// an error that names the object and the field path.

#include "base/result.hpp"
#include "kube/json/value.hpp"
#include "kube/reading.hpp"
#include "model/facts/event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

// `seen`: added, changed or listed. `gone`: deleted, or missing from a list.
enum class Change : std::uint8_t { seen, gone };

// The kinds that `decode` understands, as "Kind.group" ("Pod.", "Node.", "PodGroup.scheduling.k8s.io").
[[nodiscard]] bool is_known_kind(std::string_view api_version, std::string_view kind);

// All known kinds, in the same form.
[[nodiscard]] std::vector<std::string> known_kinds();

// The events of one object, which must state apiVersion and kind; items of a list often lack them. A group object whose
// *meaning* is wrong (rules across fields, annotation values) is no error: it becomes a Group with a `problem`.
// References of a pod to kinds that aren't served are ignored. A pod that exceeds a bound is read up to it, and its
// gang becomes Invalid. A Node is kept without its wrong fields, unless the reading refuses it.
[[nodiscard]] base::Result<std::vector<model::Event>> decode(const Value& object, Change change,
                                                             const Reading& reading = {});

// The event for an object that `decode` refused. A group or a topology exists and is Invalid, with the fault as its
// problem; it is neither missing nor what it was before (rule A3). A pod on a node takes the room that can be read, and
// none once it has ended. Nullopt for all others, and for objects without a name.
[[nodiscard]] std::optional<model::Event> event_of_unreadable(const nlohmann::json& object, const base::Error& fault,
                                                              const model::Limits& limits = {});

// The event for a group object that `decode` refused, if it only exceeds bounds: the gang exists and is Invalid (BD1).
[[nodiscard]] std::optional<model::Event> event_of_excess(const Value& object, const base::Error& fault,
                                                          const Reading& reading);

// Which group does the pod of a filter call name, if the model doesn't know the pod yet? "namespace/name"; of a gang by
// labels it is the name of the root. Nullopt: the pod names no group, or can't be read.
[[nodiscard]] std::optional<std::string> named_gang(std::string_view pod_json, UnservedKinds unserved = {});

}  // namespace echelon::kube
