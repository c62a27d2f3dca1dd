#include "translate/pod_template.hpp"

#include "kube/json/foreign_json.hpp"
#include "translate/translation.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace echelon::translate {

namespace {

using nlohmann::json;

// Prefixes of labels by which controllers number their pods, or mark them as theirs.
constexpr std::array controllers = {"apps.kubernetes.io/",
                                    "batch.kubernetes.io/",
                                    "controller-revision-hash",
                                    "controller-uid",
                                    "job-name",
                                    "jobset.sigs.k8s.io/",
                                    "leaderworkerset.sigs.k8s.io/",
                                    "pod-template-hash",
                                    "statefulset.kubernetes.io/"};
constexpr std::array fields_of_one_pod = {"nodeName", "hostname", "subdomain", "priority", "preemptionPolicy"};
// The volume that the API server adds for the service account's token; a random suffix follows.
constexpr std::string_view token_volume = "kube-api-access-";

json texts_of_template(const json& metadata, const char* key) {
    json kept = json::object();
    const json* texts = kube::part_of(metadata, key);
    if (texts == nullptr || !texts->is_object())
        return kept;
    for (const auto& [name, text] : texts->items()) {
        if (std::ranges::none_of(controllers, [&](std::string_view prefix) { return name.starts_with(prefix); }))
            kept[name] = text;
    }
    return kept;
}

// Removes the items whose names begin with `token_volume`, and an empty list with them.
void drop_token(json& owner, const char* list) {
    const auto found = owner.find(list);
    if (found == owner.end() || !found->is_array())
        return;
    json kept = json::array();
    for (const json& item : *found) {
        if (!kube::text_in(item, "name").starts_with(token_volume))
            kept.push_back(item);
    }
    if (kept.empty()) {
        owner.erase(list);
    } else {
        *found = std::move(kept);
    }
}

void drop_tokens(json& spec) {
    drop_token(spec, "volumes");
    for (const char* list : {"containers", "initContainers"}) {
        const auto containers = spec.find(list);
        if (containers == spec.end() || !containers->is_array())
            continue;
        for (json& container : *containers) {
            if (container.is_object())
                drop_token(container, "volumeMounts");
        }
    }
}

}  // namespace

json template_of(const json& pod, std::string_view scheduler) {
    json own = repatched_pod(pod, {}, scheduler);
    json& spec = own["spec"];
    for (const char* field : fields_of_one_pod)
        spec.erase(field);
    drop_tokens(spec);
    json metadata = json::object();
    for (const char* key : {"labels", "annotations"}) {
        if (json kept = texts_of_template(own["metadata"], key); !kept.empty())
            metadata[key] = std::move(kept);
    }
    return {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

}  // namespace echelon::translate
