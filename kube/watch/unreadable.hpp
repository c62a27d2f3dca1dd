#pragma once

// Which objects could not be read of late, and why? What people see in `/readyz?verbose=1`, `echelon topology` and
// `echelon status`.
//
// Plain values; a book belongs to one thread. Bounded: the newest `most_unreadable` of each resource.

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

inline constexpr std::size_t most_unreadable = 16;

struct UnreadableObject {
    std::string name;      // "namespace/name"; empty: it could not be read either.
    std::string version;   // metadata.resourceVersion, opaque.
    std::string sentence;  // With kind and name: "Node a: status.allocatable must be an object, not a list".
    std::chrono::steady_clock::time_point since;

    bool operator==(const UnreadableObject&) const = default;
};

class UnreadableBook {
public:
    // False: it stands there already, in the same version with the same sentence. One object has one entry.
    bool note(UnreadableObject object);
    // The object of that name is readable now, or gone.
    void strike(std::string_view name);

    [[nodiscard]] bool is_empty() const { return entries_.empty(); }
    [[nodiscard]] const std::vector<UnreadableObject>& entries() const { return entries_; }  // Oldest first.

private:
    std::vector<UnreadableObject> entries_;
};

// The sentences of the newest `most_unreadable` in several books, newest first.
[[nodiscard]] std::vector<std::string> newest_unreadable(std::span<const std::vector<UnreadableObject>> books);

}  // namespace echelon::kube
