#include "kube/input_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>
#include <sys/mman.h>

namespace echelon::kube {

namespace {

constexpr std::size_t largest_input = (std::size_t{4} << 30U) - 1;
constexpr std::size_t first_room = std::size_t{1} << 20U;
constexpr std::size_t part = std::size_t{1} << 18U;
constexpr std::size_t worth_giving_back = std::size_t{16} << 20U;
constexpr std::size_t page = 4096;  // A multiple of it, where pages are larger, as give_back rounds to 16 MB.

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdin)
            std::fclose(file);
    }
};

}  // namespace

model::Result<InputText> InputText::read(const std::string& path, const std::string& source) {
    const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    const auto unreadable = [&] {
        return model::failure(fmt::format("{}: can't be read: {}", source, std::strerror(errno)));
    };
    if (!file)
        return unreadable();
    InputText out;
    for (;;) {
        if (!out.grow(out.size_ + part))
            return unreadable();
        const std::size_t got = std::fread(out.start_ + out.size_, 1, part, file.get());
        if (got == 0)
            break;
        out.size_ += got;
        if (out.size_ > largest_input)
            return model::failure(fmt::format("{}: larger than 4 GB", source));
    }
    if (std::ferror(file.get()) != 0)
        return unreadable();
    return out;
}

InputText::InputText(std::string_view text) {
    if (!grow(text.size()))
        return;  // Without memory it is empty.
    std::ranges::copy(text, start_);
    size_ = text.size();
}

InputText::~InputText() {
    release();
}

InputText::InputText(InputText&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)),
      given_back_(std::exchange(other.given_back_, 0)) {}

InputText& InputText::operator=(InputText&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
    std::swap(given_back_, other.given_back_);
    return *this;
}

// Pages move without being copied, and take memory once something is written to them.
bool InputText::grow(std::size_t room) {
    const std::size_t needed = room + simdjson::SIMDJSON_PADDING;
    if (needed <= mapped_)
        return true;
    const std::size_t size = (std::max({needed, 2 * mapped_, first_room}) + page - 1) / page * page;
    void* at = start_ == nullptr
                   ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                   : ::mremap(start_, mapped_, size, MREMAP_MAYMOVE);
    if (at == MAP_FAILED)
        return false;
    start_ = static_cast<char*>(at);
    mapped_ = size;
    return true;
}

void InputText::give_back(std::size_t offset) {
    const std::size_t end = std::min(offset, size_) / worth_giving_back * worth_giving_back;
    if (end <= given_back_)
        return;
    ::madvise(start_ + given_back_, end - given_back_, MADV_DONTNEED);
    given_back_ = end;
}

void InputText::release() {
    if (start_ != nullptr)
        ::munmap(start_, mapped_);
}

}  // namespace echelon::kube
