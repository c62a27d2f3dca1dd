#include "engine/publish/verdicts.hpp"

namespace echelon::engine {

namespace {

auto is(base::Hashed uid) {
    return [uid](const auto& entry) { return entry.first == uid; };
}

}  // namespace

const Verdict* Verdicts::find(base::Hashed uid) const {
    const auto* entry = table_.find(uid.hash(), is(uid));
    return entry != nullptr ? &entry->second : nullptr;
}

void Verdicts::put(const base::Text& uid, Verdict verdict) {
    table_.put(base::hash_of(uid), is(uid), {uid, std::move(verdict)});
}

void Verdicts::erase(base::Hashed uid) {
    table_.erase(uid.hash(), is(uid));
}

}  // namespace echelon::engine
