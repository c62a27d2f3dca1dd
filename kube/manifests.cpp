#include "kube/manifests.hpp"

#include "kube/decode.hpp"
#include "kube/json_documents.hpp"
#include "kube/shown.hpp"
#include "kube/yaml_documents.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

namespace {

using model::Result;
using nlohmann::json;

constexpr std::size_t largest_input = 1UL << 30U;
constexpr std::size_t largest_yaml = 64UL << 20U;

std::string text_of(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string group_of(const std::string& api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string::npos ? std::string() : api_version.substr(0, slash);
}

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

// Collects the objects of all inputs.
class Collector {
public:
    // Requires: simdjson's padding behind the end of `text` may be read.
    Result<void> read(std::string_view text, const std::string& source);
    Result<Manifests> finish();

private:
    // A pod whose priority follows from its class, as the API server would fill it in.
    struct Unresolved {
        std::size_t event;
        std::string priority_class;
    };

    Result<void> take(json object, const std::string& place);
    Result<void> take_nested(json& list, const std::string& place);
    Result<void> keep(const json& object, const std::string& place);
    void note_priority(const json& object, std::size_t event);

    // An error if an earlier object has this identity, too.
    Result<void> note_place(const std::string& identity, const std::string& title, const std::string& place);

    std::string source_;  // Of the text that is being read.
    Manifests manifests_;
    std::set<std::string> skipped_;
    std::map<std::string, std::string> places_;  // Of every object, by kind and name, and by UID.
    std::vector<Unresolved> unresolved_;
    std::map<std::string, std::int64_t> priorities_{{"system-cluster-critical", 2'000'000'000},
                                                    {"system-node-critical", 2'000'001'000}};
    std::optional<std::string> default_class_;
};

Result<void> Collector::take(json object, const std::string& place) {
    if (!object.is_object())
        return model::failure(fmt::format("{}: must be an object, not {}", place, shown(object)));
    for (const char* key : {"apiVersion", "kind"}) {
        const auto at = object.find(key);
        if (at == object.end() || at->is_null() || *at == "") {
            return model::failure(fmt::format("{}: {} is missing", place, key));
        }
        if (!at->is_string()) {
            return model::failure(fmt::format("{}: {}: must be a string, not {}", place, key, shown(*at)));
        }
    }
    const std::string kind = text_of(object, "kind");
    const std::string api_version = text_of(object, "apiVersion");
    if (is_known_kind(api_version, kind))
        return keep(object, place);
    if (is_list_kind(kind) && object.contains("items"))
        return take_nested(object, place);
    const std::string group = group_of(api_version);
    const std::string skipped = shown(group.empty() ? kind : kind + "." + group);
    skipped_.insert(skipped.substr(1, skipped.size() - 2));
    return {};
}

// Documents are at most 64 deep, and so is this recursion.
Result<void> Collector::take_nested(json& list, const std::string& place) {
    json& items = list["items"];
    if (items.is_null())
        return {};
    if (!items.is_array())
        return model::failure(fmt::format("{}: items: must be a list, not {}", place, shown(items)));
    std::size_t index = 0;
    for (json& item : items) {
        complete_item(item, text_of(list, "apiVersion"), text_of(list, "kind"));
        const std::string item_place = fmt::format("{}, items[{}]", place, index++);
        if (Result<void> taken = take(std::move(item), item_place); !taken)
            return taken;
    }
    return {};
}

Result<void> Collector::keep(const json& object, const std::string& place) {
    Result<std::vector<model::Event>> events = decode(object, Change::seen);
    if (!events)
        return model::failure(fmt::format("{}: {}", place, events.error().sentence));

    const json& metadata = object.at("metadata");
    const std::string kind = text_of(object, "kind");
    const std::string name = text_of(metadata, "name");
    std::string ns = text_of(metadata, "namespace");
    if (ns.empty())
        ns = "default";
    const std::string title = fmt::format("{} {}", kind, name);
    const std::string identity = fmt::format("{}.{} {}/{}", kind, group_of(text_of(object, "apiVersion")), ns, name);
    if (Result<void> noted = note_place(identity, title, place); !noted)
        return noted;
    if (const std::string uid = text_of(metadata, "uid"); !uid.empty()) {
        if (Result<void> noted = note_place("uid " + uid, "the UID of " + title, place); !noted)
            return noted;
    }
    for (model::Event& event : *events) {
        note_priority(object, manifests_.events.size());
        manifests_.events.push_back(std::move(event));
    }
    if (kind == "PriorityClass") {
        const auto global = object.find("globalDefault");
        if (global != object.end() && *global == true)
            default_class_ = name;
    }
    return {};
}

Result<void> Collector::note_place(const std::string& identity, const std::string& title, const std::string& place) {
    const auto [at, first] = places_.emplace(identity, source_ + ", " + place);
    if (first)
        return {};
    return model::failure(fmt::format("{}: {} is also in {}", place, title, at->second));
}

void Collector::note_priority(const json& object, std::size_t event) {
    if (text_of(object, "kind") != "Pod")
        return;
    const auto spec = object.find("spec");
    const bool has_spec = spec != object.end() && spec->is_object();
    if (has_spec && spec->contains("priority") && !spec->at("priority").is_null())
        return;
    unresolved_.push_back({event, has_spec ? text_of(*spec, "priorityClassName") : std::string()});
}

Result<Manifests> Collector::finish() {
    for (const model::Event& event : manifests_.events) {
        if (const auto* seen = std::get_if<model::PriorityClassSeen>(&event))
            priorities_[seen->name] = seen->value;
    }
    for (const Unresolved& pod : unresolved_) {
        const std::string& name = pod.priority_class.empty() && default_class_ ? *default_class_ : pod.priority_class;
        const auto at = priorities_.find(name);
        if (at == priorities_.end())
            continue;
        std::get<model::PodSeen>(manifests_.events[pod.event]).pod.priority = at->second;
    }
    manifests_.skipped_kinds.assign(skipped_.begin(), skipped_.end());
    return std::move(manifests_);
}

Result<void> Collector::read(std::string_view text, const std::string& source) {
    source_ = source;
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    std::size_t number = 1;
    std::size_t at = 0;
    for (std::size_t start = 0; looks_like_json(text.substr(start = behind_separators(text, at))); ++number) {
        const TakeObject take_object = [&](json object, const std::string& place) {
            return take(std::move(object), place);
        };
        const Result<std::size_t> length = read_json_document(text.substr(start), number, take_object);
        if (!length)
            return model::failure(fmt::format("{}, {}", source, length.error().sentence));
        at = start + *length;
    }
    // What is left is YAML, often the whole text.
    if (text.size() - at > largest_yaml) {
        return model::failure(fmt::format("{}: larger than 64 MB of YAML; give it as JSON", source));
    }
    const auto lines = static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
    const TakeDocument take_document = [&](json document, std::size_t document_number) -> Result<void> {
        if (document.is_null())
            return {};  // An empty document.
        return take(std::move(document), fmt::format("document {}", document_number));
    };
    const Result<void> taken = read_yaml_documents(text.substr(at), number, lines, take_document);
    return taken ? taken : model::failure(fmt::format("{}, {}", source, taken.error().sentence));
}

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdin)
            std::fclose(file);
    }
};

// Reads to the end, whatever kind of file it is, with simdjson's padding reserved behind the text.
Result<std::string> slurp(const std::string& path, const std::string& source) {
    const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    const auto unreadable = [&] {
        return model::failure(fmt::format("{}: can't be read: {}", source, std::strerror(errno)));
    };
    if (!file)
        return unreadable();
    std::string text;
    std::array<char, 1U << 16U> part{};
    while (const std::size_t got = std::fread(part.data(), 1, part.size(), file.get())) {
        if (text.size() + got > largest_input)
            return model::failure(fmt::format("{}: larger than 1 GB", source));
        text.append(part.data(), got);
    }
    if (std::ferror(file.get()) != 0)
        return unreadable();
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    return text;
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
        return model::failure(fmt::format("{}: can't be read: {}", directory, error.message()));
    if (out.empty())
        return model::failure(fmt::format("{}: has no file *.yaml, *.yml or *.json", directory));
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
                return model::failure("standard input: is named twice");
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

Result<Manifests> read_manifests(const std::vector<std::string>& paths) {
    const Result<std::vector<std::string>> files = expand(paths);
    if (!files)
        return std::unexpected(files.error());
    Collector collector;
    for (const std::string& file : *files) {
        const std::string source = file == "-" ? "standard input" : file;
        const Result<std::string> text = slurp(file, source);
        if (!text)
            return std::unexpected(text.error());
        if (const Result<void> read = collector.read(*text, source); !read)
            return std::unexpected(read.error());
    }
    return collector.finish();
}

Result<Manifests> read_manifest_text(std::string_view text, const std::string& source) {
    std::string padded(text);
    padded.reserve(padded.size() + simdjson::SIMDJSON_PADDING);
    Collector collector;
    if (const Result<void> read = collector.read(padded, source); !read)
        return std::unexpected(read.error());
    return collector.finish();
}

}  // namespace echelon::kube
