#include "kube/json/input_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace echelon::kube {

namespace {

constexpr std::size_t largest_input = (std::size_t{4} << 30U) - 1;
constexpr std::size_t first_room = std::size_t{1} << 20U;
constexpr std::size_t chunk = std::size_t{1} << 18U;
constexpr std::size_t least_parallel_size = std::size_t{8} << 20U;
constexpr std::size_t release_unit = std::size_t{16} << 20U;
constexpr std::size_t page = 4096;  // Where pages are larger, 16 MB (`give_back`) is still a multiple of them.

class File {
public:
    explicit File(const std::string& path)
        : number_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~File() {
        if (number_ > STDIN_FILENO)
            ::close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] int number() const { return number_; }
    // In bytes, of a regular file at its start; else 0.
    [[nodiscard]] std::size_t size() const {
        struct stat facts{};
        const bool is_known = ::fstat(number_, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0;
        return is_known && ::lseek(number_, 0, SEEK_CUR) == 0 ? static_cast<std::size_t>(facts.st_size) : 0;
    }

private:
    int number_;
};

// Returns bytes read, 0 at the end, -1 with `errno` set. `offset`: where in the file; absent: the current position.
ssize_t read_once(int file, char* to, std::size_t most, std::optional<std::size_t> offset) {
    for (;;) {
        const ssize_t got = offset ? ::pread(file, to, most, static_cast<off_t>(*offset)) : ::read(file, to, most);
        if (got >= 0 || errno != EINTR)
            return got;
    }
}

// Fills `to` from `offset` on; returns how many bytes were read. An error ends it early, and the next read meets it
// again.
std::size_t read_part(int file, std::span<char> to, std::size_t offset) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ssize_t got = read_once(file, to.data() + done, std::min(chunk, to.size() - done), offset + done);
        if (got <= 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

// Reads with two threads, since half of the time goes into faulting in new pages. A short first half ends the text.
std::size_t read_halves(int file, std::span<char> to) {
    const std::size_t half = to.size() / 2;
    std::size_t second = 0;
    std::size_t first = 0;
    {
        const std::jthread other([&] { second = read_part(file, to.subspan(half), half); });
        first = read_part(file, to.first(half), 0);
    }
    return first < half ? first : half + second;
}

}  // namespace

base::Result<InputText> InputText::read(const std::string& path, const std::string& source) {
    const File file(path);
    const auto unreadable = [&] {
        return base::failure(fmt::format("{}: can't be read: {}", source, std::strerror(errno)));
    };
    const auto too_large = [&] { return base::failure(fmt::format("{}: larger than 4 GB", source)); };
    if (file.number() < 0)
        return unreadable();
    InputText out;
    const std::size_t size = file.size();
    if (size > largest_input)
        return too_large();
    if (size >= least_parallel_size) {
        if (!out.grow(size + chunk))
            return unreadable();
        out.size_ = read_halves(file.number(), {out.start_, size});
        std::fill(out.start_ + out.size_, out.start_ + size, '\0');  // Where the file has shrunk meanwhile.
        if (::lseek(file.number(), static_cast<off_t>(out.size_), SEEK_SET) < 0)
            return unreadable();
    }
    // A short file is read here as a whole, a long one only beyond the size that it had.
    for (;;) {
        if (!out.grow(out.size_ + chunk))
            return unreadable();
        const ssize_t got = read_once(file.number(), out.start_ + out.size_, chunk, std::nullopt);
        if (got < 0)
            return unreadable();
        if (got == 0)
            return out;
        out.size_ += static_cast<std::size_t>(got);
        if (out.size_ > largest_input)
            return too_large();
    }
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
      released_(std::exchange(other.released_, 0)) {}

InputText& InputText::operator=(InputText&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
    std::swap(released_, other.released_);
    return *this;
}

// mremap moves pages without a copy, and a page takes memory only once it is written.
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
    const std::size_t end = std::min(offset, size_) / release_unit * release_unit;
    if (end <= released_)
        return;
    ::madvise(start_ + released_, end - released_, MADV_DONTNEED);
    released_ = end;
}

void InputText::release() {
    if (start_ != nullptr)
        ::munmap(start_, mapped_);
}

}  // namespace echelon::kube
