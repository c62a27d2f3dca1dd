// Admission webhooks of controllers that run on this machine.

package plane

import (
	"bytes"
	"context"
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
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// hooks are the admission webhooks of controllers that run on this machine, as kube-apiserver calls them.
type hooks struct {
	plane *Plane
	names []string // Of those that are registered.
}

// podLabels: only pods with this label go to a manager's webhooks. The manifests of the projects select all pods.
var podLabels = map[string]string{
	"lws":    "leaderworkerset.sigs.k8s.io/name",
	"jobset": "jobset.sigs.k8s.io/jobset-name",
}

// register makes kube-apiserver call the webhooks of a manifest at that address, after each of them answers there.
func (h *hooks) register(ctx context.Context, server *Process, name, manifest, url, caFile string) error {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		return err
	}
	selector := &meta.LabelSelector{MatchExpressions: []meta.LabelSelectorRequirement{
		{Key: podLabels[name], Operator: meta.LabelSelectorOpExists}}}
	var paths []string
	point := func(client *admission.WebhookClientConfig, rules []admission.RuleWithOperations) *meta.LabelSelector {
		paths = append(paths, *client.Service.Path)
		at := url + *client.Service.Path
		client.URL, client.Service, client.CABundle = &at, nil, ca
		if slices.Contains(rules[0].Resources, "pods") {
			return selector
		}
		return nil
	}
	var mutating admission.MutatingWebhookConfiguration
	var validating admission.ValidatingWebhookConfiguration
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			return fmt.Errorf("%s: %w", manifest, err)
		}
		var into any
		switch kind.Kind {
		case "MutatingWebhookConfiguration":
			into = &mutating
		case "ValidatingWebhookConfiguration":
			into = &validating
		default:
			continue
		}
		if err := yaml.UnmarshalStrict(document, into); err != nil {
			return fmt.Errorf("%s: %w", manifest, err)
		}
	}
	for i := range mutating.Webhooks {
		hook := &mutating.Webhooks[i]
		hook.ObjectSelector = point(&hook.ClientConfig, hook.Rules)
	}
	for i := range validating.Webhooks {
		hook := &validating.Webhooks[i]
		hook.ObjectSelector = point(&hook.ClientConfig, hook.Rules)
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: no webhooks", manifest)
	}
	if err := answered(ctx, server, url, paths, ca); err != nil {
		return err
	}
	h.names = append(h.names, name)
	mutating.ObjectMeta, validating.ObjectMeta = meta.ObjectMeta{Name: name}, meta.ObjectMeta{Name: name}
	client := kubernetes.NewForConfigOrDie(h.plane.Config(AdminUser)).AdmissionregistrationV1()
	if _, err := client.MutatingWebhookConfigurations().Create(ctx, &mutating, meta.CreateOptions{}); err != nil {
		return err
	}
	_, err = client.ValidatingWebhookConfigurations().Create(ctx, &validating, meta.CreateOptions{})
	return err
}

// answered waits until each path is served: a manager starts its webhooks one after another.
func answered(ctx context.Context, server *Process, url string, paths []string, ca []byte) error {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return server.until(ctx, "answering its webhooks", func() error {
		for _, path := range paths {
			answer, err := client.Post(url+path, "application/json", nil)
			if err != nil {
				return err
			}
			answer.Body.Close()
			if answer.StatusCode == http.StatusNotFound {
				return fmt.Errorf("nothing at %s", path)
			}
		}
		return nil
	})
}

func (h *hooks) remove() {
	client := kubernetes.NewForConfigOrDie(h.plane.Config(AdminUser)).AdmissionregistrationV1()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, name := range h.names {
		_ = client.MutatingWebhookConfigurations().Delete(ctx, name, meta.DeleteOptions{})
		_ = client.ValidatingWebhookConfigurations().Delete(ctx, name, meta.DeleteOptions{})
	}
	h.names = nil
}

// writeCertificate makes a self-signed certificate for 127.0.0.1: tls.crt and tls.key in that folder.
func writeCertificate(folder string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	if err := os.WriteFile(filepath.Join(folder, "tls.crt"), text, 0o644); err != nil {
		return err
	}
	text = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	return os.WriteFile(filepath.Join(folder, "tls.key"), text, 0o600)
}
