#include "kube/protobuf/answer.hpp"

#include "kube/json/splitter.hpp"
#include "kube/protobuf/envelope.hpp"
#include "kube/protobuf/transcoder.hpp"

#include <string>

namespace echelon::kube {

base::Result<nlohmann::json> read_answer(std::string_view content_type, std::string_view body,
                                         const ObjectShape& shape) {
    if (!is_protobuf(content_type))
        return parse_object(body);
    std::string text;
    if (base::Result<void> done = append_answer(body, shape, text); !done)
        return std::unexpected(done.error());
    return parse_object(text);
}

}  // namespace echelon::kube
