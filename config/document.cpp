#include "config/document.hpp"

#include "yaml/yaml_events.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

namespace echelon::config {

namespace {

constexpr std::size_t deepest = 16;  // The schema needs 4.
constexpr std::size_t longest_shown = 80;

Value::Kind kind_of_plain(std::string_view text) {
    switch (yaml::plain_scalar(text)) {
        case yaml::Scalar::null:
            return Value::Kind::null;
        case yaml::Scalar::boolean:
            return Value::Kind::boolean;
        case yaml::Scalar::integer:
        case yaml::Scalar::real:
        case yaml::Scalar::infinite:
            return Value::Kind::number;
        case yaml::Scalar::text:
            break;
    }
    return Value::Kind::text;
}

// The parser's message may contain text of the file.
std::string on_one_line(std::string_view text) {
    const std::string quoted = shown(text);
    return quoted.substr(1, quoted.size() - 2);
}

// Builds the tree of the first document.
class Builder : public YAML::EventHandler {
public:
    // `lines`: the number of lines. A fault at the end of the text is reported on the last line.
    Builder(std::vector<Fault>& faults, int lines) : faults_(faults), lines_(lines) {}

    [[nodiscard]] Value take() { return std::move(root_); }
    [[nodiscard]] int documents() const { return documents_; }
    [[nodiscard]] bool is_hopeless() const { return hopeless_; }
    [[nodiscard]] int line_of(const YAML::Mark& mark) const { return std::clamp(mark.line + 1, 1, lines_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ == 2)
            complain(line_of(mark), "", "a second document; one is expected");
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { scalar(mark, "?", ""); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        if (is_ignored())
            return;
        give_up(line_of(mark), path(), "aliases aren't supported");
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
        scalar(mark, tag, value);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open(mark, Value::Kind::list);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        open(mark, Value::Kind::map);
    }
    void OnMapEnd() override { close(); }

    void complain(int line, std::string place, std::string what) {
        faults_.push_back({.line = line, .path = std::move(place), .what = std::move(what)});
    }
    void give_up(int line, std::string place, std::string what) {
        if (!hopeless_)
            complain(line, std::move(place), std::move(what));
        hopeless_ = true;
    }

private:
    struct Open {
        Value value;
        std::optional<std::string> key;  // In a map: the key whose value comes next.
        int key_line = 1;
        std::map<std::string, int> lines;  // In a map: key -> line where it first occurs.
        bool repeated = false;             // The key is a repetition, and its value is ignored.
    };

    // Only the first document counts, and only up to a fault that makes the rest unreadable.
    [[nodiscard]] bool is_ignored() const { return hopeless_ || documents_ > 1; }
    [[nodiscard]] bool wants_key() const {
        return !open_.empty() && open_.back().value.kind == Value::Kind::map && !open_.back().key;
    }
    [[nodiscard]] std::string path() const;
    void scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text);
    void open(const YAML::Mark& mark, Value::Kind kind);
    void close();
    void add(Value value);
    void take_key(const YAML::Mark& mark, const std::string& key);

    std::vector<Fault>& faults_;
    const int lines_;
    Value root_;
    std::vector<Open> open_;
    int documents_ = 0;
    bool hopeless_ = false;
};

std::string Builder::path() const {
    std::string out;
    for (const Open& outer : open_) {
        if (outer.value.kind == Value::Kind::list) {
            out += fmt::format("[{}]", outer.value.items.size());
        } else if (outer.key) {
            out = path_of(out, *outer.key);
        }
    }
    return out;
}

void Builder::scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
    if (is_ignored())
        return;
    if (wants_key())
        return take_key(mark, text);
    Value value;
    value.line = line_of(mark);
    value.text = text;
    value.kind = tag.empty() || tag == "?" ? kind_of_plain(text) : Value::Kind::text;
    if (!tag.empty() && tag != "?" && tag != "!") {
        complain(value.line, path(), fmt::format("the tag {} isn't supported", shown(tag)));
    }
    add(std::move(value));
}

void Builder::open(const YAML::Mark& mark, Value::Kind kind) {
    if (is_ignored())
        return;
    if (wants_key())
        return give_up(line_of(mark), path(), "a key must be a plain value");
    if (open_.size() >= deepest)
        return give_up(line_of(mark), path(), fmt::format("nested deeper than {}", deepest));
    open_.emplace_back().value.kind = kind;
    open_.back().value.line = line_of(mark);
}

void Builder::close() {
    if (is_ignored())
        return;
    Value done = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(done));
}

void Builder::take_key(const YAML::Mark& mark, const std::string& key) {
    Open& map = open_.back();
    map.key = key;
    map.key_line = line_of(mark);
    const auto [first, is_new] = map.lines.emplace(key, map.key_line);
    map.repeated = !is_new;
    if (map.repeated) {
        complain(map.key_line, path(), fmt::format("is given twice, first on line {}", first->second));
    }
}

void Builder::add(Value value) {
    if (open_.empty()) {
        root_ = std::move(value);
        return;
    }
    Open& outer = open_.back();
    if (outer.value.kind == Value::Kind::list) {
        outer.value.items.push_back(std::move(value));
        return;
    }
    value.line = outer.key_line;
    std::string key = *std::exchange(outer.key, std::nullopt);
    if (!outer.repeated)
        outer.value.entries.push_back({std::move(key), std::move(value)});
}

}  // namespace

std::string shown(std::string_view text) {
    std::size_t end = std::min(text.size(), longest_shown);
    // Not inside a character of several bytes.
    while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    std::string out = "\"";
    for (char c : text.substr(0, end)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
    }
    return out + (end < text.size() ? "...\"" : "\"");
}

std::string shown(const Value& value) {
    switch (value.kind) {
        case Value::Kind::null:
            return "nothing";
        case Value::Kind::boolean:
        case Value::Kind::number:
            return value.text.size() > longest_shown ? "a number" : value.text;
        case Value::Kind::text:
            return shown(std::string_view(value.text));
        case Value::Kind::list:
            return "a list";
        case Value::Kind::map:
            return "a map";
    }
    return {};
}

std::string path_of(std::string_view parent, std::string_view key) {
    const bool plain = key.find_first_of(".[] \"\\") == std::string_view::npos && !key.empty() && key.size() <= 80 &&
                       std::ranges::none_of(key, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
    if (!plain)
        return fmt::format("{}[{}]", parent, shown(key));
    return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

Value read_document(std::string_view yaml, std::vector<Fault>& faults) {
    Builder builder(faults, 1 + static_cast<int>(std::ranges::count(yaml, '\n')));
    const auto is_first = [&builder] { return !builder.is_hopeless() && builder.documents() < 2; };
    if (const auto fault = yaml::parse(yaml, builder, is_first)) {
        builder.give_up(builder.line_of(fault->mark), "",
                        fmt::format("{}: {}", fault->what, on_one_line(fault->cause)));
    }
    return builder.is_hopeless() ? Value{} : builder.take();
}

}  // namespace echelon::config
