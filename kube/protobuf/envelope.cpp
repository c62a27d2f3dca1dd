#include "kube/protobuf/envelope.hpp"

#include "kube/protobuf/wire_reader.hpp"

#include <fmt/format.h>

namespace echelon::kube {

namespace {

void read_kind(std::string_view message, Envelope& envelope) {
    WireReader reader(message);
    while (reader.next()) {
        if (reader.type() != WireReader::Type::bytes)
            continue;
        if (reader.number() == 1)
            envelope.api_version = reader.bytes();
        if (reader.number() == 2)
            envelope.kind = reader.bytes();
    }
}

}  // namespace

bool is_protobuf(std::string_view content_type) {
    return content_type.starts_with("application/vnd.kubernetes.protobuf");
}

base::Result<Envelope> open_envelope(std::string_view bytes) {
    if (!bytes.starts_with(protobuf_magic))
        return base::failure("isn't readable as protobuf: it begins with other bytes");
    bytes.remove_prefix(protobuf_magic.size());
    Envelope envelope;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.type() != WireReader::Type::bytes)
            continue;
        if (reader.number() == 1)
            read_kind(reader.bytes(), envelope);
        if (reader.number() == 2)
            envelope.object = reader.bytes();
        if (reader.number() == 3 && !reader.bytes().empty())
            return base::failure("isn't readable as protobuf: its object is encoded once more");
    }
    if (!reader.fault().empty())
        envelope.fault = fmt::format("isn't readable as protobuf: it {}", reader.fault());
    return envelope;
}

}  // namespace echelon::kube
