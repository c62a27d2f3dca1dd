#pragma once

// Which objects can't be read at present, and why? Shown by `/readyz?verbose=1`, `echelon topology` and `echelon
// status`.
//
// Plain values; a list belongs to one thread. Bounded: the newest `most_unreadable` of each resource.

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

inline constexpr std::size_t most_unreadable = 16;

struct UnreadableObject {
    std::string name;      // "namespace/name"; empty: it can't be read either.
    std::string version;   // metadata.resourceVersion, opaque.
    std::string sentence;  // With kind and name: "Node a: status.allocatable must be an object, not a list".
    std::chrono::steady_clock::time_point since;

    bool operator==(const UnreadableObject&) const = default;
};

class UnreadableList {
public:
    // Replaces the entry of the same object. False: it was listed with the same version and sentence.
    bool note(UnreadableObject object);
    // Removes the object of that name, which is readable now, or gone.
    void remove(std::string_view name);

    [[nodiscard]] bool is_empty() const { return entries_.empty(); }
    [[nodiscard]] const std::vector<UnreadableObject>& entries() const { return entries_; }  // Oldest first.

private:
    std::vector<UnreadableObject> entries_;
};

// The sentences of the newest `most_unreadable` objects in several lists, newest first.
[[nodiscard]] std::vector<std::string> newest_unreadable(std::span<const std::vector<UnreadableObject>> lists);

}  // namespace echelon::kube
