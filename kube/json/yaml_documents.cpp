#include "kube/json/yaml_documents.hpp"

#include "base/whole_number.hpp"
#include "kube/json/quoted_text.hpp"
#include "yaml/yaml_events.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

namespace echelon::kube {

namespace {

using nlohmann::json;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

// Nullopt if it doesn't fit 64 bits. Requires: an integer by the core schema.
std::optional<json> integer_of(std::string_view text) {
    int radix = 10;
    if (text.starts_with("0x") || text.starts_with("0o")) {
        radix = text[1] == 'x' ? 16 : 8;
        text.remove_prefix(2);
    } else if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (const auto value = base::whole_number<std::int64_t>(text, radix))
        return *value;
    if (const auto large = base::whole_number<std::uint64_t>(text, radix))
        return *large;
    return std::nullopt;
}

// Nullopt if it is beyond a double, or not decimal.
std::optional<json> real_of(std::string_view text) {
    double value = 0;
    const std::size_t sign = text.starts_with('+') ? 1 : 0;
    const char* const end = text.data() + text.size();
    const auto r = std::from_chars(text.data() + sign, end, value);
    return r.ec == std::errc{} && r.ptr == end && std::isfinite(value) ? std::optional<json>(value) : std::nullopt;
}

// A plain scalar by the core schema. Values that JSON doesn't have (.inf, .nan, numbers beyond a double) stay strings.
json core_value(const std::string& text) {
    switch (yaml::plain_scalar(text)) {
        case yaml::Scalar::null:
            return nullptr;
        case yaml::Scalar::boolean:
            return text.front() == 't' || text.front() == 'T';
        case yaml::Scalar::integer:
            if (auto integer = integer_of(text))
                return *std::move(integer);
            return real_of(text).value_or(json(text));
        case yaml::Scalar::real:
            return real_of(text).value_or(json(text));
        case yaml::Scalar::infinite:
        case yaml::Scalar::text:
            break;
    }
    return text;
}

// Builds one document from the parser's events. After the first fault the rest is ignored.
class Builder : public YAML::EventHandler {
public:
    [[nodiscard]] const std::string& fault() const { return fault_; }
    [[nodiscard]] json take_document() { return std::move(document_); }
    // `offset`: lines of the file before the text. `count`: lines of the text. A fault behind the end of the text is
    // reported on the last line.
    void set_lines(std::size_t offset, std::size_t count) {
        line_offset_ = offset;
        lines_ = count;
    }
    void complain_at(const YAML::Mark& mark, std::string_view what) {
        if (!fault_.empty())
            return;
        const std::size_t line = line_offset_ + std::min(static_cast<std::size_t>(std::max(mark.line, 0)) + 1, lines_);
        const std::string place = path();
        fault_ =
            place.empty() ? fmt::format("line {}: {}", line, what) : fmt::format("line {}: {}: {}", line, place, what);
    }

    // Where a comma begins a document, yaml-cpp reports empty documents at the same place for ever.
    void OnDocumentStart(const YAML::Mark& mark) override {
        if (std::exchange(began_at_, mark.pos) == mark.pos)
            complain_at(mark, "isn't valid YAML: a value can't begin here");
        document_ = nullptr;
        open_.clear();
        anchors_.clear();
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        OnScalar(mark, "?", anchor, "null");  // A key that is null is "null", too.
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, "tag:yaml.org,2002:seq", anchor, json::array());
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, "tag:yaml.org,2002:map", anchor, json::object());
    }
    void OnMapEnd() override { close(); }

private:
    // What an alias to a value adds: bytes, and levels of nesting.
    struct Size {
        std::size_t bytes = 0;
        std::size_t height = 0;
    };
    struct Open {
        json value;
        std::optional<std::string> key;  // In an object: the key whose value comes next.
        YAML::anchor_t anchor = 0;
        Size size;
    };
    struct Anchored {
        json value;
        Size size;
    };

    void open(const YAML::Mark& mark, const std::string& tag, std::string_view own_tag, YAML::anchor_t anchor,
              json empty);
    void close();
    // Puts a finished value where it belongs.
    void add(json value, Size size);
    void take_key(const YAML::Mark& mark, const std::string& key);
    [[nodiscard]] bool wants_key() const {
        return !open_.empty() && open_.back().value.is_object() && !open_.back().key;
    }
    [[nodiscard]] std::string path() const;

    static constexpr std::size_t bytes_of_node = 64;  // About what a JSON value costs besides its text.

    json document_;
    int began_at_ = -1;  // Where in the text.
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Anchored> anchors_;
    std::size_t expanded_bytes_ = 0;  // Bytes that aliases have added to all documents.
    std::size_t line_offset_ = 0;
    std::size_t lines_ = 0;
    std::string fault_;
};

std::string Builder::path() const {
    std::string out;
    for (const Open& outer : open_) {
        if (outer.value.is_array()) {
            out += fmt::format("[{}]", outer.value.size());
        } else if (outer.key) {
            if (!out.empty())
                out += '.';
            out += *outer.key;
        }
    }
    if (out.size() > 300)
        out = out.substr(0, 300) + "...";
    return shown_bare(out);
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
    if (!fault_.empty())
        return;
    if (wants_key())
        return take_key(mark, value);
    json out;
    if (tag == "!" || tag == "tag:yaml.org,2002:str" || tag == "tag:yaml.org,2002:binary") {
        out = value;
    } else if (tag.empty() || tag == "?" ||
               is_one_of(tag, {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool",
                               "tag:yaml.org,2002:null"})) {
        out = core_value(value);
    } else {
        return complain_at(mark, fmt::format("the tag {} isn't supported", shown(tag)));
    }
    const Size size{.bytes = bytes_of_node + value.size(), .height = 0};
    if (anchor != 0)
        anchors_[anchor] = {out, size};
    add(std::move(out), size);
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (!fault_.empty())
        return;
    if (wants_key())
        return complain_at(mark, "a key must not be an alias");
    const auto at = anchors_.find(anchor);
    if (at == anchors_.end())
        return complain_at(mark, "an alias must not be inside its anchor");
    expanded_bytes_ += at->second.size.bytes;
    if (expanded_bytes_ > most_expanded_bytes)
        return complain_at(mark, "aliases expand to more than 32 MB");
    if (open_.size() + at->second.size.height > deepest_document) {
        return complain_at(mark, fmt::format("nested deeper than {}", deepest_document));
    }
    add(at->second.value, at->second.size);
}

void Builder::open(const YAML::Mark& mark, const std::string& tag, std::string_view own_tag, YAML::anchor_t anchor,
                   json empty) {
    if (!fault_.empty())
        return;
    if (wants_key())
        return complain_at(mark, "a key must be a plain value");
    if (!tag.empty() && tag != "?" && tag != "!" && tag != own_tag) {
        return complain_at(mark, fmt::format("the tag {} isn't supported", shown(tag)));
    }
    if (open_.size() >= deepest_document)
        return complain_at(mark, fmt::format("nested deeper than {}", deepest_document));
    open_.push_back({.value = std::move(empty), .key = {}, .anchor = anchor, .size = {bytes_of_node, 1}});
}

void Builder::close() {
    if (!fault_.empty())
        return;
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0)
        anchors_[done.anchor] = {done.value, done.size};
    add(std::move(done.value), done.size);
}

void Builder::take_key(const YAML::Mark& mark, const std::string& key) {
    Open& object = open_.back();
    object.key = key;
    if (key == "<<")
        return complain_at(mark, "merge keys aren't supported");
    if (object.value.contains(key))
        return complain_at(mark, "the key is given twice");
    object.size.bytes += key.size();
}

void Builder::add(json value, Size size) {
    if (open_.empty()) {
        document_ = std::move(value);
        return;
    }
    Open& parent = open_.back();
    parent.size.bytes += size.bytes;
    parent.size.height = std::max(parent.size.height, size.height + 1);
    if (parent.value.is_array()) {
        parent.value.push_back(std::move(value));
    } else {
        parent.value.emplace(*std::exchange(parent.key, std::nullopt), std::move(value));
    }
}

}  // namespace

base::Result<void> read_yaml_documents(std::string_view text, std::size_t first, std::size_t line_offset,
                                       const TakeDocument& take) {
    Builder builder;
    builder.set_lines(line_offset, 1 + static_cast<std::size_t>(std::ranges::count(text, '\n')));
    std::size_t number = first;
    base::Result<void> taken;
    const auto fault = yaml::parse(text, builder, [&] {
        if (!builder.fault().empty())
            return false;
        taken = take(builder.take_document(), number);
        number += taken ? 1U : 0U;
        return taken.has_value();
    });
    if (!taken)
        return taken;
    // A fault found before the syntax broke is the better explanation.
    if (fault)
        builder.complain_at(fault->mark, fmt::format("{}: {}", fault->what, shown_bare(fault->cause)));
    if (builder.fault().empty())
        return {};
    return base::failure(fmt::format("document {}: {}", number, builder.fault()));
}

}  // namespace echelon::kube
