#include "cli/translate.hpp"

#include "app/complaint.hpp"
#include "app/settings_mapping.hpp"
#include "base/split.hpp"
#include "cli/offline.hpp"
#include "cli/terminal.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/yaml_text.hpp"
#include "kube/topology/topology_object.hpp"
#include "model/cluster/cluster.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/topology/snapshot.hpp"
#include "translate/clique_set.hpp"
#include "translate/kept_labels.hpp"
#include "translate/pod_template.hpp"
#include "translate/stated_levels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::cli {

namespace {

using nlohmann::json;
using translate::Dialect;

constexpr int all_said = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_lost = 3;

constexpr std::array<std::pair<std::string_view, Dialect>, 11> targets = {{
    {"echelon", Dialect::echelon},
    {"koordinator", Dialect::koordinator},
    {"volcano", Dialect::volcano},
    {"kai", Dialect::kai},
    {"scheduler-plugins", Dialect::scheduler_plugins},
    {"grove", Dialect::grove},
    {"kueue", Dialect::kueue},
    {"leaderworkerset", Dialect::leader_worker_set},
    {"kubernetes-1.35", Dialect::kubernetes_1_35},
    {"kubernetes-1.36", Dialect::kubernetes_1_36},
    {"kubernetes-1.37", Dialect::kubernetes_1_37},
}};

// Pods of every scheduler count as ours: a migration starts with pods that name the old scheduler.
model::Cluster cluster_with_all(const std::vector<model::Event>& events) {
    model::Profiles profiles;
    for (const auto& event : events) {
        if (const auto* seen = std::get_if<model::PodSeen>(&event))
            profiles.try_emplace(seen->pod.scheduler_name);
    }
    model::Cluster cluster(std::move(profiles));
    for (const auto& event : events) {
        static_cast<void>(cluster.apply(event));
    }
    return cluster;
}

// True if a group that names the topology gets the same domains of the level as one that names none.
bool has_usual_domains(const model::Snapshot& snapshot, const std::string& level, const model::Topology& topology) {
    const auto usual = snapshot.level(level);
    const auto own = snapshot.level(level, topology.name, topology.api_kind.substr(topology.api_kind.find('.') + 1));
    if (!usual || !own || usual == own)
        return true;
    const auto& usual_of = snapshot.trees[usual->tree].domain_of[usual->depth];
    const auto& own_of = snapshot.trees[own->tree].domain_of[own->depth];
    std::map<std::uint32_t, std::uint32_t> to_own;
    std::map<std::uint32_t, std::uint32_t> to_usual;
    for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
        if (to_own.try_emplace(usual_of[node], own_of[node]).first->second != own_of[node] ||
            to_usual.try_emplace(own_of[node], usual_of[node]).first->second != usual_of[node])
            return false;
    }
    return true;
}

// Adds the levels and aliases of a topology by which nodes are divided as usual.
void add_usual_levels(const model::Snapshot& snapshot, const model::Topology& topology,
                      translate::TranslationTarget& known) {
    for (const auto& level : topology.levels) {
        if (has_usual_domains(snapshot, level, topology))
            known.topologies[level].insert(topology.name);
    }
    for (const auto& [alias, key] : topology.aliases) {
        if (has_usual_domains(snapshot, alias, topology))
            known.topologies[alias].insert(topology.name);
    }
}

translate::TranslationTarget target_of(const std::vector<model::Event>& events, const model::Cluster& cluster) {
    translate::TranslationTarget known;
    const auto snapshot = cluster.snapshot();
    for (const auto& event : events) {
        if (const auto* domain = std::get_if<model::DomainSeen>(&event)) {
            if (!domain->domain.tier_name.empty())
                known.tier_names.insert(domain->domain.tier_name);
            continue;
        }
        const auto* seen = std::get_if<model::TopologySeen>(&event);
        if (seen == nullptr)
            continue;
        const auto& topology = seen->topology;
        if (auto layers = translate::layers_of(topology)) {
            known.layers = std::move(layers);
        } else if (topology.api_kind == kube::kai_topology.full_name() && topology.problem.empty()) {
            add_usual_levels(snapshot, topology, known);
        }
    }
    known.minimum_of = [&cluster](const std::string& name) {
        const auto* group = cluster.group({"koordinator-podgroup", name});
        return group == nullptr ? std::nullopt : group->minimum;
    };
    return known;
}

std::string identity_of(std::string_view api_version, std::string_view kind, std::string_view ns,
                        std::string_view name) {
    return fmt::format("{} {} {}/{}", api_version.substr(0, api_version.find('/')), kind, ns, name);
}

// Absent, null and empty are the same.
std::string text_at(const json& object, const char* key, const char* otherwise = "") {
    const auto found = object.find(key);
    const bool is_said = found != object.end() && found->is_string() && !found->get_ref<const std::string&>().empty();
    return is_said ? found->get<std::string>() : otherwise;
}

std::string identity_of(const json& object) {
    const auto& metadata = object["metadata"];
    const bool is_pod = object["kind"] == "Pod";
    return identity_of(is_pod ? "" : text_at(object, "apiVersion"), text_at(object, "kind"),
                       text_at(metadata, "namespace", "default"), text_at(metadata, "name"));
}

// The objects as they were given, by what they are.
class Originals {
public:
    explicit Originals(const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
            // Written by `find_objects` from what it has read, so it parses.
            json object = kube::parse_foreign(text, text.size(), text.size()).value();
            auto key = identity_of(object);
            objects_.insert_or_assign(std::move(key), std::move(object));
        }
    }

    [[nodiscard]] const json& pod(const model::Pod& pod) const {
        return objects_.at(identity_of("", "Pod", pod.ns, pod.name));
    }
    // The object that defines the group, or of which the group is a part.
    [[nodiscard]] const json& object_of(const model::Group& group) const {
        const auto [ns, name] = base::split_at_slash(group.key.name);
        return objects_.at(identity_of(group.api_version, group.api_kind, ns, name.substr(0, name.find('/'))));
    }

    // The Workload whose templates a group of Kubernetes names. Null: it isn't in the input, or none is named.
    [[nodiscard]] const json* workload_of(const model::Group& group) const {
        const auto ns = group.key.name.str().substr(0, group.key.name.str().find('/'));
        const auto found = objects_.find(identity_of(group.api_version, "Workload", ns, group.policy.workload));
        return found == objects_.end() ? nullptr : &found->second;
    }

    // Null: it isn't in the input.
    [[nodiscard]] const json* clique_set(const std::string& ns, const std::string& name) const {
        const auto found = objects_.find(identity_of("grove.io", "PodCliqueSet", ns, name));
        return found == objects_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::string, json> objects_;
};

// Why a gang cannot be written because of the PodCliqueSet that made it; empty: it can (Z25).
std::string refusal_by_set(const model::GangFacts& facts, Dialect target, const Originals& originals) {
    const auto* root = facts.root().group();
    if (target != Dialect::koordinator || root == nullptr || root->key.kind != "grove-podgang" ||
        root->api_kind.empty())
        return {};
    const auto& pod_gang = originals.object_of(*root);
    const auto* set =
        originals.clique_set(text_at(pod_gang["metadata"], "namespace", "default"), translate::clique_set_of(pod_gang));
    return set == nullptr ? std::string() : translate::refusal_by(*set, "");
}

// True if the gang is declared in the target's dialect already.
bool is_at_home(const model::GangFacts& facts, Dialect target) {
    if (target == Dialect::leader_worker_set && kube::is_replica_of_leader_worker_set(facts.root().branch.key))
        return true;
    bool has_object = false;
    for (const auto& group : facts.groups) {
        if (group.group() == nullptr || group.group()->api_kind.empty())
            continue;
        if (!translate::is_own_version(target, group.group()->api_version))
            return false;
        has_object = true;
    }
    return has_object;
}

class Writer {
public:
    Writer(const Originals& originals, std::string scheduler, Translated& out)
        : originals_(originals), scheduler_(std::move(scheduler)), out_(out) {}

    void write(const model::GangFacts& facts, const translate::Translation& translation) {
        const auto& name = facts.root().branch.key.name;
        for (const auto& loss : translation.losses)
            out_.complaints.push_back(fmt::format("gang \"{}\": {}", name, loss));
        std::string refusal = translation.refusal;
        auto objects = translation.objects;
        if (refusal.empty())
            fill_templates(translation, objects, refusal);
        const auto pods = refusal.empty() ? written_pods(facts, translation, refusal) : std::vector<json>();
        for (const auto& object : objects) {
            if (refusal.empty() && !take(object))
                refuse_twin(object, refusal);
        }
        if (!refusal.empty())
            return out_.complaints.push_back(fmt::format("gang \"{}\" isn't written: {}", name, refusal));
        for (const auto& object : objects)
            add(object);
        for (const auto& pod : pods)
            add(pod);
    }

    void write_as_it_is(const model::GangFacts& facts) {
        for (const auto& group : facts.groups) {
            if (group.group() == nullptr || group.group()->api_kind.empty())
                continue;
            for (const auto* object : {originals_.workload_of(*group.group()), &originals_.object_of(*group.group())}) {
                if (object != nullptr && take(*object))
                    add(*object);
            }
        }
        for (const auto& group : facts.groups) {
            for (const auto& row : group.pods)
                add(originals_.pod(*row.pod));
        }
    }

private:
    // False: another gang has written an object of this name.
    bool take(const json& object) { return taken_.insert(identity_of(object)).second; }

    // Refuses a gang if pods of one template differ.
    void fill_templates(const translate::Translation& translation, std::vector<json>& objects,
                        std::string& refusal) const {
        for (const auto& [object, at, pods] : translation.templates) {
            json common = translate::template_of(originals_.pod(*pods.front()), scheduler_);
            for (const auto* pod : pods) {
                const json own = translate::template_of(originals_.pod(*pod), scheduler_);
                if (own != common) {
                    refusal = fmt::format("its pods \"{}\" and \"{}\" differ in {}, and come from one template",
                                          pods.front()->name, pod->name,
                                          json::diff(common, own).front()["path"].get<std::string>());
                    return;
                }
            }
            objects[object][json::json_pointer(at)] = std::move(common);
        }
    }

    // Refuses a gang if a pod would belong to another group than the written one.
    [[nodiscard]] std::vector<json> written_pods(const model::GangFacts& facts,
                                                 const translate::Translation& translation,
                                                 std::string& refusal) const {
        std::vector<json> pods;
        pods.reserve(translation.pods.size());
        for (const auto& [pod, marks] : translation.pods)
            pods.push_back(translate::repatched_pod(originals_.pod(*pod), marks, scheduler_));
        refusal = translate::fault_of_kept_labels(facts, translation, pods);
        return pods;
    }

    static void refuse_twin(const json& object, std::string& refusal) {
        refusal = fmt::format("another gang has the {} \"{}\" already", object["kind"].get<std::string>(),
                              object["metadata"]["name"].get<std::string>());
    }

    void add(const json& object) {
        if (!out_.documents.empty())
            out_.documents += "---\n";
        out_.documents += kube::yaml_text(object);
    }

    const Originals& originals_;
    const std::string scheduler_;
    Translated& out_;
    std::set<std::string> taken_;
};

}  // namespace

std::vector<std::string> target_names() {
    std::vector<std::string> names;
    names.reserve(std::size(targets));
    for (const auto& [name, target] : targets)
        names.emplace_back(name);
    return names;
}

Translated translated(const kube::Manifests& manifests, const config::Settings& settings, Dialect target,
                      const std::string& scheduler_name) {
    const auto cluster = cluster_with_all(manifests.events);
    const auto snapshot = cluster.snapshot();
    const auto known = target_of(manifests.events, cluster);
    const auto options = app::translation_options(settings);
    auto roots = cluster.roots();
    std::ranges::sort(roots, model::ByName{});
    const Originals originals(manifests.texts);
    auto scheduler = scheduler_name;
    if (scheduler.empty() && target == Dialect::koordinator && settings.translation)
        scheduler = settings.translation->scheduler_name;
    if (scheduler.empty())
        scheduler = translate::usual_scheduler_of(target);
    Translated out;
    Writer writer(originals, std::move(scheduler), out);
    for (const auto& root : roots) {
        const auto facts = cluster.facts(root);
        if (is_at_home(facts, target)) {
            writer.write_as_it_is(facts);
        } else {
            const auto stated = translate::with_stated_levels(facts, snapshot, cluster.gang(root, snapshot));
            auto translation = translate::translate(stated ? *stated : facts, target, options, known);
            if (!stated)
                translation.refusal = stated.error().sentence;
            if (auto refusal = refusal_by_set(facts, target, originals); !refusal.empty())
                translation.refusal = std::move(refusal);
            writer.write(facts, translation);
        }
    }
    return out;
}

int translate(const TranslateArguments& arguments) {
    const auto target = std::ranges::find(targets, arguments.to, [](const auto& row) { return row.first; });
    if (target == targets.end()) {
        app::complain("echelon translate: --to: \"{}\" isn't a dialect that is written", arguments.to);
        return bad_input;
    }
    const auto input = read_offline("translate", arguments.files, arguments.config_file, kube::FaultyNodes::kept,
                                    kube::Keep::texts_too);
    if (!input)
        return bad_input;
    for (const auto& kind : input->manifests.skipped_kinds) {
        app::complain("echelon translate: skipped {}, a kind it doesn't know", kind);
    }
    const auto out = translated(input->manifests, input->settings, target->second, arguments.scheduler_name);
    for (const auto& complaint : out.complaints) {
        app::complain("echelon translate: {}", complaint);
    }
    if (!write_out(out.documents)) {
        app::complain("echelon translate: the manifests can't be written to standard output");
        return our_error;
    }
    return out.complaints.empty() ? all_said : some_lost;
}

}  // namespace echelon::cli
