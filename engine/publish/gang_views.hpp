#pragma once

// Which gangs are there, for /v1/explain and /debug?
//
// A copy shares everything that has not changed since. Not thread-safe; copies are independent.

#include "base/shared_sorted.hpp"
#include "model/facts/plan_record.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

struct GangView {
    model::PlanRecord record;
    std::size_t members = 0;  // Pods that exist.
    std::size_t waiting_at_barrier = 0;
};

class GangViews {
public:
    using View = std::shared_ptr<const GangView>;

    // `name`: "namespace/name" of the GangPlan. Null: there is none.
    [[nodiscard]] View find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    // By name.
    [[nodiscard]] std::vector<std::pair<std::string, View>> sorted() const;
    void put(const std::string& name, GangView view);
    void erase(std::string_view name) { table_.erase(name); }

private:
    base::SharedSorted<View> table_;
};

}  // namespace echelon::engine
