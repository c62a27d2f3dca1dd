// What did each lane ask of the API server?

package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// requests counts what kube-apiserver has answered, by verb and resource: "PATCH pods/status".
type requests map[string]float64

var label = regexp.MustCompile(`(\w+)="([^"]*)"`)

func (b *bench) requests(ctx context.Context) (requests, error) {
	metrics, err := b.plane.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	counts := requests{}
	for _, sample := range metrics {
		if sample.Name != "apiserver_request_total" {
			continue
		}
		labels := map[string]string{}
		for _, pair := range label.FindAllStringSubmatch(sample.Labels, -1) {
			labels[pair[1]] = pair[2]
		}
		kind := labels["verb"] + " " + labels["resource"]
		if labels["subresource"] != "" {
			kind += "/" + labels["subresource"]
		}
		counts[kind] += sample.Value
	}
	return counts, nil
}

func (r requests) since(before requests) requests {
	counts := requests{}
	for kind, count := range r {
		if count > before[kind] {
			counts[kind] = count - before[kind]
		}
	}
	return counts
}

// writes is how many creates, updates and patches there are, without events, leases and reviews.
func (r requests) writes() float64 {
	sum := 0.0
	for kind, count := range r {
		verb, resource, _ := strings.Cut(kind, " ")
		switch resource {
		case "events", "leases", "subjectaccessreviews", "tokenreviews":
			continue
		}
		if slices.Contains([]string{"POST", "PUT", "PATCH", "APPLY"}, verb) {
			sum += count
		}
	}
	return sum
}

// per is the count of each kind for a pod, without leases.
func (r requests) per(pods int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(r)) {
		if !strings.HasSuffix(kind, "leases") {
			parts = append(parts, fmt.Sprintf("%s %.3f", kind, r[kind]/float64(pods)))
		}
	}
	return strings.Join(parts, ", ")
}
