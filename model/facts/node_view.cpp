#include "model/facts/node_view.hpp"

namespace echelon::model {

std::optional<std::string_view> LabelLookup::value_of(std::string_view key) const {
    if (labels_ == nullptr)
        return strings_->value_of(*entry_, key);
    const auto label = labels_->find(key);
    return label == labels_->end() ? std::nullopt : std::optional<std::string_view>(label->second);
}

}  // namespace echelon::model
