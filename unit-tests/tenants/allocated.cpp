#include "unit-tests/tenants/allocated.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace echelon::tenants {
namespace {

Allocated counted;  // The program has one thread.

void* taken(void* memory) {
    if (memory == nullptr)
        throw std::bad_alloc();
    const auto size = static_cast<std::int64_t>(malloc_usable_size(memory));
    ++counted.count;
    counted.bytes += size;
    counted.live += size;
    if (counted.live > counted.most)
        counted.most = counted.live;
    return memory;
}

void given_back(void* memory) noexcept {
    if (memory == nullptr)
        return;
    counted.live -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc): this is where memory comes from.
}

}  // namespace

Allocated allocated() {
    return counted;
}

void forget_most() {
    counted.most = counted.live;
}

}  // namespace echelon::tenants

// NOLINTBEGIN(cppcoreguidelines-no-malloc,misc-new-delete-overloads): the one place where memory comes from.
void* operator new(std::size_t size) {
    return echelon::tenants::taken(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto unit = static_cast<std::size_t>(alignment);
    return echelon::tenants::taken(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}
void operator delete(void* memory) noexcept {
    echelon::tenants::given_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    echelon::tenants::given_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    echelon::tenants::given_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    echelon::tenants::given_back(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc,misc-new-delete-overloads)
