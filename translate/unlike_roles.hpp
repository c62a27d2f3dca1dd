#pragma once

// Do the pods of a PodGang request different amounts? Koordinator counts slots for the ordered list of all waiting
// pods, so roles of different size may block each other.
//
// Not thread-safe. Later pods are compared with the first pod of their gang. A finding stays as long as the gang has
// pods, so that it doesn't flap during an update.

#include "model/facts/amounts.hpp"
#include "model/facts/pod.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::translate {

// `a` and `b`: names of the leaves, which may be equal.
[[nodiscard]] std::string unlike_roles_sentence(std::string_view a, std::string_view b);

class MixedRoles {
public:
    // "namespace/name" of the PodGang, if this pod is the first that shows unlike roles; else nullopt.
    [[nodiscard]] std::optional<std::string> notice(const model::Pod& pod);
    void notice_gone(const std::string& uid);
    // The warning for a gang; empty: none.
    [[nodiscard]] std::string warning_of(const std::string& gang) const;

private:
    struct Gang {
        std::string leaf;         // Of the first pod.
        model::Amounts requests;  // Its own.
        std::string other;        // A leaf with a pod that requests other amounts; empty: none so far.
        std::size_t pods = 0;
    };
    std::map<std::string, Gang> gangs_;           // By "namespace/name"; only gangs with pods.
    std::map<std::string, std::string> gang_of_;  // UID of an existing pod -> gang.
};

}  // namespace echelon::translate
