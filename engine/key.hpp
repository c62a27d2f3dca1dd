#pragma once

// Which class may call a function? Only one that can make the key that the function takes.
//
// A function that takes a `Key<Owner>` can be called by `Owner` alone; this costs nothing at run time.

namespace echelon::engine {

template <typename Owner>
class Key {
    friend Owner;
    Key() {}  // NOLINT(modernize-use-equals-default): a defaulted one would let every class write `{}`.
};

}  // namespace echelon::engine
