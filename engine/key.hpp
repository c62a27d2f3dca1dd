#pragma once

// Who may write this? Only a class that can make its own key.
//
// A function that takes a `Key<Owner>` can be called by `Owner` alone; it costs nothing.

namespace echelon::engine {

template <typename Owner>
class Key {
    friend Owner;
    Key() {}  // NOLINT(modernize-use-equals-default): a default one would let everybody write `{}`.
};

}  // namespace echelon::engine
