// Pods with required anti-affinity: gangs that keep away from plain pods of one namespace, or from all pods of gangs,
// and plain pods that keep away from gangs.

#include "unit-tests/simulator/tenants.hpp"

#include <utility>

namespace echelon::simulator {

namespace {

constexpr const char* plain_namespace = "web";

model::PodTerm away_from(std::string ns, std::string key) {
    model::PodTerm term;
    term.key = std::move(key);
    term.namespaces = {std::move(ns)};
    return term;
}

}  // namespace

std::vector<model::PodTerm> Tenants::terms_of_members() {
    if (!keeps_apart_ || apart_.chance(300))
        return {};
    if (apart_.chance(250))
        return {away_from("default", host_key)};
    return {away_from(plain_namespace, apart_.chance(500) ? host_key : rack_key)};
}

void Tenants::keep_apart(model::Pod& plain) {
    if (!keeps_apart_ || apart_.chance(200))
        return;
    plain.ns = plain_namespace;
    if (apart_.chance(400))
        plain.terms = {away_from("default", apart_.chance(700) ? host_key : rack_key)};
}

}  // namespace echelon::simulator
