#pragma once

// Do the pods of a PodGang ask for different amounts? Koordinator counts slots for the ordered list of all pods that
// wait, so that roles of unlike size may block each other.
//
// Not thread-safe. Goes by pods as they are seen: the first of a gang is what later ones are compared with, and what
// was found stays as long as the gang has pods, so that an update on its way doesn't take it back and forth.

#include "model/facts/amounts.hpp"
#include "model/facts/pod.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::translate {

// `a` and `b`: names of the leaves, which may be one.
[[nodiscard]] std::string unlike_roles_sentence(std::string_view a, std::string_view b);

class MixedRoles {
public:
    // The "namespace/name" of the PodGang that is found to have unlike roles by this pod; later ones tell nothing new.
    [[nodiscard]] std::optional<std::string> notice(const model::Pod& pod);
    void notice_gone(const std::string& uid);
    // Empty: nothing is known of it.
    [[nodiscard]] std::string warning_of(const std::string& gang) const;

private:
    struct Gang {
        std::string leaf;         // Of the first pod.
        model::Amounts requests;  // Its own.
        std::string other;        // A leaf with a pod that asks for something else; empty: none is known.
        std::size_t pods = 0;
    };
    std::map<std::string, Gang> gangs_;           // By "namespace/name", while they have pods.
    std::map<std::string, std::string> gang_of_;  // By UID of a pod that is there.
};

}  // namespace echelon::translate
