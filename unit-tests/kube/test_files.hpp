#pragma once

// Files and certificates that last as long as one test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace echelon::kube {

class TestFolder {
public:
    TestFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "echelon-test-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~TestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    // Full path of a file with this content.
    std::string write(const std::string& name, const std::string& text) const {
        const std::string file = path_ + "/" + name;
        std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
        return file;
    }

private:
    std::string path_;
};

// A self-signed certificate for one subject alternative name: "IP:127.0.0.1", "DNS:api.example.org".
struct TestCertificate {
    std::unique_ptr<X509, decltype(&X509_free)> certificate{nullptr, &X509_free};
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{nullptr, &EVP_PKEY_free};

    explicit TestCertificate(const std::string& alternative_name, const std::string& common_name = "test") {
        key.reset(EVP_EC_gen("P-256"));
        certificate.reset(X509_new());
        X509* it = certificate.get();
        X509_set_version(it, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(it), 1);
        X509_gmtime_adj(X509_getm_notBefore(it), -3600);
        X509_gmtime_adj(X509_getm_notAfter(it), 3600);
        X509_set_pubkey(it, key.get());
        X509_NAME* name = X509_get_subject_name(it);
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
        X509_set_issuer_name(it, name);
        X509V3_CTX context;
        X509V3_set_ctx(&context, it, it, nullptr, nullptr, 0);
        add(context, NID_basic_constraints, "critical,CA:TRUE");
        add(context, NID_subject_alt_name, alternative_name.c_str());
        X509_sign(it, key.get(), EVP_sha256());
    }

    [[nodiscard]] std::string certificate_pem() const {
        return pem([this](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); });
    }
    [[nodiscard]] std::string key_pem() const {
        return pem([this](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        });
    }

private:
    void add(X509V3_CTX& context, int id, const char* value) {
        X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
        X509_add_ext(certificate.get(), extension, -1);
        X509_EXTENSION_free(extension);
    }
    template <typename Write>
    static std::string pem(const Write& write) {
        const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
        write(out.get());
        std::string text(BIO_ctrl_pending(out.get()), '\0');
        BIO_read(out.get(), text.data(), static_cast<int>(text.size()));
        return text;
    }
};

[[nodiscard]] inline std::string base64(const std::string& text) {
    std::string out((text.size() + 2) / 3 * 4 + 1, '\0');
    std::vector<unsigned char> in(text.begin(), text.end());
    std::vector<unsigned char> coded(out.size());
    const int size = EVP_EncodeBlock(coded.data(), in.data(), static_cast<int>(in.size()));
    return {coded.begin(), coded.begin() + size};
}

}  // namespace echelon::kube
