// Certificates for tests: an authority, and files as a Secret would be mounted.

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pair is a certificate and its key, as PEM.
type pair struct{ certificate, key []byte }

// authority signs certificates of a test, for an hour.
type authority struct {
	*stand
	pair
	parsed  *x509.Certificate
	private *ecdsa.PrivateKey
}

func (s *stand) authority(name string) authority {
	s.Helper()
	a := authority{stand: s}
	a.pair = a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	both, err := tls.X509KeyPair(a.certificate, a.key)
	s.must(err)
	a.parsed, a.private = both.Leaf, both.PrivateKey.(*ecdsa.PrivateKey)
	return a
}

// sign makes a key and its certificate, self-signed if there is no authority.
func (a authority) sign(template *x509.Certificate) pair {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a.must(err)
	template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62))
	a.must(err)
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	by, signer := a.parsed, a.private
	if by == nil {
		by, signer = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, by, &key.PublicKey, signer)
	a.must(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	a.must(err)
	return pair{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})}
}

// issue makes a certificate for a server on 127.0.0.1, or for a client with that name.
func (a authority) issue(name string) pair {
	a.Helper()
	return a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
}

// mount is a folder whose files all change at once, like those of a mounted Secret.
type mount struct {
	*stand
	folder string
	swaps  int
}

// mount has the files of a kubernetes.io/tls Secret.
func (s *stand) mount(name string, shown pair, ca []byte) *mount {
	s.Helper()
	m := &mount{stand: s, folder: filepath.Join(shared.Logs, name)}
	m.swap(shown, ca)
	return m
}

func (m *mount) swap(shown pair, ca []byte) {
	m.Helper()
	m.swaps++
	data := fmt.Sprintf("%s.%d", m.folder, m.swaps)
	m.must(os.Mkdir(data, 0o755))
	for name, content := range map[string][]byte{"tls.crt": shown.certificate, "tls.key": shown.key, "ca.crt": ca} {
		m.must(os.WriteFile(filepath.Join(data, name), content, 0o600))
	}
	m.must(os.Symlink(data, data+".link"))
	m.must(os.Rename(data+".link", m.folder))
}

// options are the lines of a configuration that name the files.
func (m *mount) options() string {
	return fmt.Sprintf("certFile: %q, keyFile: %q", filepath.Join(m.folder, "tls.crt"), filepath.Join(m.folder, "tls.key"))
}

func (m *mount) ca() string { return filepath.Join(m.folder, "ca.crt") }

// dialling configures a client that trusts the CA and presents that certificate; empty: no certificate.
func (s *stand) dialling(shown pair, ca []byte) *tls.Config {
	s.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(ca)
	if shown.certificate != nil {
		certificate, err := tls.X509KeyPair(shown.certificate, shown.key)
		s.must(err)
		config.Certificates = []tls.Certificate{certificate}
	}
	return config
}
