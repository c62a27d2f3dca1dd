#pragma once

// What would an API server have said in JSON, if it says it in protobuf? Writes the fields that decoders read, and
// passes over all others (docs/decisions/0013-protobuf.md).
//
// Pure and thread-safe. Nothing is trusted: lengths are checked, nesting is that of the shapes, and the text is at most
// as long as a constant factor of the message. Bytes that aren't UTF-8 become U+FFFD, as in the server's own JSON.
//
// Every function appends to `out`. When it fails, `out` has the text up to the fault, so that the name of an unreadable
// object can be found (remains.hpp). The error is the end of a sentence: "isn't readable as protobuf: ...".

#include "base/result.hpp"
#include "kube/protobuf/message_shape.hpp"

#include <string>
#include <string_view>

namespace echelon::kube {

// A message without an envelope, as one JSON object.
[[nodiscard]] base::Result<void> append_message(std::string_view message, const MessageShape& shape, std::string& out);
// An item of a list: with apiVersion and kind.
[[nodiscard]] base::Result<void> append_object(std::string_view message, const ObjectShape& shape, std::string& out);
// The whole body of an answer: a refusal, or one object of the kind.
[[nodiscard]] base::Result<void> append_answer(std::string_view body, const ObjectShape& shape, std::string& out);
// A frame of a watch, as the line of a JSON watch.
[[nodiscard]] base::Result<void> append_event(std::string_view frame, const ObjectShape& shape, std::string& out);

}  // namespace echelon::kube
