#include "kube/client/discovery.hpp"

#include "kube/json/splitter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using nlohmann::json;

// The strings under `key` in the objects of the list `list`.
base::Result<std::vector<std::string>> texts_in(std::string_view document, const char* list, const char* key) {
    const base::Result<json> parsed = parse_object(document);
    if (!parsed)
        return base::failure(parsed.error().sentence);
    const auto elements = parsed->find(list);
    if (elements == parsed->end() || !elements->is_array())
        return base::failure(fmt::format("has no list {}", list));
    std::vector<std::string> texts;
    for (const json& element : *elements) {
        if (!element.is_object())
            continue;
        if (const auto value = element.find(key); value != element.end() && value->is_string())
            texts.push_back(value->get<std::string>());
    }
    return texts;
}

Discovery failed(const std::string& path, const HttpAnswer& answer, const std::string& sentence) {
    Discovery found;
    if (answer.ending == HttpAnswer::Ending::complete && answer.status == 403)
        found.kind = Discovery::Kind::forbidden;
    found.sentence = answer.ending != HttpAnswer::Ending::complete ? fmt::format("discovery: {}", answer.sentence)
                     : answer.status != 200 ? fmt::format("discovery: {} was answered with {}", path, answer.status)
                                            : fmt::format("discovery: the answer to {} {}", path, sentence);
    found.retry_after = answer.retry_after;
    found.is_broken = answer.ending == HttpAnswer::Ending::complete && (answer.status >= 500 || answer.status == 200);
    return found;
}

bool is_unserved(const HttpAnswer& answer) {
    return answer.ending == HttpAnswer::Ending::complete && answer.status == 404;
}

// The served versions: first the known ones by preference, then the others.
std::vector<std::string> wanted_first(const std::vector<std::string>& served, const WatchedKind& kind) {
    std::vector<std::string> ordered;
    for (const std::string_view wanted : kind.versions) {
        if (std::ranges::find(served, wanted) != served.end())
            ordered.emplace_back(wanted);
    }
    std::ranges::copy_if(served, std::back_inserter(ordered), [&kind](const std::string& version) {
        return std::ranges::find(kind.versions, version) == kind.versions.end();
    });
    return ordered;
}

}  // namespace

base::Result<std::vector<std::string>> served_versions(std::string_view api_group) {
    return texts_in(api_group, "versions", "version");
}

base::Result<bool> lists_resource(std::string_view api_resource_list, std::string_view resource) {
    const auto names = texts_in(api_resource_list, "resources", "name");
    if (!names)
        return base::failure(names.error().sentence);
    return std::ranges::find(*names, resource) != names->end();
}

Discovery discover(HttpClient& client, const WatchedKind& kind) {
    if (kind.group.empty())
        return {.kind = Discovery::Kind::served, .version = std::string(kind.versions.front())};
    const std::string group_path = fmt::format("/apis/{}", kind.group);
    const HttpAnswer group = client.send({.target = group_path});
    if (is_unserved(group))
        return {.kind = Discovery::Kind::unserved};
    if (!group.succeeded())
        return failed(group_path, group, "");
    const auto versions = served_versions(group.body);
    if (!versions)
        return failed(group_path, group, versions.error().sentence);
    for (const std::string& version : wanted_first(*versions, kind)) {
        const std::string path = fmt::format("{}/{}", group_path, version);
        const HttpAnswer answer = client.send({.target = path});
        if (is_unserved(answer))
            continue;
        if (!answer.succeeded())
            return failed(path, answer, "");
        const auto listed = lists_resource(answer.body, kind.resource);
        if (!listed)
            return failed(path, answer, listed.error().sentence);
        if (!*listed)
            continue;
        if (std::ranges::find(kind.versions, version) != kind.versions.end())
            return {.kind = Discovery::Kind::served, .version = version};
        if (kind.is_replaced_by_other_kind)
            return {.kind = Discovery::Kind::unserved};
        return {.kind = Discovery::Kind::unknown,
                .sentence = fmt::format("{} is served in version {}, which isn't known", full_name(kind), version)};
    }
    return {.kind = Discovery::Kind::unserved};
}

}  // namespace echelon::kube
