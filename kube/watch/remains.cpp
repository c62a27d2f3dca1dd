#include "kube/watch/remains.hpp"

#include "kube/json/utf8_text.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

// A name of Kubernetes has at most 253 characters; a version or a UID is shorter.
constexpr std::size_t longest_text = 256;

// Follows the path to the texts that are wanted, whatever stands beside it and however deep.
class RemainsReader : public nlohmann::json_sax<nlohmann::json> {
public:
    RemainsReader(Remains& found, bool is_event) : found_(found), metadata_depth_(is_event ? 3 : 2) {}

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
    // A list has no keys: what stands in it is on no path.
    bool open(std::string_view bracket) {
        ++depth_;
        if (depth_ < path_.size())
            path_.at(depth_) = bracket == "[" ? "[" : "";
        return true;
    }
    // False behind the metadata: nothing more is wanted, unless the type comes last.
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

    Remains& found_;
    const std::size_t metadata_depth_;
    std::size_t depth_ = 0;              // Open braces and brackets.
    std::array<std::string, 4> path_{};  // By depth: the last key there.
};

Remains remains_in(std::string_view text, bool is_event) {
    Remains found;
    RemainsReader reader(found, is_event);
    const std::string readable = as_utf8(text);
    nlohmann::json::sax_parse(readable, &reader, nlohmann::json::input_format_t::json, false);
    return found;
}

}  // namespace

Remains remains_of_object(std::string_view text) {
    return remains_in(text, false);
}

Remains remains_of_event(std::string_view text) {
    return remains_in(text, true);
}

}  // namespace echelon::kube
