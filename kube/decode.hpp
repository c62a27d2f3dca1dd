#pragma once

// One Kubernetes object as JSON, to events: the same decoder serves the watch, `plan -f` and the tests.
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

// How an object reached us.
enum class Change : std::uint8_t { seen, gone };

// The kinds that `decode` understands, as "Kind.group" ("Pod.", "Node.", "PodGroup.scheduling.k8s.io").
[[nodiscard]] bool is_known_kind(std::string_view api_version, std::string_view kind);

// All of them.
[[nodiscard]] std::vector<std::string> known_kinds();

// Events of one object. `object` needs apiVersion and kind (items of a list: fill them in first). A group object whose
// *meaning* is wrong (rules across fields, annotation values) is no error: it becomes a Group with a `problem`.
// What a pod says of a kind that isn't served is passed over. A pod that is beyond a bound is read up to it, and the
// gang that it names is Invalid; of a Node only the fields that are wrong are left out.
[[nodiscard]] base::Result<std::vector<model::Event>> decode(const Value& object, Change change,
                                                             const Reading& reading = {});

// What stands for an object that `decode` refused: a group is known to be there and Invalid, with the fault as its
// problem, instead of missing or as it was before (rule A3); a topology likewise. Nullopt for other kinds and for
// objects without a name.
[[nodiscard]] std::optional<model::Event> placeholder_object(const nlohmann::json& object, const base::Error& fault,
                                                             const model::Limits& limits = {});

// The gang of a pod that the model doesn't know yet, from the pod in a filter call: "namespace/name" of the group that
// it names (of groups by labels: of their root), or nullopt when it names none. Never fails: an unreadable pod names no
// group.
[[nodiscard]] std::optional<std::string> named_gang(std::string_view pod_json, UnservedKinds unserved = {});

}  // namespace echelon::kube
