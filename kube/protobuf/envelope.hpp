#pragma once

// Which object is in the envelope that Kubernetes puts around protobuf? Four bytes of magic, then a message that names
// the kind and holds the object's bytes.
//
// Pure; views of the bytes.

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view protobuf_magic{"k8s\0", 4};
// Asks for protobuf; an API server, or a proxy, that doesn't speak it answers with JSON.
inline constexpr std::string_view protobuf_or_json = "application/vnd.kubernetes.protobuf, application/json";
// Of a write whose answer nobody reads unless it is a refusal: the metadata are the least that a server can send.
inline constexpr std::string_view protobuf_metadata_or_json =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";

// Of an answer's Content-Type.
[[nodiscard]] bool is_protobuf(std::string_view content_type);

struct Envelope {
    std::string_view api_version;
    std::string_view kind;
    std::string_view object;  // Its message.
    std::string fault;        // Of an envelope that is cut; the object may be whole.
};

[[nodiscard]] base::Result<Envelope> open_envelope(std::string_view bytes);

}  // namespace echelon::kube
