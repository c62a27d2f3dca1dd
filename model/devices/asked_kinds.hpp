#pragma once

// Which kinds of devices do waiting pods ask for, and which of these kinds are counted? (DR9)
//
// Few kinds can be counted at once. So namespaces take turns: the first kind of each namespace is counted, then the
// second of each, and so on. What one namespace asks for can't use up the places of another, in whatever order pods
// come. Pure; not thread-safe. Equal sets of pods give equal answers.

#include "model/devices/request_kinds.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace echelon::model {

class AskedKinds {
public:
    // Further kinds of a namespace are left to kube-scheduler.
    static constexpr std::size_t most_of_namespace = 16;
    static constexpr std::size_t most_parts_of_namespace = 256;  // `parts_of` all of them.

    struct Asked {
        std::size_t requests = 0;
        std::size_t for_all = 0;     // How many of them request all devices.
        std::size_t parts = 0;       // `parts_of` the kind.
        std::string not_understood;  // Why; empty: it can be counted.
    };
    struct Note {
        const RequestKey* key;  // Equal to the given one; valid until its last request is dropped.
        bool is_news;           // `choose` or `for_all` may give another answer than before.
    };
    Note add(const std::string& ns, const RequestKey& key, bool wants_all);
    // Requires: it was added. True: as `is_news`.
    bool drop(const std::string& ns, const RequestKey& key, bool wants_all);

    [[nodiscard]] const Asked* find(const RequestKey& key) const;  // Null: no pod asks for it.
    // As `add` returned it. Null: no pod asks for it.
    [[nodiscard]] const RequestKey* kept(const RequestKey& key) const;
    // Adds kinds to `chosen` until it has `RequestKinds::most_kinds`.
    void choose(std::set<RequestKey>& chosen) const;

private:
    struct ByText {
        bool operator()(const RequestKey* a, const RequestKey* b) const { return *a < *b; }
    };
    struct OfNamespace {
        std::size_t requests = 0;
        std::size_t parts = 0;  // `parts_of` the kind.
    };
    using Keys = std::map<const RequestKey*, OfNamespace, ByText>;

    std::map<RequestKey, Asked> by_key_;
    std::map<std::string, Keys> by_namespace_;  // Those that can be counted.
};

}  // namespace echelon::model
