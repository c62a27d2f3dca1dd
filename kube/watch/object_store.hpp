#pragma once

// Which objects of one resource exist, so that a list can replace what was known before it?
//
// Invariants (L9 to L11):
//   1. Whatever was delivered as seen is delivered as gone once it is missing from a complete list (9).
//   2. The same name with another UID is two objects: the old one goes before the new one is seen (10).
//   3. Versions are compared for equality only (12); an object in the version that was delivered last is left out.
//
// Pure, not thread-safe. Keeps identities, not objects: about 200 bytes each.

#include "kube/decode.hpp"
#include "kube/json/value.hpp"
#include "kube/watch/remains.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

class ObjectStore {
public:
    using Deliver = std::function<void(const Value& object, Change change)>;

    // Objects of lists lack apiVersion and kind: they are filled in from here.
    ObjectStore(std::string api_version, std::string kind, bool keeps_spec, Deliver deliver);

    // False: the object has no name or no UID, nothing was done.
    [[nodiscard]] bool seen(const Value& object);
    [[nodiscard]] bool gone(const Value& object);

    // An object that is there and can't be read. Nothing of it is delivered; one of that name with another UID is gone.
    // False: that is known of this version. Requires: a name and a UID.
    [[nodiscard]] bool stays(const Remains& object);
    // It is gone, as if its whole object had said so. Requires: a name and a UID.
    void gone(const Remains& object);
    // All that is known of it, as an object.
    [[nodiscard]] nlohmann::json outline_of(const Remains& object) const;

    void begin_round();   // A list begins, or begins anew.
    void end_round();     // It was complete: what wasn't seen since then is gone.
    void forget_all();    // The kind isn't served any more.
    void deliver_anew();  // What is seen from now on is delivered even where it hasn't changed.
    void rename(std::string api_version) { api_version_ = std::move(api_version); }  // Served in another version now.

    [[nodiscard]] std::size_t size() const { return known_.size(); }

private:
    struct Known {
        std::string uid;
        std::string version;
        std::string spec;  // JSON, when keeps_spec.
        std::uint64_t round = 0;
    };

    void fill_in(nlohmann::json& object) const;
    void hand_on(const Value& object, Change change) const;
    void deliver_gone(const std::string& key, const Known& known) const;

    std::string api_version_;
    const std::string kind_;
    const bool keeps_spec_;
    const Deliver deliver_;
    std::unordered_map<std::string, Known> known_;  // By "namespace/name"; "/name" without a namespace.
    std::uint64_t round_ = 0;
};

}  // namespace echelon::kube
