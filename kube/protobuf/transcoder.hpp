#pragma once

// Which JSON would the API server have sent instead of this protobuf? Writes the fields that decoders read, and skips
// all others (docs/decisions/0013-protobuf.md).
//
// Pure and thread-safe. The input is untrusted: lengths are checked, and nesting is bounded by the shapes. The text is
// longer than the message by a constant factor at most. Bytes that aren't UTF-8 become U+FFFD, as in the server's own
// JSON.
//
// Every function appends to `out`. On failure `out` has the text up to the fault, so that the identity of an unreadable
// object can be found (partial_identity.hpp). The error is the end of a sentence: "isn't readable as protobuf: ...".

#include "base/result.hpp"
#include "kube/protobuf/message_shape.hpp"

#include <string>
#include <string_view>

namespace echelon::kube {

// A message without an envelope, as one JSON object.
[[nodiscard]] base::Result<void> append_message(std::string_view message, const MessageShape& shape, std::string& out);
// An item of a list, with apiVersion and kind added.
[[nodiscard]] base::Result<void> append_object(std::string_view message, const ObjectShape& shape, std::string& out);
// The whole body of an answer: a Status, or one object of the kind.
[[nodiscard]] base::Result<void> append_answer(std::string_view body, const ObjectShape& shape, std::string& out);
// A frame of a watch, as the line of a JSON watch.
[[nodiscard]] base::Result<void> append_event(std::string_view frame, const ObjectShape& shape, std::string& out);

}  // namespace echelon::kube
