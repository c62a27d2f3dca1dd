#pragma once

// What does filter answer for each pod?
//
// A copy shares everything that has not changed since. Not thread-safe; copies are independent.

#include "base/hashed.hpp"
#include "base/shared_table.hpp"
#include "base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace echelon::engine {

// What filter answers for one pod.
struct Verdict {
    enum class Kind : std::uint8_t {
        pinned,   // Exactly `node`, if it was offered.
        refused,  // No node, and `text` says why.
    };
    Kind kind = Kind::refused;
    std::uint32_t owner = 0;  // Number of the gang in `StatePublisher`, which alone uses it.
    base::Text node;
    // Only if refused. Begins with "echelon: ", and stays the same while reason and level do (rule R15).
    base::Text text;
    base::Text gang;  // "namespace/name" of the root.

    bool operator==(const Verdict&) const = default;
};

class Verdicts {
public:
    // Null: there is no verdict. Valid until the next change.
    [[nodiscard]] const Verdict* find(base::Hashed uid) const;
    void put(const base::Text& uid, Verdict verdict);
    void erase(base::Hashed uid);

    // Calls `take(uid, verdict)` for each pod, in no order.
    template <typename Take>
    void for_each(const Take& take) const {
        table_.for_each([&take](const Entry& entry) { take(entry.first, entry.second); });
    }

private:
    using Entry = std::pair<base::Text, Verdict>;  // UID, and what filter answers.

    base::SharedTable<Entry> table_;
};

}  // namespace echelon::engine
