#include "model/gang/tree_walk.hpp"

namespace echelon::model {

TreeWalk::TreeWalk(const GroupForest& forest, const GroupKey& root)
    : forest_(forest), root_(root), hangs_(forest.is_too_deep(root)), next_(&root) {}

TreeWalk::Step TreeWalk::take() {
    Step step{.key = next_,
              .group = forest_.find(*next_),
              .parent = ahead_.empty() ? 0 : ahead_.back().parent,
              .depth = static_cast<std::uint32_t>(ahead_.size() + 1),
              .end = hangs_ ? Branch::End::depth : Branch::End::none};
    const bool has_children = step.group != nullptr && !hangs_ && forest_.is_agreed(*step.group);
    if (has_children && !descend(*step.key))
        step.end = Branch::End::depth;
    ++taken_;
    advance();
    return step;
}

bool TreeWalk::descend(const GroupKey& key) {
    const auto& children = forest_.children(key);
    ahead_.push_back({children.begin(), children.end(), taken_});
    skip_root();
    if (ahead_.size() < forest_.depth())
        return true;
    const bool is_last = ahead_.back().next == ahead_.back().end;
    ahead_.pop_back();
    return is_last;
}

// A group has one parent, so only the root can occur again.
void TreeWalk::skip_root() {
    auto& siblings = ahead_.back();
    if (siblings.next != siblings.end && *siblings.next == root_)
        ++siblings.next;
}

void TreeWalk::advance() {
    while (!ahead_.empty() && ahead_.back().next == ahead_.back().end)
        ahead_.pop_back();
    next_ = ahead_.empty() ? nullptr : &*ahead_.back().next++;
    if (!ahead_.empty())
        skip_root();
}

}  // namespace echelon::model
