#include "model/devices/device_demand.hpp"

#include "base/quoted.hpp"
#include "model/devices/extended_resources.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

constexpr const char* host_key = "kubernetes.io/hostname";
constexpr std::size_t most_terms = 4'096;
constexpr std::string_view no_class = ", which doesn't exist";  // Behind the name of a class.

// The mark of pods that share a claim; no label can have such a key.
std::string mark_of(const std::string& claim) {
    return ":claim/" + claim;
}

// The terms that both selectors allow: each term of one with each of the other. If these are too many, `a` alone;
// kube-scheduler judges the rest.
std::vector<NodeTerm> both(const std::vector<NodeTerm>& a, const std::vector<NodeTerm>& b) {
    if (a.size() * b.size() > most_terms)
        return a;
    std::vector<NodeTerm> joined;
    for (const auto& left : a) {
        for (const auto& right : b) {
            auto& term = joined.emplace_back(left);
            term.labels.insert(term.labels.end(), right.labels.begin(), right.labels.end());
            term.fields.insert(term.fields.end(), right.fields.begin(), right.fields.end());
        }
    }
    return joined;
}

}  // namespace

bool is_of_missing_class(std::string_view resource) {
    return resource.starts_with(device_prefix) && resource.ends_with(no_class);
}

DeviceIndex::Demand::Demand(const DeviceIndex& index, const PodSeen& event) : index_(index), event_(event) {
    for (const auto& claim : event.claims)
        add(claim);
    for (const auto& [resource, amount] : event.pod.pod_class.requests.entries())
        add_extended(resource, amount);
    std::ranges::sort(asks_);
}

void DeviceIndex::Demand::write(PodSeen& event) const {
    auto& pod_class = event.pod.pod_class;
    pod_class.devices = asks_;
    for (const auto& [resource, amount] : amounts_)
        pod_class.requests.add(resource, amount);
    for (const auto* pin : pins_)
        pod_class.node_affinity = pod_class.node_affinity ? both(*pod_class.node_affinity, *pin) : *pin;
    for (const auto& claim : shared_) {
        event.labels.insert_or_assign(mark_of(claim), "");
        event.pod.terms.push_back(
            {.kind = PodTerm::Kind::together,
             .key = host_key,
             .labels = {{.key = mark_of(claim), .op = Requirement::Operator::exists, .values = {}}},
             .namespaces = {event.pod.ns}});
    }
    std::ranges::sort(event.pod.terms);
}

// Of the pods of a gang that share a claim only the first requests the devices; affinity keeps the others on its node.
void DeviceIndex::Demand::add(const PodClaim& claim) {
    const auto* object = index_.claim_of(event_.pod.ns, claim);
    if (object != nullptr && object->is_deleted)
        return add_missing(claim, "which is being deleted");
    if (object != nullptr && object->allocation) {
        if (object->allocation->nodes)
            pins_.push_back(&*object->allocation->nodes);
        return;
    }
    const auto* demand = index_.demand_of(event_.pod.ns, claim);
    if (demand == nullptr)
        return add_missing(claim, "which doesn't exist yet");
    if (!demand->constraint.empty()) {
        remarks_.warnings.insert("devices of claim " + base::quoted(claim.name) +
                                 " are left to kube-scheduler in part: " + demand->constraint);
    }
    // Pods of a group may share a claim that was made from a template, too.
    const auto* users = claim.claim.empty() ? nullptr : index_.users_of({event_.pod.ns, claim.claim});
    const bool is_shared = users != nullptr && users->size() > 1;
    const bool is_counted = !is_shared || is_first(*users);
    bool counts = false;
    ClaimAsk ask;
    for (const auto& request : demand->requests) {
        if (!add(request, is_counted, is_choice(request, *demand)))
            continue;
        counts = true;
        if (is_counted && !index_.counting_.matched.empty())
            add(request, *demand, ask);
    }
    if (is_shared && counts)
        shared_.insert(claim.claim);
    remarks_.relies_on_sharer = remarks_.relies_on_sharer || (counts && !is_counted);
    if (ask.requests.empty())
        return;
    for (const auto& constraint : demand->constraints)
        ask.rules.push_back({.attribute = constraint.attribute, .is_distinct = constraint.is_distinct});
    asks_.push_back(std::move(ask));
}

bool DeviceIndex::Demand::is_first(const Users& users) const {
    const auto own = index_.pods_.find(event_.pod.uid);
    return own != index_.pods_.end() && index_.first_of(users, own->second.root) == event_.pod.uid;
}

void DeviceIndex::Demand::add(const DeviceRequest& request, const DeviceDemand& demand, ClaimAsk& ask) const {
    const bool has_choices = is_choice(request, demand);
    auto& choices = ask.requests.emplace_back();
    const auto add_choice = [&](const DeviceRequest& choice, const RequestKey& key) {
        auto& added = choices.emplace_back();
        added.kind = index_.kinds_.name_of(*index_.kinds_.find(key));
        added.count = choice.count;
        added.wants_all = choice.wants_all;
        for (std::uint32_t rule = 0; rule < demand.constraints.size(); ++rule) {
            const auto& names = demand.constraints[rule].requests;
            const auto is_named = [&](const std::string& name) {
                return std::ranges::find(names, name) != names.end();
            };
            if (names.empty() || is_named(request.name) ||
                (has_choices && is_named(request.name + "/" + choice.choice)))
                added.rules.push_back(rule);
        }
    };
    const auto key = *index_.key_of(request);
    add_choice(request, has_choices ? first_choice(key) : key);
    for (std::size_t i = 0; has_choices && i < key.alternatives.size(); ++i)
        add_choice(request.alternatives[i], key.alternatives[i]);
}

void DeviceIndex::Demand::add_missing(const PodClaim& claim, std::string_view why) {
    const bool is_template = claim.claim.empty();
    if (remarks_.missing.empty() && !(is_template && claim.claim_template.empty())) {
        remarks_.missing = (is_template ? "resource claim template " : "resource claim ") +
                           base::quoted(event_.pod.ns + "/" + (is_template ? claim.claim_template : claim.claim)) +
                           ", " + std::string(why);
    }
}

void DeviceIndex::Demand::add_absent_class(std::string_view name, std::int64_t amount) {
    amounts_[std::string(device_prefix) + std::string(name) + std::string(no_class)] += amount;
}

// The amount itself is counted like any other. Beside requests of another kind the devices behind it count as well.
void DeviceIndex::Demand::add_extended(const std::string& resource, std::int64_t amount) {
    const auto* device_class = amount == 0 ? nullptr : index_.class_of(resource);
    if (device_class == nullptr) {
        if (const auto absent = class_in(resource); absent && amount > 0)
            add_absent_class(*absent, amount);
        return;
    }
    const auto kind = index_.kinds_.find(key_of(*device_class, nullptr));
    if (!kind || index_.served_pods_.contains(event_.pod.uid))
        return;
    for (const auto& set : index_.counting_.joint) {
        if ((set.kinds & bit(*kind)) != 0)
            amounts_[set.name] += amount;
    }
}

bool DeviceIndex::Demand::add(const DeviceRequest& request, bool is_counted, bool has_choices) {
    if (!request.not_understood.empty())
        return warn(request, request.not_understood);
    const auto key = index_.key_of(request);
    if (!key) {
        add_absent_class(missing_class(request), request.count);
        return false;
    }
    const auto is_extended = [&](const DeviceRequest& choice) {
        return !index_.classes_.at(choice.device_class).extended_resource.empty();
    };
    if (!request.alternatives.empty() &&
        (is_extended(request) || std::ranges::any_of(request.alternatives, is_extended)))
        return warn(request, "the class of an alternative is an extended resource, too (firstAvailable)");
    const auto kind = index_.kinds_.find(*key);
    if (!kind)
        return warn(request, why_without_kind(*key));
    if (const auto why = index_.counting_.uncounted.find(*kind); why != index_.counting_.uncounted.end())
        return warn(request, why->second);
    if (request.admin_access)
        return add_admin(request, *kind);
    if (has_choices && !are_counted(*key))
        return warn(request, "its alternatives aren't counted");
    if (is_counted)
        count(request, *kind, has_choices);
    return true;
}

// Other claims may have the device, but it must be there.
bool DeviceIndex::Demand::add_admin(const DeviceRequest& request, std::uint32_t kind) {
    if (const auto name = index_.counting_.for_admin.find(kind); name != index_.counting_.for_admin.end())
        amounts_[name->second] += 1;
    if (request.wants_all || request.count > 1)
        warn(request, "it has admin access to several devices");
    // A pod never gets one device twice.
    if (has_several_requests())
        warn(request, "it has admin access beside other requests of its pod");
    return false;
}

bool DeviceIndex::Demand::has_several_requests() const {
    std::size_t requests = 0;
    for (const auto& claim : event_.claims) {
        const auto* demand = index_.demand_of(event_.pod.ns, claim);
        requests += demand != nullptr ? demand->requests.size() : 0;
    }
    return requests > 1;
}

std::string DeviceIndex::Demand::why_without_kind(const RequestKey& key) const {
    const auto* asked = index_.asked_.find(key);
    if (asked != nullptr && !asked->not_understood.empty())
        return asked->not_understood;
    return "only " + std::to_string(RequestKinds::most_kinds) + " kinds of requests are counted, and " +
           std::to_string(AskedKinds::most_of_namespace) + " of one namespace with " +
           std::to_string(AskedKinds::most_parts_of_namespace) + " parts of selectors and tolerations together";
}

// True if each alternative is a kind by itself.
bool DeviceIndex::Demand::are_counted(const RequestKey& key) const {
    const auto is_counted = [&](const RequestKey& choice) { return index_.kinds_.find(choice).has_value(); };
    return is_counted(first_choice(key)) && std::ranges::all_of(key.alternatives, is_counted);
}

// Requires: a class in it does not exist.
std::string DeviceIndex::Demand::missing_class(const DeviceRequest& request) const {
    if (!index_.classes_.contains(request.device_class))
        return request.device_class;
    const auto found = std::ranges::find_if_not(request.alternatives, [&](const DeviceRequest& alternative) {
        return index_.classes_.contains(alternative.device_class);
    });
    return found->device_class;
}

bool DeviceIndex::Demand::warn(const DeviceRequest& request, const std::string& why) {
    remarks_.warnings.insert("devices of request " + base::quoted(request.name) +
                             " are left to kube-scheduler: " + why);
    return false;
}

// Of alternatives the smallest counts as an amount: no node with less serves any of them.
void DeviceIndex::Demand::count(const DeviceRequest& request, std::uint32_t kind, bool has_choices) {
    const auto least = [](const DeviceRequest& choice) { return choice.wants_all ? 1 : choice.count; };
    auto amount = least(request);
    for (const auto& alternative : request.alternatives)
        amount = std::min(amount, least(alternative));
    for (const auto* sets : {&index_.counting_.sets, &index_.counting_.joint}) {
        for (const auto& set : *sets) {
            if ((set.kinds & bit(kind)) != 0)
                amounts_[set.name] += amount;
        }
    }
    if (has_choices && is_choice_of_all(request))
        amounts_[std::string(complete_pools)] += 1;
    if (request.wants_all && !has_choices)
        amounts_[index_.counting_.for_all.at(kind)] += 1;
    const auto of_class = index_.kinds_.find(key_of(index_.classes_.at(request.device_class), nullptr));
    for (const auto& [extended, resource] : index_.counting_.extended) {
        if (extended == of_class && request.alternatives.empty())
            amounts_[resource] += amount;
    }
}

}  // namespace echelon::model
