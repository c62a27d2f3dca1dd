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
// Accepts protobuf or JSON; an API server or proxy without protobuf answers with JSON.
inline constexpr std::string_view protobuf_or_json = "application/vnd.kubernetes.protobuf, application/json";
// For a write whose answer is read only if it is an error: metadata alone are the smallest answer.
inline constexpr std::string_view protobuf_metadata_or_json =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";

// `content_type`: of an answer.
[[nodiscard]] bool is_protobuf(std::string_view content_type);

struct Envelope {
    std::string_view api_version;
    std::string_view kind;
    std::string_view object;  // The message of the object.
    std::string fault;        // Set if the envelope is cut off; `object` may still be whole.
};

[[nodiscard]] base::Result<Envelope> open_envelope(std::string_view bytes);

}  // namespace echelon::kube
