#pragma once

// Which bound pods belong to which gang, and what does that gang need? Kept for the shield (PR6).
//
// A gang is evaluated again after it has changed. While its members are being bound that waits a moment, so that a
// large gang costs little. Not thread-safe; what it publishes is.

#include "engine/facts.hpp"
#include "engine/publish/published_state.hpp"
#include "engine/publish/shield.hpp"
#include "engine/time.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace echelon::engine {

class ShieldedGangs {
public:
    explicit ShieldedGangs(const Facts& facts) : facts_(facts) {}

    enum class Cause : std::uint8_t {
        arrival,    // A member was bound: this can wait.
        members,    // A member has left, or runs without echelon: the next call may be about the rest of them.
        facts,      // Groups may have changed.
        unrelated,  // Running members and groups are as before.
    };
    void note(const model::GroupKey& root, Cause cause);
    // When `refresh` has something to do; never: nothing has changed.
    [[nodiscard]] Time due() const {
        if (!is_noted_)
            return never;
        return is_urgent_ ? Time{0} : last_ + interval;
    }
    // Evaluates the gangs that have changed, if that is due.
    void refresh();
    [[nodiscard]] std::shared_ptr<const Shield> publish();

private:
    static constexpr Time interval{200};
    void update(const model::GroupKey& root);
    void forget(const model::GroupKey& root);

    const Facts& facts_;
    bool is_noted_ = false;
    std::set<model::GroupKey> changed_;
    Time last_ = -interval;
    bool is_urgent_ = false;
    std::map<model::GroupKey, std::vector<std::string>> uids_;  // Gang -> UIDs of bound members.
    std::array<Shield::Shard, Shield::shard_count> gangs_;      // By UID.
    std::bitset<Shield::shard_count> is_stale_;
    Shield::Shards shards_;
    std::shared_ptr<const Shield> shield_;
};

}  // namespace echelon::engine
