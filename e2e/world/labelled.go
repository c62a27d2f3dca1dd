package world

import (
	"fmt"

	core "k8s.io/api/core/v1"
)

// Labelled is a gang that exists by labels and annotations alone, on otherwise plain pods.
type Labelled struct {
	Name         string
	Minimum      int    // Pods when there are no groups, else groups.
	Required     string // The level of the whole gang.
	Groups       int    // 0: the gang is one leaf.
	GroupSize    int    // Pods of each group (of the gang, when there are no groups); all of them are its minimum.
	GroupRequire string
	Gate         bool
}

// Members returns the pods; LeafLabel has the name of the group.
func (l Labelled) Members(namespace string) []*core.Pod {
	var pods []*core.Pod
	for group := range max(1, l.Groups) {
		for i := range l.GroupSize {
			leaf := l.Name
			labels := map[string]string{"echelon.sh/gang": l.Name}
			annotations := map[string]string{"echelon.sh/gang-minimum": fmt.Sprint(l.Minimum)}
			if l.Required != "" {
				annotations["echelon.sh/gang-required-topology"] = l.Required
			}
			if l.Groups > 0 {
				leaf = fmt.Sprintf("%s-%d", l.Name, group)
				labels["echelon.sh/group"] = leaf
				annotations["echelon.sh/group-minimum"] = fmt.Sprint(l.GroupSize)
				if l.GroupRequire != "" {
					annotations["echelon.sh/group-required-topology"] = l.GroupRequire
				}
			}
			labels[LeafLabel] = leaf
			pod := Pod{Name: fmt.Sprintf("%s-%d", leaf, i), Gang: l.Name, Gate: l.Gate, Labels: labels, Annotations: annotations}
			pods = append(pods, pod.Object(namespace))
		}
	}
	return pods
}
