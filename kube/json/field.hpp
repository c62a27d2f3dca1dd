#pragma once

// What does a field of a Kubernetes object say, and where exactly is it wrong?
//
// A `Field` is a place in an object: a value (perhaps absent) and its path. An absent or null value reads as the
// default. A value of the wrong type or range reads as the default, too, and is noted once in the `FieldFault` of the
// object. A decoder therefore needs no branches for errors, and asks `FieldFault::found` at its end. The object must
// outlive its fields. Thread-safe: nothing is shared.
//
// Texts, lists and maps are read up to a bound, which is checked before memory is allocated. A longer one is cut, and
// that is a fault, too.

#include "kube/json/bounds.hpp"
#include "kube/json/value.hpp"
#include "model/facts/limits.hpp"
#include "model/facts/node.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::kube {

inline constexpr std::int64_t least_int32 = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t most_int32 = std::numeric_limits<std::int32_t>::max();

// The first fault of an object; later ones are often its consequences. Also keeps the steps of paths, so that a path is
// formatted only for a fault.
class FieldFault {
public:
    // What becomes of an object with a fault.
    enum class Tolerance : std::uint8_t {
        none,    // The object is refused.
        excess,  // It is kept if it only exceeds bounds; `excess` says where first.
        fields,  // It is kept without its wrong fields; `left_out` lists them.
    };

    explicit FieldFault(const model::Limits& limits = {}) : limits_(limits) {}

    // Applies to the fields that are read after the call.
    void tolerate(Tolerance tolerance) { tolerance_ = tolerance; }

    // "PATH: WHAT".
    void note(std::string_view path, std::string_view what);
    void note_missing(std::string_view path);  // "PATH is missing".
    void note_excess(std::string_view path, std::string_view what);

    [[nodiscard]] bool found() const { return !sentence_.empty(); }
    [[nodiscard]] const std::string& sentence() const { return sentence_; }
    [[nodiscard]] const std::string& excess() const { return excess_; }  // The first; empty: none.
    [[nodiscard]] std::vector<std::string> left_out() const;             // At most 16 sentences.
    [[nodiscard]] const model::Limits& limits() const { return limits_; }

private:
    friend class Field;

    // One step of a path: a key, or the position in a list when there is none.
    struct Step {
        std::size_t above;
        std::string_view key;
        std::size_t position;
    };
    static constexpr std::size_t root = static_cast<std::size_t>(-1);

    std::size_t below(std::size_t above, std::string_view key, std::size_t position);
    [[nodiscard]] std::string path_to(std::size_t place) const;
    void keep(std::string sentence);

    model::Limits limits_;
    Tolerance tolerance_ = Tolerance::none;
    std::string sentence_;
    std::string excess_;
    std::vector<std::string> left_out_;
    std::size_t omitted_ = 0;  // Faults beyond those in left_out_.
    std::vector<Step> steps_;
};

class Field {
public:
    // The root of an object; its path is empty.
    Field(const Value& object, FieldFault& fault);

    [[nodiscard]] bool exists() const { return !value_.is_null(); }  // Present, and not null.
    [[nodiscard]] const Value& value() const { return value_; }
    [[nodiscard]] std::string path() const { return fault_->path_to(place_); }
    [[nodiscard]] FieldFault& fault() const { return *fault_; }
    [[nodiscard]] const model::Limits& limits() const { return fault_->limits(); }

    // A member of this field, which must be an object if it exists. Requires: the key outlives the fault, as literals
    // and keys of the object do.
    [[nodiscard]] Field at(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const;
    // The entries of this field, which must be a list.
    [[nodiscard]] std::vector<Field> items(const Bound& bound = list_bound) const;
    // The members of this field, which must be an object, sorted by key.
    using Member = std::pair<std::string_view, Field>;
    [[nodiscard]] std::vector<Member> members(const Bound& bound = list_bound) const;

    // Members that are plain values.
    [[nodiscard]] std::string text(std::string_view key, const Bound& bound = word_bound) const;  // "" when absent.
    [[nodiscard]] std::string required_text(std::string_view key) const;  // Absent or "" is a fault.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t least,
                                                      std::int64_t most) const;
    // An integer from `least` up to the maximum of int32. Beyond the bound: a fault, and nullopt.
    [[nodiscard]] std::optional<std::int64_t> count(std::string_view key, std::int64_t least, const Bound& bound) const;
    [[nodiscard]] std::optional<std::int64_t> pods(std::string_view key, std::int64_t least) const;
    [[nodiscard]] std::optional<std::int64_t> groups(std::string_view key, std::int64_t least) const;
    [[nodiscard]] bool flag(std::string_view key, bool when_absent) const;
    [[nodiscard]] std::int64_t seconds(std::string_view key) const;         // RFC 3339; 0 when absent.
    [[nodiscard]] std::string text(const Bound& bound = word_bound) const;  // This field itself.
    [[nodiscard]] model::Labels texts() const;                              // This field, an object of strings.

    void wrong(std::string_view what) const { fault_->note(path(), what); }
    void wrong(std::string_view key, std::string_view what) const { fault_->note(path_of(key), what); }
    // The field, or this member of it, exceeds a bound.
    void excessive(std::string_view what) const { fault_->note_excess(path(), what); }
    void excessive(std::string_view key, std::string_view what) const { fault_->note_excess(path_of(key), what); }

private:
    Field(const Value& value, std::size_t place, FieldFault& fault);

    [[nodiscard]] Value find(std::string_view key) const;
    [[nodiscard]] std::string path_of(std::string_view key) const;

    Value value_;        // Null: absent.
    std::size_t place_;  // Path "spec.containers[0]"; a key with dots is in brackets: labels["a.b/c"].
    FieldFault* fault_;
};

// Identity and bookkeeping of an object.
struct Metadata {
    std::string ns;  // "" for kinds without namespace, else never empty.
    std::string name;
    std::string uid;  // May be empty in manifests written by hand.
    std::int64_t created = 0;
    std::int64_t generation = 0;
    bool deleting = false;
    Field labels;
    Field annotations;

    [[nodiscard]] std::string full_name() const { return ns.empty() ? name : ns + "/" + name; }
};

enum class Scope : std::uint8_t { cluster, namespaced };

// A namespaced object without a namespace is in "default".
[[nodiscard]] Metadata read_metadata(const Field& object, Scope scope);

// Seconds since 1970 of "2026-01-01T00:00:00Z", with any offset and fraction; nullopt: it isn't RFC 3339.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace echelon::kube
