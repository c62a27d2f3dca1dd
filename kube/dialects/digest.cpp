#include "kube/dialects/digest.hpp"

#include <array>
#include <span>

#include <fmt/format.h>
#include <openssl/sha.h>

namespace echelon::kube {

std::string digest_of(std::string_view text) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes{};
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes.data());
    std::string out;
    for (const unsigned char byte : std::span(bytes).first(bytes.size() / 2))
        out += fmt::format("{:02x}", byte);
    return out;
}

}  // namespace echelon::kube
