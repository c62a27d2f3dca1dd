package world

import (
	"context"
	"encoding/json"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// GangPlan has the fields of a GangPlan that users read.
type GangPlan struct {
	Phase, Reason, Message string
	Bound                  string
	Seats                  []Seat
	Groups                 []PlannedGroup
	Victims                []Victim
}

// Victim is a pod that is evicted for the gang.
type Victim struct {
	Pod, UID, Node, Gang string
	Priority             int64
}

// Seat is one planned place.
type Seat struct {
	Pod, UID, Node string
	Bound          bool
}

// PlannedGroup is one group of the plan.
type PlannedGroup struct {
	Group, Domain   string
	Placed, Minimum int64
}

// GangPlans is the resource of GangPlans.
var GangPlans = schema.GroupVersionResource{Group: "echelon.sh", Version: "v1alpha1", Resource: "gangplans"}

// ReadGangPlan returns nil if there is none (yet).
func ReadGangPlan(ctx context.Context, client dynamic.Interface, namespace, name string) *GangPlan {
	object, err := client.Resource(GangPlans).Namespace(namespace).Get(ctx, name, meta.GetOptions{})
	if err != nil {
		return nil
	}
	return planOf(object)
}

func planOf(object *unstructured.Unstructured) *GangPlan {
	var typed struct{ Status GangPlan }
	text, err := object.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &typed)
	}
	if err != nil {
		return &GangPlan{Phase: "unreadable: " + err.Error()}
	}
	return &typed.Status
}

// SeatOf is the planned node of each pod, by namespace/name.
func (p *GangPlan) SeatOf() map[string]string {
	seats := map[string]string{}
	for _, seat := range p.Seats {
		seats[seat.Pod] = seat.Node
	}
	return seats
}

// ListGangPlans are all of a namespace, by name.
func ListGangPlans(ctx context.Context, client dynamic.Interface, namespace string) map[string]*GangPlan {
	plans := map[string]*GangPlan{}
	list, err := client.Resource(GangPlans).Namespace(namespace).List(ctx, meta.ListOptions{})
	if err != nil {
		return plans
	}
	for _, item := range list.Items {
		plans[item.GetName()] = planOf(&item)
	}
	return plans
}
