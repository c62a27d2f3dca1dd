#pragma once

// How is one map of the configuration file read? Private to config/.
//
// Not thread-safe.

#include "config/document.hpp"
#include "config/scalars.hpp"
#include "config/settings.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::config {

using Faults = std::vector<Fault>;

// A map of the file with its known keys. An absent or wrong value leaves the default; a wrong one and an unknown key
// are faults.
class Section {
public:
    Section(const Value& value, std::string path, std::initializer_list<std::string_view> known, Faults& faults)
        : value_(value), path_(std::move(path)), faults_(faults) {
        if (value.kind != Value::Kind::map) {
            faults_.push_back({value.line, path_, fmt::format("must be a map, not {}", shown(value))});
            return;
        }
        for (const Value::Entry& entry : value.entries) {
            if (std::ranges::find(known, entry.key) == known.end())
                complain(entry, "isn't a known key");
        }
    }

    [[nodiscard]] const Value::Entry* find(std::string_view key) const {
        const auto at = std::ranges::find(value_.entries, key, &Value::Entry::key);
        return at == value_.entries.end() ? nullptr : &*at;
    }
    // A required key. The fault of a missing one has the line of the map.
    const Value::Entry* require(std::string_view key) {
        const Value::Entry* entry = find(key);
        if (entry == nullptr && value_.kind == Value::Kind::map) {
            faults_.push_back({value_.line, path_of(key), "is missing"});
        }
        return entry;
    }
    void complain(const Value::Entry& entry, std::string what) {
        faults_.push_back({entry.value.line, path_of(entry.key), std::move(what)});
    }
    [[nodiscard]] std::string path_of(std::string_view key) const { return config::path_of(path_, key); }

    // True if the entry exists and has this kind; another kind is a fault. `named`: the kind in the sentence.
    bool is(const Value::Entry* entry, Value::Kind kind, std::string_view named) {
        if (entry == nullptr)
            return false;
        if (entry->value.kind == kind)
            return true;
        complain(*entry, fmt::format("must be {}, not {}", named, shown(entry->value)));
        return false;
    }

    void read_text(const Value::Entry* entry, std::string& out) {
        if (!is(entry, Value::Kind::text, "a string"))
            return;
        if (entry->value.text.empty())
            return complain(*entry, "must not be empty");
        out = entry->value.text;
    }
    void read_word(std::string_view key, std::initializer_list<std::string_view> words, std::string& out) {
        const Value::Entry* entry = find(key);
        const std::string named = fmt::format("{}", fmt::join(words, ", "));
        if (!is(entry, Value::Kind::text, fmt::format("one of {}", named)))
            return;
        if (std::ranges::find(words, entry->value.text) == words.end())
            return complain(*entry, fmt::format("must be one of {}, not {}", named, shown(entry->value)));
        out = entry->value.text;
    }
    void read_flag(std::string_view key, bool& out) {
        const Value::Entry* entry = find(key);
        if (entry == nullptr)
            return;
        const bool known = entry->value.text == "true" || entry->value.text == "false";
        if (entry->value.kind != Value::Kind::boolean || !known) {
            return complain(*entry, fmt::format("must be true or false, not {}", shown(entry->value)));
        }
        out = entry->value.text == "true";
    }
    void read_rate(std::string_view key, double& out, bool whole) {
        const Value::Entry* entry = find(key);
        if (!is(entry, Value::Kind::number, "a number"))
            return;
        const std::string& text = entry->value.text;
        const char* end = text.data() + text.size();
        double value = 0;
        const auto read = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
        if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value) || value <= 0) {
            return complain(*entry, fmt::format("must be a number above 0, not {}", shown(entry->value)));
        }
        if (whole && value != std::floor(value)) {
            return complain(*entry, fmt::format("must be a whole number, not {}", shown(entry->value)));
        }
        out = value;
    }
    void read_duration(std::string_view key, std::chrono::milliseconds& out) {
        const Value::Entry* entry = find(key);
        if (!is(entry, Value::Kind::text, "a duration like \"1m30s\" or \"50ms\""))
            return;
        const auto duration = parse_duration(entry->value.text);
        if (!duration)
            return complain(*entry, duration.error());
        out = *duration;
    }
    void read_texts(std::string_view key, std::vector<std::string>& out) {
        const Value::Entry* entry = find(key);
        if (!is(entry, Value::Kind::list, "a list"))
            return;
        for (std::size_t i = 0; i < entry->value.items.size(); ++i) {
            const Value& item = entry->value.items[i];
            if (item.kind == Value::Kind::text && !item.text.empty()) {
                out.push_back(item.text);
            } else {
                faults_.push_back({item.line, fmt::format("{}[{}]", path_of(key), i),
                                   fmt::format("must be a string, not {}", shown(item))});
            }
        }
    }

private:
    const Value& value_;
    std::string path_;
    Faults& faults_;
};

}  // namespace echelon::config
