#include "kube/core/pod_terms.hpp"

#include "kube/core/pod_constraints.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace echelon::kube {

namespace {

using model::PodTerm;
using model::Requirement;

// Of the two lists of a pod.
constexpr Bound term_bound{64, "terms that required pod affinity or anti-affinity may have"};

constexpr std::string_view name_of_namespace = "kubernetes.io/metadata.name";  // Set on every namespace.

// Adds the namespaces of the selector; false: it depends on labels that echelon doesn't watch.
bool add_selected_namespaces(const Field& selector, PodTerm& term) {
    const auto requirements = read_label_selector(selector);
    if (requirements.empty()) {
        term.is_everywhere = true;
        term.namespaces.clear();
        return true;
    }
    const Requirement& only = requirements.front();
    if (requirements.size() > 1 || only.key != name_of_namespace || only.op != Requirement::Operator::in)
        return false;
    term.namespaces.insert(term.namespaces.end(), only.values.begin(), only.values.end());
    return true;
}

// The API server adds these requirements when it stores a pod; a manifest lacks them (KEP-3633). A key that the
// selector names already was added there.
void add_own_values(const Field& keys, Requirement::Operator op, const Field& labels, PodTerm& term) {
    const auto items = keys.items();
    const auto all = items.empty() ? model::Labels() : labels.texts();
    for (const Field& item : items) {
        const auto key = item.text();
        const auto own = all.find(key);
        if (own != all.end() && std::ranges::find(term.labels, key, &Requirement::key) == term.labels.end())
            term.labels.push_back({.key = key, .op = op, .values = {own->second}});
    }
}

void read_term(const Field& field, PodTerm::Kind kind, const Field& own, model::Pod& pod) {
    PodTerm term;
    term.kind = kind;
    term.key = field.required_text("topologyKey");
    for (const Field& name : field.at("namespaces").items())
        term.namespaces.push_back(name.text());
    const Field spaces = field.at("namespaceSelector");
    if (term.namespaces.empty() && !spaces.exists())
        term.namespaces.push_back(pod.ns);
    const Field labels = field.at("labelSelector");
    if (labels.exists()) {
        term.labels = read_label_selector(labels);
        add_own_values(field.at("matchLabelKeys"), Requirement::Operator::in, own, term);
        add_own_values(field.at("mismatchLabelKeys"), Requirement::Operator::not_in, own, term);
    } else if (kind == PodTerm::Kind::apart) {
        return;  // Without a selector it matches no pod.
    } else {
        term.labels.push_back({.key = {}, .op = Requirement::Operator::in, .values = {}});  // Matches no pod.
    }
    if (spaces.exists() && !add_selected_namespaces(spaces, term)) {
        pod.has_unread_terms = true;
        return;
    }
    std::ranges::sort(term.namespaces);
    term.namespaces.erase(std::ranges::unique(term.namespaces).begin(), term.namespaces.end());
    pod.terms.push_back(std::move(term));
}

}  // namespace

void read_pod_terms(const Field& spec, const Field& labels, model::Pod& pod) {
    const Field affinity = spec.at("affinity");
    constexpr std::string_view required = "requiredDuringSchedulingIgnoredDuringExecution";
    for (const Field& term : affinity.at("podAntiAffinity").at(required).items(term_bound))
        read_term(term, PodTerm::Kind::apart, labels, pod);
    for (const Field& term : affinity.at("podAffinity").at(required).items(term_bound))
        read_term(term, PodTerm::Kind::together, labels, pod);
    for (const Field& constraint : spec.at("topologySpreadConstraints").items())
        pod.has_unread_spread = pod.has_unread_spread || constraint.text("whenUnsatisfiable") == "DoNotSchedule";
    std::ranges::sort(pod.terms);
    pod.terms.erase(std::ranges::unique(pod.terms).begin(), pod.terms.end());
}

}  // namespace echelon::kube
