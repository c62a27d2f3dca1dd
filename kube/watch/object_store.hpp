#pragma once

// Which objects of one resource exist, and which changes does a list or an event make to them?
//
// Invariants (L9 to L11):
//   1. An object that was delivered as seen is delivered as gone once a complete list lacks it (L9).
//   2. The same name with another UID is another object: the old one is gone before the new one is seen (L10).
//   3. Versions are compared for equality only (L12); an object in the version that was delivered last is skipped.
//
// Pure, not thread-safe. Keeps identities, not objects: about 200 bytes each.

#include "kube/decode.hpp"
#include "kube/json/value.hpp"
#include "kube/watch/partial_identity.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

class ObjectStore {
public:
    using Deliver = std::function<void(const Value& object, Change change)>;

    // `api_version` and `kind` are filled in, since objects of lists lack them.
    ObjectStore(std::string api_version, std::string kind, bool keeps_spec, Deliver deliver);

    // False: the object has no name or no UID; nothing was done.
    [[nodiscard]] bool seen(const Value& object);
    [[nodiscard]] bool gone(const Value& object);

    // The object exists but can't be read, and is not delivered. An older one of that name with another UID is gone.
    // False: already called for this version. Requires: a name and a UID.
    [[nodiscard]] bool seen_unreadable(const PartialIdentity& object);
    // The object is deleted, and only its identity can be read. Requires: a name and a UID.
    void gone(const PartialIdentity& object);
    // The identity as an object: apiVersion, kind and metadata.
    [[nodiscard]] nlohmann::json identity_object_of(const PartialIdentity& object) const;

    void begin_round();   // A list begins, or begins again.
    void end_round();     // The list was complete: objects not seen since begin_round are gone.
    void forget_all();    // Delivers all objects as gone: the kind is no longer served.
    void deliver_anew();  // Each object is delivered when it is next seen, even if it is unchanged.
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
    void deliver_complete(const Value& object, Change change) const;
    void deliver_gone(const std::string& key, const Known& known) const;

    std::string api_version_;
    const std::string kind_;
    const bool keeps_spec_;
    const Deliver deliver_;
    std::unordered_map<std::string, Known> known_;  // By "namespace/name"; "/name" without a namespace.
    std::uint64_t round_ = 0;
};

}  // namespace echelon::kube
