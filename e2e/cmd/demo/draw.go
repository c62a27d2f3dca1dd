package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/world"
)

// painter colours text on a terminal and leaves it alone elsewhere.
type painter struct{ coloured bool }

func newPainter() painter {
	info, err := os.Stdout.Stat()
	return painter{coloured: err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""}
}

func (p painter) with(code, text string) string {
	if !p.coloured {
		return text
	}
	return "\033[" + code + "m" + text + "\033[0m"
}

func (p painter) bold(text string) string { return p.with("1", text) }
func (p painter) dim(text string) string  { return p.with("2", text) }

// One sign and one colour for each replica of the service.
var replicas = []struct{ leaf, sign, colour string }{
	{"chat-prefill-0", "P", "1;36"}, {"chat-prefill-1", "p", "36"}, {"chat-decode-0", "D", "1;33"}, {"chat-decode-1", "d", "33"},
}

func (s *show) title(text string) { fmt.Printf("\n%s\n", s.paint.bold(text)) }

// drawFabric is the topology as a tree, a sign for each host: taken, free, or the replica that landed there.
func (s *show) drawFabric() {
	signs := map[string]string{}
	for _, pod := range s.observer.Pods(namespace, "others") {
		signs[pod.Spec.NodeName] = s.paint.dim("■")
	}
	for _, replica := range replicas {
		for _, pod := range world.Bound(s.members(replica.leaf + "-")) {
			signs[pod.Spec.NodeName] = s.paint.with(replica.colour, replica.sign)
		}
	}
	for block := range fabric.Blocks {
		var lines []string
		free := 0
		for rack := range fabric.Racks {
			row, room := "", 0
			for host := range fabric.Hosts {
				sign, taken := signs[world.HostName(block, rack, host)]
				if !taken {
					sign = s.paint.with("32", "·")
					room++
				}
				row += sign
			}
			branch := "├─"
			if rack == fabric.Racks-1 {
				branch = "└─"
			}
			free += room
			lines = append(lines, fmt.Sprintf("  %s rack r%d  %s  %2d of %d hosts free\n", branch, rack, row, room, fabric.Hosts))
		}
		fmt.Printf("  block b%d%s%2d of %d hosts free\n%s", block, strings.Repeat(" ", 23), free, fabric.Racks*fabric.Hosts, strings.Join(lines, ""))
	}
	key := s.paint.dim("■") + " taken  " + s.paint.with("32", "·") + " free"
	if len(s.members("chat-")) > 0 {
		for _, replica := range replicas {
			key += "  " + s.paint.with(replica.colour, replica.sign) + " " + replica.leaf
		}
	}
	fmt.Printf("  %s\n", key)
}

// drawLandings lists which pods of which replica landed on which hosts.
func (s *show) drawLandings(pods []*core.Pod) {
	fmt.Printf("\n  %-16s %-7s %-6s %s\n", "replica", "block", "rack", "hosts")
	for _, replica := range replicas {
		hosts := map[string][]string{}
		for _, pod := range pods {
			if !strings.HasPrefix(pod.Name, replica.leaf+"-") {
				continue
			}
			_, rack := s.observer.Place(pod.Spec.NodeName)
			hosts[rack] = append(hosts[rack], pod.Spec.NodeName[strings.LastIndex(pod.Spec.NodeName, "-")+1:])
		}
		for rack, names := range hosts {
			block, name, _ := strings.Cut(rack, "/")
			slices.Sort(names)
			fmt.Printf("  %s %-7s %-6s %s\n", s.paint.with(replica.colour, fmt.Sprintf("%-16s", replica.leaf)), block, name, strings.Join(names, " "))
		}
	}
}
