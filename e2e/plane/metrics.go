package plane

import (
	"context"
	"io"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
)

// Sample is one line of the Prometheus text format.
type Sample struct {
	Name   string
	Labels string // As written, without the braces.
	Value  float64
}

// Metrics is one scrape.
type Metrics []Sample

// ParseMetrics reads the text format; lines that it can't read are left out.
func ParseMetrics(text string) Metrics {
	var all Metrics
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		cut := strings.LastIndexByte(line, ' ')
		if cut < 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[cut+1:], 64)
		if err != nil {
			continue
		}
		name, labels, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line[:cut]), "}"), "{")
		all = append(all, Sample{Name: name, Labels: labels, Value: value})
	}
	return all
}

// Sum adds up the samples of a name whose labels contain all of `parts`, such as `verb="filter"`.
func (m Metrics) Sum(name string, parts ...string) float64 {
	sum := 0.0
next:
	for _, sample := range m {
		if sample.Name != name {
			continue
		}
		for _, part := range parts {
			if !strings.Contains(sample.Labels, part) {
				continue next
			}
		}
		sum += sample.Value
	}
	return sum
}

// Metrics returns the metrics of kube-apiserver.
func (p *Plane) Metrics(ctx context.Context) (Metrics, error) {
	client, err := rest.HTTPClientFor(p.Config(AdminUser))
	if err != nil {
		return nil, err
	}
	response, err := client.Get(p.URL() + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return ParseMetrics(string(body)), err
}
