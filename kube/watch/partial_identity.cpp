#include "kube/watch/partial_identity.hpp"

#include "base/utf8.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

// Names have at most 253 characters; versions and UIDs are shorter.
constexpr std::size_t longest_text = 256;

// Collects the strings of `metadata`, and skips everything else at any depth.
class PartialIdentityReader : public nlohmann::json_sax<nlohmann::json> {
public:
    PartialIdentityReader(PartialIdentity& found, bool is_event) : found_(found), metadata_depth_(is_event ? 3 : 2) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool string(string_t& value) override {
        if (std::string* wanted = wanted_at_present(); wanted != nullptr && value.size() <= longest_text)
            *wanted = value;
        return true;
    }
    bool key(string_t& value) override {
        if (depth_ < path_.size())
            path_.at(depth_) = value.substr(0, longest_text);
        return true;
    }
    bool start_object(std::size_t) override { return open("{"); }
    bool start_array(std::size_t) override { return open("["); }
    bool end_array() override { return close(); }
    bool end_object() override { return close(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    // "[" keeps the path from matching inside a list.
    bool open(std::string_view bracket) {
        ++depth_;
        if (depth_ < path_.size())
            path_.at(depth_) = bracket == "[" ? "[" : "";
        return true;
    }
    // False ends the parsing: the metadata are complete, and so is the type of an event.
    bool close() {
        const bool was_metadata = is_in_metadata();
        --depth_;
        return !was_metadata || (metadata_depth_ == 3 && found_.type.empty());
    }
    [[nodiscard]] bool is_in_metadata() const {
        if (depth_ != metadata_depth_ || path_.at(metadata_depth_ - 1) != "metadata")
            return false;
        return metadata_depth_ == 2 || path_.at(1) == "object";
    }
    [[nodiscard]] std::string* wanted_at_present() {
        if (metadata_depth_ == 3 && depth_ == 1 && path_.at(1) == "type")
            return &found_.type;
        if (!is_in_metadata())
            return nullptr;
        const std::string& key = path_.at(depth_);
        if (key == "name")
            return &found_.name;
        if (key == "namespace")
            return &found_.ns;
        if (key == "uid")
            return &found_.uid;
        return key == "resourceVersion" ? &found_.version : nullptr;
    }

    PartialIdentity& found_;
    const std::size_t metadata_depth_;
    std::size_t depth_ = 0;              // Open braces and brackets.
    std::array<std::string, 4> path_{};  // By depth: the last key there.
};

PartialIdentity identity_in_text(std::string_view text, bool is_event) {
    PartialIdentity found;
    PartialIdentityReader reader(found, is_event);
    const std::string readable = base::as_utf8(text);
    nlohmann::json::sax_parse(readable, &reader, nlohmann::json::input_format_t::json, false);
    return found;
}

}  // namespace

PartialIdentity identity_of_object(std::string_view text) {
    return identity_in_text(text, false);
}

PartialIdentity identity_of_event(std::string_view text) {
    return identity_in_text(text, true);
}

}  // namespace echelon::kube
