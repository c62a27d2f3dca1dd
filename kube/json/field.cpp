#include "kube/json/field.hpp"

#include "base/shortened.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr std::size_t longest_plain_key = 100;
constexpr std::size_t most_left_out = 16;

// The limits of Kubernetes itself.
constexpr std::size_t longest_name = 253;

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A name must fit into a path of the API and into "namespace/name".
bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= longest_name && text != "." && text != ".." &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '/' && c != '%'; });
}

std::string checked_name(const Field& metadata, std::string_view key, std::string name) {
    if (!name.empty() && !is_name(name))
        metadata.wrong(key, fmt::format("{} isn't a name", shown(name)));
    return name;
}

std::optional<int> number(std::string_view text, std::size_t from, std::size_t length) {
    if (text.size() < from + length)
        return std::nullopt;
    int value = 0;
    for (char c : text.substr(from, length)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

// Seconds east of UTC of "Z" or "+02:00".
std::optional<int> offset_of(std::string_view text) {
    if (text == "Z" || text == "z")
        return 0;
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':')
        return std::nullopt;
    const std::optional<int> hours = number(text, 1, 2);
    const std::optional<int> minutes = number(text, 4, 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59)
        return std::nullopt;
    const int seconds = *hours * 3600 + *minutes * 60;
    return text[0] == '-' ? -seconds : seconds;
}

std::string joined(std::string path, std::string_view key) {
    const auto is_plain = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; };
    if (!std::ranges::all_of(key, is_plain) || key.empty() || key.size() > longest_plain_key)
        return fmt::format("{}[{}]", path, shown(key));
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

void FieldFault::note(std::string_view path, std::string_view what) {
    if (!found())
        keep(fmt::format("{}: {}", path, what));
}

void FieldFault::note_missing(std::string_view path) {
    if (!found())
        keep(fmt::format("{} is missing", path));
}

void FieldFault::note_excess(std::string_view path, std::string_view what) {
    if (tolerance_ != Tolerance::excess)
        return note(path, what);
    if (excess_.empty())
        excess_ = fmt::format("{}: {}", path, what);
}

void FieldFault::keep(std::string sentence) {
    if (tolerance_ != Tolerance::fields) {
        sentence_ = std::move(sentence);
    } else if (left_out_.size() < most_left_out) {
        left_out_.push_back(std::move(sentence));
    } else {
        ++omitted_;
    }
}

std::vector<std::string> FieldFault::left_out() const {
    std::vector<std::string> out = left_out_;
    if (omitted_ > 0)
        out.back() += fmt::format(", and {} more faults", omitted_);
    return out;
}

std::size_t FieldFault::below(std::size_t above, std::string_view key, std::size_t position) {
    steps_.push_back({above, key, position});
    return steps_.size() - 1;
}

std::string FieldFault::path_to(std::size_t place) const {
    if (place == root)
        return {};
    const Step& step = steps_[place];
    std::string above = path_to(step.above);
    return step.key.data() == nullptr ? fmt::format("{}[{}]", above, step.position)
                                      : joined(std::move(above), step.key);
}

Field::Field(const Value& object, FieldFault& fault) : Field(object, FieldFault::root, fault) {}

Field::Field(const Value& value, std::size_t place, FieldFault& fault) : value_(value), place_(place), fault_(&fault) {}

std::string Field::path_of(std::string_view key) const {
    return joined(path(), key);
}

Value Field::find(std::string_view key) const {
    if (value_.is_object())
        return value_.find(key);
    if (exists())
        wrong(fmt::format("must be an object, not {}", shown(value_)));
    return {};
}

Field Field::at(std::string_view key) const {
    return {find(key), fault_->below(place_, key, 0), *fault_};
}

bool Field::has(std::string_view key) const {
    return !find(key).is_null();
}

std::vector<Field> Field::items(const Bound& bound) const {
    std::vector<Field> out;
    if (!exists())
        return out;
    if (!value_.is_list()) {
        wrong(fmt::format("must be a list, not {}", shown(value_)));
        return out;
    }
    const std::size_t size = value_.size();
    if (std::cmp_greater(size, bound.most))
        excessive(beyond(static_cast<std::int64_t>(size), bound, " entries"));
    for (const Value& item : value_.items(static_cast<std::size_t>(bound.most)))
        out.push_back({item, fault_->below(place_, {}, out.size()), *fault_});
    return out;
}

std::vector<Field::Member> Field::members(const Bound& bound) const {
    std::vector<Member> out;
    if (!exists())
        return out;
    if (!value_.is_object()) {
        wrong(fmt::format("must be an object, not {}", shown(value_)));
        return out;
    }
    const std::size_t size = value_.size();
    if (std::cmp_greater(size, bound.most))
        excessive(beyond(static_cast<std::int64_t>(size), bound, " entries"));
    for (const auto& [key, value] : value_.members(static_cast<std::size_t>(bound.most)))
        out.emplace_back(key, Field(value, fault_->below(place_, key, 0), *fault_));
    return out;
}

std::string Field::text(std::string_view key, const Bound& bound) const {
    const Value found = find(key);
    if (found.is_text()) {
        const std::string_view text = found.text();
        if (std::cmp_greater(text.size(), bound.most))
            excessive(key, beyond(static_cast<std::int64_t>(text.size()), bound, " bytes"));
        return std::string(base::beginning(text, static_cast<std::size_t>(bound.most)));
    }
    if (!found.is_null())
        wrong(key, fmt::format("must be a string, not {}", shown(found)));
    return {};
}

std::string Field::required_text(std::string_view key) const {
    std::string found = text(key);
    if (found.empty())
        fault_->note_missing(path_of(key));
    return found;
}

std::optional<std::int64_t> Field::integer(std::string_view key, std::int64_t least, std::int64_t most) const {
    const Value found = find(key);
    const Value::Type type = found.type();
    if (type == Value::Type::null)
        return std::nullopt;
    if (type != Value::Type::integer && type != Value::Type::natural) {
        wrong(key, fmt::format("must be an integer, not {}", shown(found)));
        return std::nullopt;
    }
    const bool beyond = type == Value::Type::natural && !std::in_range<std::int64_t>(found.natural());
    const std::int64_t number = beyond                         ? 0
                                : type == Value::Type::natural ? static_cast<std::int64_t>(found.natural())
                                                               : found.integer();
    if (beyond || number < least || number > most) {
        wrong(key, fmt::format("must be between {} and {}, not {}", least, most, shown(found)));
        return std::nullopt;
    }
    return number;
}

std::optional<std::int64_t> Field::count(std::string_view key, std::int64_t least, const Bound& bound) const {
    const std::optional<std::int64_t> number = integer(key, least, most_int32);
    if (!number || *number <= bound.most)
        return number;
    excessive(key, beyond(*number, bound));
    return std::nullopt;
}

std::optional<std::int64_t> Field::pods(std::string_view key, std::int64_t least) const {
    return count(key, least, member_bound(limits()));
}

std::optional<std::int64_t> Field::groups(std::string_view key, std::int64_t least) const {
    return count(key, least, group_bound(limits()));
}

bool Field::flag(std::string_view key, bool when_absent) const {
    const Value found = find(key);
    if (found.type() == Value::Type::flag)
        return found.flag();
    if (!found.is_null())
        wrong(key, fmt::format("must be true or false, not {}", shown(found)));
    return when_absent;
}

std::int64_t Field::seconds(std::string_view key) const {
    const std::string found = text(key);
    if (found.empty())
        return 0;
    const std::optional<std::int64_t> time = parse_time(found);
    if (!time)
        wrong(key, fmt::format("{} isn't a time (RFC 3339)", shown(found)));
    return time.value_or(0);
}

std::string Field::text(const Bound& bound) const {
    if (value_.is_text()) {
        const std::string_view text = value_.text();
        if (std::cmp_greater(text.size(), bound.most))
            excessive(beyond(static_cast<std::int64_t>(text.size()), bound, " bytes"));
        return std::string(base::beginning(text, static_cast<std::size_t>(bound.most)));
    }
    if (exists())
        wrong(fmt::format("must be a string, not {}", shown(value_)));
    return {};
}

model::Labels Field::texts() const {
    model::Labels out;
    for (const auto& [key, member] : members()) {
        if (member.value().is_text() || !member.exists()) {
            out.emplace_hint(out.end(), key, member.text());
        } else {
            static_cast<void>(member.text());  // Only notes the fault.
        }
    }
    return out;
}

Metadata read_metadata(const Field& object, Scope scope) {
    const Field metadata = object.at("metadata");
    Metadata out{.ns = {},
                 .name = checked_name(metadata, "name", metadata.text("name")),
                 .uid = metadata.text("uid"),
                 .created = metadata.seconds("creationTimestamp"),
                 .generation = metadata.integer("generation", 0, INT64_MAX).value_or(0),
                 .deleting = metadata.has("deletionTimestamp"),
                 .labels = metadata.at("labels"),
                 .annotations = metadata.at("annotations")};
    if (out.name.empty())
        metadata.fault().note_missing("metadata.name");
    if (scope == Scope::namespaced) {
        out.ns = checked_name(metadata, "namespace", metadata.text("namespace"));
        if (out.ns.empty())
            out.ns = "default";
    }
    return out;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
    const std::optional<int> year = number(text, 0, 4);
    const std::optional<int> month = number(text, 5, 2);
    const std::optional<int> day = number(text, 8, 2);
    const std::optional<int> hour = number(text, 11, 2);
    const std::optional<int> minute = number(text, 14, 2);
    const std::optional<int> second = number(text, 17, 2);
    if (!year || !month || !day || !hour || !minute || !second)
        return std::nullopt;
    if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') || text[13] != ':' ||
        text[16] != ':') {
        return std::nullopt;
    }
    std::size_t rest = 19;
    if (rest < text.size() && text[rest] == '.') {
        const std::size_t end = text.find_first_not_of("0123456789", rest + 1);
        if (end == rest + 1 || end == std::string_view::npos)
            return std::nullopt;
        rest = end;
    }
    const std::optional<int> offset = offset_of(text.substr(rest));
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!offset || !date.ok() || *hour > 23 || *minute > 59 || *second > 60)
        return std::nullopt;
    const std::chrono::sys_seconds time = std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                                          std::chrono::minutes(*minute) + std::chrono::seconds(*second - *offset);
    return time.time_since_epoch().count();
}

}  // namespace echelon::kube
