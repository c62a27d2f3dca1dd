#pragma once

// Who may call over TLS: one server certificate, one CA for callers, and the names that are let in.
//
// TLS 1.2 or newer, client certificate required, resumption off (a resumed session would skip the certificate). Files
// are read once, when the context is made. Thread-safe after construction.

#include "config/settings.hpp"
#include "model/result.hpp"
#include "server/channel.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

class TlsContext {
public:
    // A sentence names the file that can't be read or doesn't fit.
    [[nodiscard]] static model::Result<std::unique_ptr<TlsContext>> load(const config::Tls& tls);

    // A new session of the server's side; null when memory is short.
    [[nodiscard]] SslHandle session() const;
    // True when the certificate of a finished handshake bears one of the allowed names.
    [[nodiscard]] bool admits(const SSL* ssl) const;

private:
    struct EndContext {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    };
    TlsContext(SSL_CTX* context, std::vector<std::string> allowed_names);

    std::unique_ptr<SSL_CTX, EndContext> context_;
    std::vector<std::string> allowed_names_;  // Empty: every certificate of the CA.
};

// Common names and subject alternative names (DNS, e-mail, URI) of a certificate, byte for byte.
[[nodiscard]] std::vector<std::string> names_of(X509* certificate);

}  // namespace echelon::server
