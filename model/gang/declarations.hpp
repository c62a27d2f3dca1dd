#pragma once

// What do the pods of one group declare about it, if no object does?
//
// Equal declarations are one variant, whatever the number of pods. Adding, removing and choosing cost the logarithm of
// the number of variants. Pure.

#include "base/natural_order.hpp"
#include "base/shared.hpp"
#include "model/facts/group.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// Compares everything but the age and `about`. Gives variants an order, so that no choice depends on which pod came
// first.
struct BySaying {
    using is_transparent = void;
    [[nodiscard]] bool operator()(const Group& a, const Group& b) const;
};

class Declarations {
public:
    // Pods of one age are one entry. If the oldest pod decides, the name tells them apart.
    struct DeclaringPods {
        std::int64_t created = 0;
        std::string pod;

        bool operator<(const DeclaringPods& other) const {
            return created != other.created ? created < other.created : base::natural_order(pod, other.pod) < 0;
        }
    };

    void add(const base::Shared<Group>& group, const DeclaringPods& declarer);
    // Requires: the same arguments as in an earlier `add`.
    void remove(const Group& group, const DeclaringPods& declarer);

    [[nodiscard]] bool empty() const { return own_.empty() && additions_.empty(); }
    // How many variants of the group itself there are.
    [[nodiscard]] std::size_t ways() const { return own_.size(); }
    // The variant of most pods, or of the oldest pod (then by name) if `oldest_pod_decides`. Its creation time is that
    // of the oldest pod (Z13). Null if pods only add to the group.
    [[nodiscard]] base::Shared<Group> effective_variant() const;
    // The additions of pods to the group, in a fixed order; those that `counts_parts` once for each part.
    [[nodiscard]] std::vector<const Group*> additions() const;
    // Labels by which the additions are about parts of the group: their pods have several values. Valid until the next
    // change.
    [[nodiscard]] std::vector<std::string_view> dividing_labels() const;

private:
    struct Declaration {
        base::Shared<Group> group;
        std::map<DeclaringPods, std::size_t> pods = {};  // Age and name -> number of pods.
        std::size_t count = 0;

        [[nodiscard]] const DeclaringPods& oldest() const { return pods.begin()->first; }
    };
    struct ByGroup {
        using is_transparent = void;
        static const Group& group(const Group& of) { return of; }  // NOLINT(bugprone-return-const-ref-from-parameter)
        static const Group& group(const std::unique_ptr<Declaration>& of) { return *of->group; }
        bool operator()(const auto& a, const auto& b) const { return BySaying{}(group(a), group(b)); }
    };
    struct ByAge {
        bool operator()(const Declaration* a, const Declaration* b) const;
    };
    struct ByCount {
        bool operator()(const Declaration* a, const Declaration* b) const;
    };
    using Variants = std::set<std::unique_ptr<Declaration>, ByGroup>;

    void rank(Declaration& variant);
    void unrank(Declaration& variant);
    void forget_value(const LabelledPods& pods);

    Variants own_;
    Variants additions_;
    std::set<Declaration*, ByAge> by_age_;      // Of `own_`; oldest first.
    std::set<Declaration*, ByCount> by_count_;  // Of `own_`; that of most pods first.
    std::map<std::string, std::map<std::string, std::size_t>, std::less<>> values_;  // Of `about`: label, value, pods.
};

}  // namespace echelon::model
