#include "unit-tests/server/authority.hpp"

#include <atomic>
#include <cstdio>
#include <memory>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace echelon::server::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

Key new_key() {
    return {EVP_EC_gen("P-256"), &EVP_PKEY_free};
}

Certificate new_certificate(const std::string& common_name, int serial, EVP_PKEY* key) {
    Certificate certificate(X509_new(), &X509_free);
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(common_name.data()),
                               static_cast<int>(common_name.size()), -1, 0);
    return certificate;
}

void extend(X509* certificate, int nid, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
    REQUIRE(extension != nullptr);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

void write_certificate(const std::string& file, X509* certificate) {
    File out(std::fopen(file.c_str(), "w"), &std::fclose);
    REQUIRE(PEM_write_X509(out.get(), certificate) == 1);
}

void write_key(const std::string& file, EVP_PKEY* key) {
    File out(std::fopen(file.c_str(), "w"), &std::fclose);
    REQUIRE(PEM_write_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
}

std::filesystem::path new_folder() {
    static std::atomic<int> number = 0;
    auto folder = std::filesystem::temp_directory_path() / fmt::format("echelon-{}-{}", ::getpid(), ++number);
    std::filesystem::create_directories(folder);
    return folder;
}

}  // namespace

struct Authority::Keys {
    Key key = new_key();
    Certificate certificate{nullptr, &X509_free};
};

Authority::Authority() : folder_(new_folder()), ca_file_(folder_ / "ca.crt"), keys_(std::make_unique<Keys>()) {
    keys_->certificate = new_certificate("echelon test CA", serial_++, keys_->key.get());
    auto* own = keys_->certificate.get();
    X509_set_issuer_name(own, X509_get_subject_name(own));
    extend(own, NID_basic_constraints, "critical,CA:TRUE");
    extend(own, NID_key_usage, "critical,keyCertSign,cRLSign");
    REQUIRE(X509_sign(own, keys_->key.get(), EVP_sha256()) > 0);
    write_certificate(ca_file_, own);
}

Authority::~Authority() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

Identity Authority::sign(const std::string& common_name, const std::string& alternatives) {
    auto key = new_key();
    auto certificate = new_certificate(common_name, serial_++, key.get());
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(keys_->certificate.get()));
    if (!alternatives.empty())
        extend(certificate.get(), NID_subject_alt_name, alternatives);
    REQUIRE(X509_sign(certificate.get(), keys_->key.get(), EVP_sha256()) > 0);
    Identity identity{folder_ / fmt::format("{}.crt", serial_), folder_ / fmt::format("{}.key", serial_)};
    write_certificate(identity.cert_file, certificate.get());
    write_key(identity.key_file, key.get());
    return identity;
}

config::Tls Authority::server(std::vector<std::string> allowed_names) {
    auto identity = sign("echelon", "DNS:localhost,IP:127.0.0.1");
    return {.cert_file = identity.cert_file,
            .key_file = identity.key_file,
            .client_ca_file = ca_file_,
            .allowed_names = std::move(allowed_names)};
}

}  // namespace echelon::server::test
