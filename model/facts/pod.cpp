#include "model/facts/pod.hpp"

#include <algorithm>

namespace echelon::model {

void Membership::replace_content(const GroupKey& other) {
    for (auto& group : declared.edit()) {
        if (group.key == leaf)
            group.key = other;
    }
    leaf = other;
}

std::string Pod::full_name() const {
    std::string full;
    full.reserve(ns.size() + 1 + name.size());
    full += ns;
    full += '/';
    full += name;
    return full;
}

bool Pod::has_our_gate() const {
    return std::ranges::find(gates, gang_gate) != gates.end();
}

bool Pod::has_foreign_gate() const {
    return std::ranges::any_of(gates, [](const std::string& gate) { return gate != gang_gate; });
}

}  // namespace echelon::model
