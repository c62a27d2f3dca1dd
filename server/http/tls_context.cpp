#include "server/http/tls_context.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

namespace echelon::server {
namespace {

// OpenSSL has no words for an error of the system, such as a file that is missing.
std::string last_openssl_error() {
    const auto code = ERR_get_error();
    ERR_clear_error();
    if (code == 0)
        return "unknown reason";
    if (const char* reason = ERR_reason_error_string(code))
        return reason;
    const bool is_of_system = ERR_GET_LIB(code) == ERR_LIB_SYS;
    return is_of_system ? std::generic_category().message(ERR_GET_REASON(code)) : "unknown reason";
}

base::Error file_error(std::string_view key, const std::string& file) {
    return {fmt::format("tls.{} \"{}\": {}", key, file, last_openssl_error())};
}

std::string bytes_of(const ASN1_STRING* text) {
    const unsigned char* bytes = ASN1_STRING_get0_data(text);
    return {bytes, bytes + ASN1_STRING_length(text)};
}

// "10.0.0.1", "2001:db8::1"; empty: neither IPv4 nor IPv6.
std::string address_in(const ASN1_STRING* bytes) {
    const int length = ASN1_STRING_length(bytes);
    const int family = length == sizeof(in_addr) ? AF_INET : AF_INET6;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (family == AF_INET6 && length != sizeof(in6_addr))
        return {};
    ::inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
    return text.data();
}

// UTF-8, whatever the encoding in the certificate.
void add_as_utf8(const ASN1_STRING* text, std::vector<std::string>& names) {
    unsigned char* bytes = nullptr;
    int length = ASN1_STRING_to_UTF8(&bytes, text);
    if (length >= 0)
        names.emplace_back(bytes, bytes + length);
    OPENSSL_free(bytes);
}

// Hashes the content after its length, so that moving bytes between files changes the digest. An unreadable file counts
// as empty.
std::string framed_content(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    return fmt::format("{}:{}", bytes.size(), bytes);
}

}  // namespace

std::vector<std::string> names_of(X509* certificate) {
    std::vector<std::string> names;
    const X509_NAME* subject = X509_get_subject_name(certificate);
    for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
        add_as_utf8(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)), names);
    }
    auto* alternatives =
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
    for (int at = 0; at < sk_GENERAL_NAME_num(alternatives); ++at) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(alternatives, at);
        if (name->type == GEN_DNS)
            names.push_back(bytes_of(name->d.dNSName));
        if (name->type == GEN_EMAIL)
            names.push_back(bytes_of(name->d.rfc822Name));
        if (name->type == GEN_URI)
            names.push_back(bytes_of(name->d.uniformResourceIdentifier));
        if (name->type == GEN_IPADD)
            names.push_back(address_in(name->d.iPAddress));
    }
    GENERAL_NAMES_free(alternatives);
    return names;
}

TlsContext::TlsContext(config::Tls tls, bool is_open) : tls_(std::move(tls)), is_open_(is_open) {}

base::Result<std::unique_ptr<TlsContext>> TlsContext::load(const config::Tls& tls) {
    // Settings without a CA are valid on loopback alone. Without a CA nobody could have an allowed name.
    return load(tls, tls.client_ca_file.empty() && tls.allowed_names.empty());
}

base::Result<std::unique_ptr<TlsContext>> TlsContext::load(const config::Webhook& webhook) {
    return load({webhook.cert_file, webhook.key_file, webhook.client_ca_file, {}}, webhook.client_ca_file.empty());
}

base::Result<std::unique_ptr<TlsContext>> TlsContext::load(const config::Tls& tls, bool is_open) {
    // SSL_write has no MSG_NOSIGNAL; a peer that hangs up must not end the process.
    std::signal(SIGPIPE, SIG_IGN);
    std::unique_ptr<TlsContext> loaded(new TlsContext(tls, is_open));
    // Computed before the files are loaded: a change in between leads to another reload.
    loaded->tried_ = loaded->digest();
    auto context = make(tls, is_open);
    if (!context)
        return std::unexpected(std::move(context.error()));
    loaded->context_ = std::move(*context);
    return loaded;
}

base::Result<bool> TlsContext::reload() {
    const auto found = digest();
    {
        const std::lock_guard lock(mutex_);
        if (found == tried_)
            return false;
        tried_ = found;
    }
    auto context = make(tls_, is_open_);
    if (!context)
        return std::unexpected(std::move(context.error()));
    const std::lock_guard lock(mutex_);
    context_ = std::move(*context);  // Existing sessions keep the old context.
    return true;
}

TlsContext::Digest TlsContext::digest() const {
    const std::string bytes =
        framed_content(tls_.cert_file) + framed_content(tls_.key_file) + framed_content(tls_.client_ca_file);
    Digest digest{};
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
    return digest;
}

base::Result<TlsContext::Context> TlsContext::make(const config::Tls& tls, bool is_open) {
    ERR_clear_error();
    Context context(SSL_CTX_new(TLS_server_method()));
    SSL_CTX* raw = context.get();
    if (raw == nullptr)
        return base::failure(fmt::format("tls: {}", last_openssl_error()));
    SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
    SSL_CTX_set_options(raw, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_num_tickets(raw, 0);
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(raw,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    if (SSL_CTX_use_certificate_chain_file(raw, tls.cert_file.c_str()) != 1) {
        return std::unexpected(file_error("certFile", tls.cert_file));
    }
    if (SSL_CTX_use_PrivateKey_file(raw, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(raw) != 1) {
        return std::unexpected(file_error("keyFile", tls.key_file));
    }
    if (is_open)
        return context;
    // Without a CA callers can't be authenticated: fail closed.
    if (tls.client_ca_file.empty())
        return base::failure("tls.clientCAFile: is missing");
    if (SSL_CTX_load_verify_locations(raw, tls.client_ca_file.c_str(), nullptr) != 1) {
        return std::unexpected(file_error("clientCAFile", tls.client_ca_file));
    }
    SSL_CTX_set_client_CA_list(raw, SSL_load_client_CA_file(tls.client_ca_file.c_str()));
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return context;
}

SslHandle TlsContext::session() const {
    const std::lock_guard lock(mutex_);
    SslHandle ssl(SSL_new(context_.get()));
    if (ssl)
        SSL_set_accept_state(ssl.get());
    return ssl;
}

bool TlsContext::admits(const SSL* ssl) const {
    if (is_open_)
        return true;
    X509* certificate = SSL_get0_peer_certificate(ssl);
    if (certificate == nullptr)
        return false;
    if (tls_.allowed_names.empty())
        return true;
    auto names = names_of(certificate);
    return std::ranges::any_of(names, [this](const std::string& name) {
        return std::ranges::find(tls_.allowed_names, name) != tls_.allowed_names.end();
    });
}

base::Result<void> check_tls_files(const config::Settings& settings) {
    if (settings.tls) {
        if (const auto loaded = TlsContext::load(*settings.tls); !loaded)
            return std::unexpected(loaded.error());
    }
    if (settings.webhook) {
        if (const auto loaded = TlsContext::load(*settings.webhook); !loaded)
            return base::failure(fmt::format("webhook: {}", loaded.error().sentence));
    }
    return {};
}

}  // namespace echelon::server
