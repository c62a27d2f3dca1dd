#include "kube/manifests.hpp"

#include "kube/found_object.hpp"
#include "kube/json/input_text.hpp"
#include "kube/json/json_documents.hpp"
#include "kube/json/yaml_documents.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using base::Result;
using nlohmann::json;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Where the next document starts: behind white space and lines of "---".
std::size_t behind_separators(std::string_view text, std::size_t from) {
    constexpr std::string_view white_space = " \t\r\n";
    while (true) {
        from = std::min(text.find_first_not_of(white_space, from), text.size());
        const std::string_view line = text.substr(from, text.find('\n', from) - from);
        if (!line.starts_with("---") || line.find_first_not_of(white_space, 3) != std::string_view::npos)
            return from;
        from += line.size();
    }
}

std::size_t line_feeds_in(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        ++count;
    return count;
}

// "v1beta2" as Kubernetes orders versions: stable, then beta, then alpha, then by number.
struct VersionOrder {
    int stability = 0;
    std::uint32_t major = 0;
    std::uint32_t minor = 0;

    explicit VersionOrder(std::string_view version) {
        const auto number = [&version] {
            std::uint32_t value = 0;
            const auto end = std::from_chars(version.data(), version.data() + version.size(), value).ptr;
            version.remove_prefix(static_cast<std::size_t>(end - version.data()));
            return value;
        };
        if (!version.starts_with('v'))
            return;
        version.remove_prefix(1);
        major = number();
        stability = version.empty() ? 3 : version.starts_with("beta") ? 2 : version.starts_with("alpha") ? 1 : 0;
        version.remove_prefix(stability == 2 ? 4 : stability == 1 ? 5 : 0);
        minor = number();
    }
    auto operator<=>(const VersionOrder&) const = default;
};

bool is_newer_version(std::string_view one, std::string_view other) {
    return VersionOrder(one) > VersionOrder(other);
}

// Collects the objects of all inputs, and resolves duplicates and priorities.
class Collector {
public:
    Collector(Keep keeps, const Reading& reading, std::size_t most_yaml = largest_yaml)
        : keep_(keeps), reading_(reading), most_yaml_(most_yaml) {}

    // Releases the memory of the text as it is read.
    Result<void> read(InputText& input, const std::string& source);
    Result<Manifests> finish();

private:
    // A pod without spec.priority, or without a preemption policy; the API server derives both from the class.
    struct Unresolved {
        std::size_t event;
        std::string priority_class;
        bool has_priority;
    };

    // The events and the text of one object, so that a newer API version of it can replace them.
    struct Kept {
        std::string uid;
        std::string version;
        std::size_t first_event = 0;
        std::size_t last_event = 0;
        std::optional<std::size_t> text = {};
        bool is_superseded = false;
    };

    Result<void> keep(std::vector<ManifestObject>& found);
    Result<void> keep(ManifestObject& object);
    // True for another API version of an earlier object (Z44). The newer one supersedes the older one.
    bool is_other_version(const ManifestObject& object);
    void append(ManifestObject& object);
    void erase_superseded();
    // The class of pods that name none; nullptr: there is none. Of several the least counts, as for the API server.
    [[nodiscard]] const model::PriorityClassSeen* default_class() const;
    // Requires: the place of the object is the last in `places_`. An error if an earlier object has the same identity.
    Result<void> note_place(std::string identity, std::string_view what, const ManifestObject& object);

    const Keep keep_;
    const Reading& reading_;
    const std::size_t most_yaml_;
    std::string source_;  // The name of the text that is being read.
    Manifests manifests_;
    std::set<std::string> skipped_;
    std::vector<std::string> places_;                        // The place of every object, in the order of the input.
    std::vector<Kept> kept_;                                 // Parallel to `places_`.
    std::unordered_map<std::string, std::size_t> place_of_;  // By kind and name, and by UID.
    std::vector<Unresolved> unresolved_;
    std::map<std::string, model::PriorityClassSeen> classes_{{"system-cluster-critical", {"", 2'000'000'000}},
                                                             {"system-node-critical", {"", 2'000'001'000}}};
};

Result<void> Collector::keep(std::vector<ManifestObject>& found) {
    for (ManifestObject& object : found) {
        if (Result<void> kept = keep(object); !kept)
            return kept;
    }
    return {};
}

Result<void> Collector::keep(ManifestObject& object) {
    if (object.fault)
        return std::unexpected(std::move(*object.fault));
    if (!object.skipped_kind.empty()) {
        skipped_.insert(std::move(object.skipped_kind));
        return {};
    }
    if (is_other_version(object)) {
        append(object);
        return {};
    }
    places_.push_back(source_ + ", " + object.place);
    kept_.push_back({.uid = object.uid, .version = object.version});
    if (Result<void> noted = note_place(object.identity, "", object); !noted)
        return noted;
    if (!object.uid.empty()) {
        if (Result<void> noted = note_place("uid " + object.uid, "the UID of ", object); !noted)
            return noted;
    }
    append(object);
    return {};
}

bool Collector::is_other_version(const ManifestObject& object) {
    const auto known = object.uid.empty() ? place_of_.end() : place_of_.find(object.identity);
    if (known == place_of_.end())
        return false;
    const Kept& earlier = kept_[known->second];
    if (earlier.uid != object.uid || earlier.version == object.version)
        return false;
    Kept later{.uid = object.uid, .version = object.version};
    if (is_newer_version(object.version, earlier.version)) {
        kept_[known->second].is_superseded = true;
        known->second = kept_.size();
        place_of_["uid " + object.uid] = kept_.size();
    } else {
        later.is_superseded = true;
    }
    places_.push_back(source_ + ", " + object.place);
    kept_.push_back(std::move(later));
    return true;
}

void Collector::append(ManifestObject& object) {
    Kept& kept = kept_.back();
    kept.first_event = manifests_.events.size();
    for (model::Event& event : object.events) {
        // A pod that is over and of no gang is an event without a pod.
        if (object.priority_class && std::holds_alternative<model::PodSeen>(event))
            unresolved_.push_back({manifests_.events.size(), *object.priority_class, object.has_priority});
        manifests_.events.push_back(std::move(event));
    }
    kept.last_event = manifests_.events.size();
    if (!object.text.empty()) {
        kept.text = manifests_.texts.size();
        manifests_.texts.push_back(std::move(object.text));
    }
}

void Collector::erase_superseded() {
    for (std::size_t index = kept_.size(); index-- > 0;) {
        const Kept& kept = kept_[index];
        if (!kept.is_superseded)
            continue;
        const auto at = [&](std::size_t event) {
            return manifests_.events.begin() + static_cast<std::ptrdiff_t>(event);
        };
        manifests_.events.erase(at(kept.first_event), at(kept.last_event));
        if (kept.text)
            manifests_.texts.erase(manifests_.texts.begin() + static_cast<std::ptrdiff_t>(*kept.text));
    }
}

Result<void> Collector::note_place(std::string identity, std::string_view what, const ManifestObject& object) {
    const auto [at, is_first] = place_of_.try_emplace(std::move(identity), places_.size() - 1);
    if (is_first)
        return {};
    return base::failure(fmt::format("{}: {}{} is also in {}", object.place, what, object.title, places_[at->second]));
}

const model::PriorityClassSeen* Collector::default_class() const {
    const model::PriorityClassSeen* least = nullptr;
    for (const auto& [name, known] : classes_) {
        if (known.is_default && (least == nullptr || known.value < least->value))
            least = &known;
    }
    return least;
}

Result<Manifests> Collector::finish() {
    for (const model::Event& event : manifests_.events) {
        if (const auto* seen = std::get_if<model::PriorityClassSeen>(&event))
            classes_[seen->name] = *seen;
    }
    const model::PriorityClassSeen* usual = default_class();
    for (const Unresolved& pod : unresolved_) {
        const std::string& name = pod.priority_class.empty() && usual != nullptr ? usual->name : pod.priority_class;
        const auto at = classes_.find(name);
        auto& seen = std::get<model::PodSeen>(manifests_.events[pod.event]).pod;
        if (at != classes_.end())
            seen.preempts = seen.preempts && at->second.preempts;
        if (pod.has_priority)
            continue;
        if (at == classes_.end()) {
            manifests_.priority_classes.emplace(seen.uid, name);
        } else {
            seen.priority = at->second.value;
        }
    }
    erase_superseded();
    manifests_.skipped_kinds.assign(skipped_.begin(), skipped_.end());
    return std::move(manifests_);
}

Result<void> Collector::read(InputText& input, const std::string& source) {
    source_ = source;
    const std::string_view text = input.text();
    std::size_t number = 1;
    std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    const std::size_t first = at;
    std::size_t counted = first;
    std::size_t lines = 0;
    // Counts lines for the YAML that may follow, before their memory is released.
    const auto passed = [&](std::size_t upto) {
        lines += line_feeds_in(text.substr(counted, upto - counted));
        counted = upto;
        input.give_back(upto);
    };
    const ReadObject read_object = [this, &source](const Value& object, const std::string& place) -> KeepObject {
        std::vector<ManifestObject> found;
        find_objects(object, source, place, found, keep_ == Keep::texts_too, reading_);
        return [this, found = std::move(found)]() mutable { return keep(found); };
    };
    for (std::size_t start = 0; looks_like_json(text.substr(start = behind_separators(text, at))); ++number) {
        const auto passed_in_document = [&](std::size_t offset) { passed(start + offset); };
        const Result<std::size_t> length =
            read_json_document(text.substr(start), number, read_object, passed_in_document);
        if (!length)
            return base::failure(fmt::format("{}, {}", source, length.error().sentence));
        at = start + *length;
        passed(at);
    }
    // What is left is YAML, often the whole text.
    if (text.size() - at > most_yaml_) {
        return base::failure(fmt::format("{}: larger than {} MB of YAML; give it as JSON", source, most_yaml_ >> 20U));
    }
    const TakeDocument take_document = [&](const json& document, std::size_t document_number) -> Result<void> {
        if (document.is_null())
            return {};  // An empty document.
        return read_object(document, fmt::format("document {}", document_number))();
    };
    const Result<void> taken = read_yaml_documents(text.substr(at), number, lines, take_document);
    return taken ? taken : base::failure(fmt::format("{}, {}", source, taken.error().sentence));
}

// The manifests in a directory, by name.
Result<std::vector<std::string>> files_in(const std::string& directory) {
    std::vector<std::string> out;
    std::error_code error;
    std::filesystem::directory_iterator at(directory, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        const std::string extension = at->path().extension().string();
        std::error_code unknown;
        if ((extension == ".yaml" || extension == ".yml" || extension == ".json") && !at->is_directory(unknown)) {
            out.push_back(at->path().string());
        }
    }
    if (error)
        return base::failure(fmt::format("{}: can't be read: {}", directory, error.message()));
    if (out.empty())
        return base::failure(fmt::format("{}: has no file *.yaml, *.yml or *.json", directory));
    std::ranges::sort(out);
    return out;
}

// The files that the paths stand for.
Result<std::vector<std::string>> expand(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    for (const std::string& path : paths) {
        std::error_code error;
        if (path == "-" || !std::filesystem::is_directory(path, error)) {
            if (path == "-" && std::ranges::find(out, path) != out.end()) {
                return base::failure("standard input: is named twice");
            }
            out.push_back(path);
            continue;
        }
        Result<std::vector<std::string>> files = files_in(path);
        if (!files)
            return files;
        out.insert(out.end(), files->begin(), files->end());
    }
    return out;
}

}  // namespace

Result<Manifests> read_manifests(const std::vector<std::string>& paths, Keep keep, const Reading& reading) {
    const Result<std::vector<std::string>> files = expand(paths);
    if (!files)
        return std::unexpected(files.error());
    Collector collector(keep, reading);
    for (const std::string& file : *files) {
        const std::string source = file == "-" ? "standard input" : file;
        Result<InputText> text = InputText::read(file, source);
        if (!text)
            return std::unexpected(text.error());
        if (const Result<void> read = collector.read(*text, source); !read)
            return std::unexpected(read.error());
    }
    return collector.finish();
}

Result<Manifests> read_manifest_text(std::string_view text, const std::string& source, Keep keep,
                                     const Reading& reading, std::size_t most_yaml) {
    InputText input(text);
    Collector collector(keep, reading, most_yaml);
    if (const Result<void> read = collector.read(input, source); !read)
        return std::unexpected(read.error());
    return collector.finish();
}

}  // namespace echelon::kube
