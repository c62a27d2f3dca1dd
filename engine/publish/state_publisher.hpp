#pragma once

// Which verdicts and views of gangs does the next published state have? It keeps them, so that a new published state
// copies only what has changed.
//
// Not thread-safe; the published states that it makes are.

#include "base/flat_table.hpp"
#include "base/text.hpp"
#include "engine/publish/published_state.hpp"
#include "model/facts/group.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

class StatePublisher {
public:
    // The verdicts on a gang's members that have no node, each UID once. They replace all earlier ones of the gang.
    using OfGang = std::vector<std::pair<base::Text, Verdict>>;
    void replace(const model::GroupKey& root, OfGang verdicts);
    void set(const model::GroupKey& root, const base::Text& uid, Verdict verdict);
    // The member has a node and needs no verdict.
    void drop(const model::GroupKey& root, const base::Text& uid);
    void drop_all(const model::GroupKey& root);

    // `name`: "namespace/name" of the GangPlan.
    void show(const std::string& name, GangView view) { views_.put(name, std::move(view)); }
    void hide(const std::string& name) { views_.erase(name); }

    // Verdicts and views as they are now, under the next version. Cheap when little has changed.
    [[nodiscard]] PublishedState published();

private:
    using Uids = base::FlatTable<base::Text>;
    static void add(Uids& uids, const base::Text& uid);
    static bool take(Uids& uids, const base::Text& uid);
    struct Gang {
        Uids uids;                 // Of pods with a verdict.
        std::uint32_t number = 0;  // Differs from that of every other gang: several kinds may have one name.
    };
    Gang& gang_of(const model::GroupKey& root);
    void erase(const Gang& gang, const base::Text& uid);

    Verdicts verdicts_;
    std::map<model::GroupKey, Gang> gangs_;
    std::uint32_t last_number_ = 0;
    GangViews views_;
    std::uint64_t version_ = 0;
};

}  // namespace echelon::engine
