#pragma once

// What are the labels, taints and state of a node, whether an event or `NodeIndex` (in compressed form) stores it?
//
// A view: valid until its owner changes the node. Pure; as thread-safe as the owner.

#include "model/facts/node.hpp"
#include "model/facts/string_pool.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace echelon::model {

// Labels by key.
class LabelLookup {
public:
    explicit LabelLookup(const Labels& labels) : labels_(&labels) {}
    LabelLookup(const StringPool& strings, const StringPool::LabelEntry& entry) : strings_(&strings), entry_(&entry) {}

    [[nodiscard]] std::optional<std::string_view> value_of(std::string_view key) const;

private:
    const Labels* labels_ = nullptr;  // Either these or `entry_` of `strings_`.
    const StringPool* strings_ = nullptr;
    const StringPool::LabelEntry* entry_ = nullptr;
};

struct NodeView {
    LabelLookup labels;
    std::span<const Taint> taints;
    bool usable = true;  // As `Node::is_usable`.
    LabelLookup annotations;

    NodeView(const Node& node)  // NOLINT(google-explicit-constructor): a node is as good as a view of it.
        : labels(node.labels),
          taints(node.taints),
          usable(node.is_usable()),
          annotations(node.annotations),
          name_(&node.name) {}
    NodeView(const std::string& its_name, LabelLookup its_labels, std::span<const Taint> its_taints, bool is_usable,
             LabelLookup its_annotations)
        : labels(its_labels), taints(its_taints), usable(is_usable), annotations(its_annotations), name_(&its_name) {}

    // Few ask for it, so it isn't read before.
    [[nodiscard]] std::string_view name() const { return *name_; }

private:
    const std::string* name_;
};

}  // namespace echelon::model
