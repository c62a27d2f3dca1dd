#include "kube/watch/object_store.hpp"

#include "base/split.hpp"
#include "kube/json/compact_text.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/splitter.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using nlohmann::json;

struct Identity {
    std::string key;
    std::string uid;
    std::string version;
};

std::optional<Identity> identity_of(const Value& object) {
    const Value metadata = object.find("metadata");
    if (!metadata.is_object())
        return std::nullopt;
    const std::string_view name = metadata.text_of("name");
    Identity identity{.key = fmt::format("{}/{}", metadata.text_of("namespace"), name),
                      .uid = std::string(metadata.text_of("uid")),
                      .version = std::string(metadata.text_of("resourceVersion"))};
    if (name.empty() || identity.uid.empty())
        return std::nullopt;
    return identity;
}

}  // namespace

ObjectStore::ObjectStore(std::string api_version, std::string kind, bool keeps_spec, Deliver deliver)
    : api_version_(std::move(api_version)),
      kind_(std::move(kind)),
      keeps_spec_(keeps_spec),
      deliver_(std::move(deliver)) {}

bool ObjectStore::seen(const Value& object) {
    const std::optional<Identity> identity = identity_of(object);
    if (!identity)
        return false;
    auto [at, is_new] = known_.try_emplace(identity->key);
    Known& known = at->second;
    const bool replaced = !is_new && known.uid != identity->uid;
    const bool unchanged = !is_new && !replaced && !identity->version.empty() && known.version == identity->version;
    known.round = round_;
    if (unchanged)
        return true;
    if (replaced)
        deliver_gone(at->first, known);
    known.uid = identity->uid;
    known.version = identity->version;
    if (keeps_spec_) {
        const Value spec = object.find("spec");
        known.spec = spec.is_null() ? std::string() : compact_text(spec.tree());
    }
    deliver_complete(object, Change::seen);
    return true;
}

bool ObjectStore::gone(const Value& object) {
    const std::optional<Identity> identity = identity_of(object);
    if (!identity)
        return false;
    const auto at = known_.find(identity->key);
    // Never seen, or an older object of this name: already gone.
    if (at == known_.end() || at->second.uid != identity->uid)
        return true;
    known_.erase(at);
    deliver_complete(object, Change::gone);
    return true;
}

bool ObjectStore::seen_unreadable(const PartialIdentity& object) {
    auto [at, is_new] = known_.try_emplace(object.ns + "/" + object.name);
    Known& known = at->second;
    known.round = round_;
    const bool replaced = !is_new && known.uid != object.uid;
    if (!is_new && !replaced && !object.version.empty() && known.version == object.version)
        return false;
    if (replaced)
        deliver_gone(at->first, known);
    known.uid = object.uid;
    known.version = object.version;
    return true;
}

void ObjectStore::gone(const PartialIdentity& object) {
    const auto at = known_.find(object.ns + "/" + object.name);
    if (at == known_.end() || at->second.uid != object.uid)
        return;
    const Known known = std::move(at->second);
    const std::string key = at->first;
    known_.erase(at);
    deliver_gone(key, known);
}

json ObjectStore::identity_object_of(const PartialIdentity& object) const {
    json out = {{"metadata", {{"name", object.name}, {"uid", object.uid}, {"resourceVersion", object.version}}}};
    if (!object.ns.empty())
        out["metadata"]["namespace"] = object.ns;
    fill_in(out);
    return out;
}

void ObjectStore::begin_round() {
    ++round_;
}

void ObjectStore::end_round() {
    std::vector<std::string> missing;
    for (const auto& [key, known] : known_) {
        if (known.round != round_)
            missing.push_back(key);
    }
    std::ranges::sort(missing);
    for (const std::string& key : missing) {
        const auto at = known_.find(key);
        deliver_gone(key, at->second);
        known_.erase(at);
    }
}

void ObjectStore::forget_all() {
    begin_round();
    end_round();
}

void ObjectStore::deliver_anew() {
    for (auto& [key, known] : known_)
        known.version.clear();
}

void ObjectStore::fill_in(json& object) const {
    object["apiVersion"] = api_version_;
    object["kind"] = kind_;
}

// An object with apiVersion and kind is delivered without a copy.
void ObjectStore::deliver_complete(const Value& object, Change change) const {
    if (object.text_of("apiVersion") == api_version_ && object.text_of("kind") == kind_)
        return deliver_(object, change);
    json whole = object.tree();
    fill_in(whole);
    deliver_(whole, change);
}

void ObjectStore::deliver_gone(const std::string& key, const Known& known) const {
    const auto [ns, name] = base::split_at_slash(key);
    json object = {{"metadata", {{"name", name}, {"uid", known.uid}}}};
    if (!ns.empty())
        object["metadata"]["namespace"] = ns;
    if (!known.version.empty())
        object["metadata"]["resourceVersion"] = known.version;
    if (auto spec = parse_foreign(known.spec, known.spec.size(), deepest_nesting); keeps_spec_ && spec)
        object["spec"] = std::move(*spec);
    fill_in(object);
    deliver_(object, Change::gone);
}

}  // namespace echelon::kube
