#include "kube/protobuf/transcoder.hpp"

#include "base/json_strings.hpp"
#include "kube/protobuf/envelope.hpp"
#include "kube/protobuf/wire_reader.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using Type = FieldShape::Type;
using Many = FieldShape::Many;
using Wire = WireReader::Type;

void append_name(std::string_view name, std::string& out) {
    out += '"';
    out += name;
    out += "\":";
}

// Writes messages until the first fault.
class Transcoder {
public:
    explicit Transcoder(std::string& out) : out_(out) {}

    // The fields between the braces. `shape` may be null.
    [[nodiscard]] bool fields(std::string_view message, const MessageShape* shape);
    [[nodiscard]] bool object(std::string_view message, const MessageShape* shape);
    [[nodiscard]] base::Result<void> result(bool is_done) const {
        return is_done ? base::Result<void>{} : base::failure(fmt::format("isn't readable as protobuf: {}", fault_));
    }

private:
    [[nodiscard]] bool field(const FieldShape& shape, const WireReader& reader);
    [[nodiscard]] bool value(const FieldShape& shape, std::string_view bytes);
    [[nodiscard]] bool entry(const FieldShape& shape, std::string_view bytes);
    [[nodiscard]] bool time(std::string_view bytes);
    [[nodiscard]] bool quantity(std::string_view bytes);
    bool fail(std::string fault) {
        fault_ = std::move(fault);
        return false;
    }

    std::string& out_;
    std::string fault_;
};

// True if Go's encoder omits the field, since it has its default value.
bool is_left_out(const FieldShape& shape, const WireReader& reader) {
    if (shape.many != Many::one || shape.keeps_default)
        return false;
    switch (shape.type) {
        case Type::text:
        case Type::time:  // The zero time is null in JSON.
            return reader.bytes().empty();
        case Type::number:
        case Type::flag:
            return reader.varint() == 0;
        case Type::quantity:
        case Type::object:
            break;
    }
    return false;
}

bool is_number(const FieldShape& shape) {
    return shape.many == Many::one && (shape.type == Type::number || shape.type == Type::flag);
}

std::string_view opening(Many many) {
    return many == Many::list ? "[" : many == Many::map ? "{" : "";
}
std::string_view closing(const FieldShape* open) {
    return open == nullptr ? "" : open->many == Many::list ? "]" : "}";
}

bool Transcoder::object(std::string_view message, const MessageShape* shape) {
    out_ += '{';
    if (!fields(message, shape))
        return false;
    out_ += '}';
    return true;
}

bool Transcoder::fields(std::string_view message, const MessageShape* shape) {
    const std::span<const FieldShape> all = shape == nullptr ? std::span<const FieldShape>() : shape->fields;
    const FieldShape* open = nullptr;  // The list or map that is being written.
    std::uint64_t written = 0;         // Bit set of positions in `all`.
    WireReader reader(message);
    while (reader.next()) {
        const auto at = std::ranges::find(all, reader.number(), &FieldShape::number);
        if (at == all.end())
            continue;
        if (reader.type() != (is_number(*at) ? Wire::varint : Wire::bytes))
            return fail(fmt::format("{} has another type", at->name));
        if (is_left_out(*at, reader))
            continue;
        if (&*at == open) {
            out_ += ',';
        } else {
            const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(at - all.begin());
            if ((written & bit) != 0)
                return fail(fmt::format("{} is given twice", at->name));
            out_ += closing(open);
            if (written != 0)
                out_ += ',';
            written |= bit;
            append_name(at->name, out_);
            out_ += opening(at->many);
            open = at->many == Many::one ? nullptr : &*at;
        }
        if (!field(*at, reader))
            return false;
    }
    if (!reader.fault().empty())
        return fail(fmt::format("it {}", reader.fault()));
    out_ += closing(open);
    return true;
}

bool Transcoder::field(const FieldShape& shape, const WireReader& reader) {
    if (is_number(shape)) {
        if (shape.type == Type::flag) {
            out_ += reader.varint() == 0 ? "false" : "true";
        } else {
            fmt::format_to(std::back_inserter(out_), "{}", static_cast<std::int64_t>(reader.varint()));
        }
        return true;
    }
    // If the field is cut off, only the members of an object are worth reading.
    if (reader.is_cut() && shape.type != Type::object)
        return fail(fmt::format("it {}", reader.fault()));
    return shape.many == Many::map ? entry(shape, reader.bytes()) : value(shape, reader.bytes());
}

bool Transcoder::value(const FieldShape& shape, std::string_view bytes) {
    switch (shape.type) {
        case Type::text:
            base::append_json_string(out_, bytes);
            return true;
        case Type::time:
            return time(bytes);
        case Type::quantity:
            return quantity(bytes);
        case Type::object:
            return object(bytes, shape.shape);
        case Type::number:
        case Type::flag:
            break;
    }
    return fail(fmt::format("{} has another type", shape.name));
}

// An entry of a map is a message with a key (1) and a value (2).
bool Transcoder::entry(const FieldShape& shape, std::string_view bytes) {
    std::string_view key;
    std::string_view value_bytes;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.number() > 2)
            continue;
        if (reader.type() != Wire::bytes)
            return fail(fmt::format("{} has another type", shape.name));
        (reader.number() == 1 ? key : value_bytes) = reader.bytes();
    }
    if (!reader.fault().empty())
        return fail(fmt::format("it {}", reader.fault()));
    base::append_json_string(out_, key);
    out_ += ':';
    return value(shape, value_bytes);
}

bool Transcoder::time(std::string_view bytes) {
    using std::chrono::sys_days;
    constexpr std::int64_t least = sys_days(std::chrono::year(0) / 1 / 1).time_since_epoch() / std::chrono::seconds(1);
    constexpr std::int64_t most =
        sys_days(std::chrono::year(10'000) / 1 / 1).time_since_epoch() / std::chrono::seconds(1);
    std::int64_t seconds = 0;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.number() == 1 && reader.type() == Wire::varint)
            seconds = static_cast<std::int64_t>(reader.varint());
    }
    if (!reader.fault().empty())
        return fail(fmt::format("it {}", reader.fault()));
    if (seconds < least || seconds >= most)
        return fail("a time is beyond all years");
    const std::chrono::sys_seconds instant{std::chrono::seconds(seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(instant - day);
    fmt::format_to(std::back_inserter(out_), "\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z\"", static_cast<int>(date.year()),
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                   clock.minutes().count(), clock.seconds().count());
    return true;
}

bool Transcoder::quantity(std::string_view bytes) {
    std::string_view amount;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.number() == 1 && reader.type() == Wire::bytes)
            amount = reader.bytes();
    }
    if (!reader.fault().empty())
        return fail(fmt::format("it {}", reader.fault()));
    base::append_json_string(out_, amount);
    return true;
}

}  // namespace

base::Result<void> append_message(std::string_view message, const MessageShape& shape, std::string& out) {
    Transcoder transcoder(out);
    return transcoder.result(transcoder.object(message, &shape));
}

base::Result<void> append_object(std::string_view message, const ObjectShape& shape, std::string& out) {
    out += R"({"apiVersion":")";
    out += shape.api_version;
    out += R"(","kind":")";
    out += shape.kind;
    out += "\",";
    const std::size_t front = out.size();
    Transcoder transcoder(out);
    const bool is_done = transcoder.fields(message, shape.message);
    if (is_done && out.size() == front)
        out.pop_back();  // The comma: no field follows.
    if (is_done)
        out += '}';
    return transcoder.result(is_done);
}

base::Result<void> append_answer(std::string_view body, const ObjectShape& shape, std::string& out) {
    const base::Result<Envelope> envelope = open_envelope(body);
    if (!envelope)
        return std::unexpected(envelope.error());
    for (const ObjectShape* known : {&shape, &status_shape()}) {
        if (envelope->kind == known->kind && envelope->api_version == known->api_version) {
            base::Result<void> done = append_object(envelope->object, *known, out);
            return envelope->fault.empty() || !done ? done : base::failure(envelope->fault);
        }
    }
    return base::failure(fmt::format("isn't readable as protobuf: it is no {}", shape.kind));
}

base::Result<void> append_event(std::string_view frame, const ObjectShape& shape, std::string& out) {
    std::string_view type;
    std::string_view object;
    WireReader reader(frame);
    while (reader.next()) {
        if (reader.type() != Wire::bytes)
            continue;
        if (reader.number() == 1)
            type = reader.bytes();
        if (reader.number() == 2)
            object = reader.bytes();
    }
    out += R"({"type":)";
    base::append_json_string(out, type);
    // The object is in field 1 (`raw`) of a RawExtension.
    WireReader raw(object);
    while (raw.next()) {
        if (raw.number() == 1 && raw.type() == Wire::bytes)
            object = raw.bytes();
    }
    out += R"(,"object":)";
    if (base::Result<void> done = append_answer(object, shape, out); !done)
        return done;
    if (!reader.fault().empty() || !raw.fault().empty())
        return base::failure("isn't readable as protobuf: it ends inside a field");
    out += '}';
    return {};
}

}  // namespace echelon::kube
