#pragma once

// Which callers may connect over TLS? One server certificate, one CA for callers, and a list of allowed names.
//
// TLS 1.2 or newer, no resumption (a resumed session would skip the certificate). With a CA a client certificate is
// required. Files are read at the start and by reload(), which doesn't affect existing connections. Thread-safe.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "server/http/socket.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

class TlsContext {
public:
    // An error names the file that can't be read or doesn't match. Client certificates are required if a CA or allowed
    // names are configured.
    [[nodiscard]] static base::Result<std::unique_ptr<TlsContext>> load(const config::Tls& tls);
    // For the webhook.
    [[nodiscard]] static base::Result<std::unique_ptr<TlsContext>> load(const config::Webhook& webhook);

    // Reads the files again. False: unchanged since the last attempt. True: changed, and used for new connections. An
    // error: they changed and can't be used; the old ones stay, and the same content isn't tried again.
    [[nodiscard]] base::Result<bool> reload();

    // A new server-side session; null if memory is short.
    [[nodiscard]] SslHandle session() const;
    // True if the peer's certificate has an allowed name. Requires: the handshake is complete.
    [[nodiscard]] bool admits(const SSL* ssl) const;

private:
    struct EndContext {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    };
    using Context = std::unique_ptr<SSL_CTX, EndContext>;
    using Digest = std::array<unsigned char, 32>;  // SHA-256 over all files; a missing file counts as empty.

    TlsContext(config::Tls tls, bool is_open);
    [[nodiscard]] static base::Result<std::unique_ptr<TlsContext>> load(const config::Tls& tls, bool is_open);
    [[nodiscard]] static base::Result<Context> make(const config::Tls& tls, bool is_open);
    [[nodiscard]] Digest digest() const;

    const config::Tls tls_;
    const bool is_open_;  // No client certificate is required.
    mutable std::mutex mutex_;
    // Protected by mutex_.
    Context context_;
    Digest tried_{};  // Digest of the files at the last attempt, valid or not.
};

// Whether the TLS files of every port can be used now. An error names the file.
[[nodiscard]] base::Result<void> check_tls_files(const config::Settings& settings);

// Common names and subject alternative names (DNS, e-mail, URI) of a certificate, byte for byte.
[[nodiscard]] std::vector<std::string> names_of(X509* certificate);

}  // namespace echelon::server
