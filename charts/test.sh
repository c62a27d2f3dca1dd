#!/bin/sh
# Does the chart render what it should, refuse what would be wrong, and give echelon a configuration that it accepts?
#
#   charts/test.sh [--accept]     --accept: rewrites golden/, config/install and docs/values.md instead of comparing them
#
# Each file of cases/ is a set of values; golden/ has its rendering. A first line `# helm: ...` has further arguments of helm.
# Without helm (helm.sh) all checks are skipped with a message, or fail if $CI is set. Checks that need echelon ($ECHELON, or
# build/release/echelon) or promtool are skipped with a message where that program is missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
chart=$here/echelon
echelon=${ECHELON:-$here/../build/release/echelon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0
accept=no
case ${1:-} in
'') ;;
--accept) accept=yes ;;
*)
    echo "usage: charts/test.sh [--accept]" >&2
    exit 2
    ;;
esac

helm=$("$here/helm.sh") && found=0 || found=$?
if [ "$found" -ne 0 ]; then
    echo "skip  the chart: helm cannot be fetched (set HELM to one that is here)"
    [ -z "${CI:-}" ] || exit 1
    exit 0
fi

passed() { echo "ok    $1"; }
failed() {
    echo "FAIL  $1"
    [ -z "${2:-}" ] || sed 's/^/      /' "$2"
    failures=$((failures + 1))
}

# The part of a rendered ConfigMap under the key $2, without its indentation.
embedded() {
    awk -v key="  $2: |" '$0 == key { on = 1; next } on && !/^    / { exit } on { print substr($0, 5) }' "$1"
}

# same NAME FOUND EXPECTED: two files are the same; with --accept they are made so.
same() {
    if [ "$accept" = yes ]; then
        mkdir -p "$(dirname "$3")"
        cp "$2" "$3"
    fi
    if diff -u "$3" "$2" >"$work/error" 2>&1; then passed "$1"; else failed "$1 (meant? charts/test.sh --accept)" "$work/error"; fi
}

render() { "$helm" template gangs "$chart" --namespace echelon-system --kube-version v1.34.4-vendor+1 "$@"; }

# Each render makes new keys and certificates.
without_keys() { sed -E 's/^(  (tls\.crt|tls\.key|ca\.crt|  caBundle): ).*/\1.../'; }

# renders NAME: the set of values in cases/NAME.yaml becomes golden/NAME.yaml.
renders() {
    arguments=$(sed -n '1s/^# helm: //p' "$here/cases/$1.yaml")
    if render --values "$here/cases/$1.yaml" $arguments >"$work/$1.yaml" 2>"$work/error"; then
        without_keys <"$work/$1.yaml" >"$work/$1.golden"
        same "renders: $1" "$work/$1.golden" "$here/golden/$1.yaml"
    else
        failed "renders: $1" "$work/error"
    fi
}

# lints NAME: Helm finds nothing to say about that set of values.
lints() {
    if "$helm" lint --strict --quiet --kube-version v1.34.4 --values "$here/cases/$1.yaml" "$chart" >"$work/error" 2>&1 ||
        grep -q "needs a cluster that serves\|doesn't serve" "$work/error"; then # helm lint can't be given further APIs.
        passed "lint: $1"
    else
        failed "lint: $1" "$work/error"
    fi
}

# has NAME TEXT..., lacks NAME TEXT...: an earlier render contains each text, or none of them.
has() {
    render=$1
    shift
    for text in "$@"; do
        if grep -qF -- "$text" "$work/$render.yaml"; then passed "$render has: $text"; else failed "$render has: $text"; fi
    done
}
lacks() {
    render=$1
    shift
    for text in "$@"; do
        if grep -qF -- "$text" "$work/$render.yaml"; then failed "$render has no: $text"; else passed "$render has no: $text"; fi
    done
}

# refuses NAME TEXT HELM-ARGUMENTS: the render fails, and says why.
refuses() {
    name=$1 text=$2
    shift 2
    if "$helm" template gangs "$chart" "$@" >/dev/null 2>"$work/error"; then
        failed "refuses: $name"
    elif grep -qF -- "$text" "$work/error"; then
        passed "refuses: $name"
    else
        failed "refuses: $name, but does not say: $text" "$work/error"
    fi
}

# accepted NAME: echelon accepts the configuration of an earlier render.
accepted() {
    embedded "$work/$1.yaml" echelon.yaml >"$work/$1-echelon.yaml"
    if [ ! -s "$work/$1-echelon.yaml" ]; then
        failed "$1: holds a configuration"
    elif [ ! -x "$echelon" ]; then
        echo "skip  echelon accepts the configuration of: $1 (not built: $echelon)"
    elif "$echelon" validate -f "$work/$1-echelon.yaml" >"$work/error" 2>&1; then
        passed "echelon accepts the configuration of: $1"
    else
        failed "echelon accepts the configuration of: $1" "$work/error"
    fi
}

for file in "$here"/cases/*.yaml; do
    name=$(basename "$file" .yaml)
    renders "$name"
    accepted "$name"
    lints "$name"
done

# Properties that must survive a golden file that was accepted too quickly.
has sidecar 'image: "registry.k8s.io/kube-scheduler:v1.34.4"' 'type: Recreate' 'readOnlyRootFilesystem: true'
has sidecar 'admin: {address: "[::]:9302"}'
has standalone-ipv6 'urlPrefix: https://[fd00:10:96::77]:9300/v1' 'address: "[fd00::9]:9300"' 'address: "[fd00::9]:9302"' 'clusterIP: "fd00:10:96::77"'
lacks sidecar 'kind: PodDisruptionBudget' 'ignorable: true' '- secrets' 'kind: Secret' 'pods/eviction' '0.0.0.0:9300' '0.0.0.0:9301'
has sidecar-two 'kind: PodDisruptionBudget' 'type: RollingUpdate' 'topologySpreadConstraints:' 'terminationGracePeriodSeconds: 110'
lacks sidecar-two DefaultPreemption
lacks sidecar-least ':gates' ':nominate' 'aggregate-to-' 'clusterIP: None' 'kind: Pod' 'kind: NetworkPolicy'
for name in standalone standalone-three standalone-cert-manager standalone-issuer standalone-own-certificates; do
    has "$name" 'clientCAFile: /etc/echelon-tls/' 'caFile: /etc/kubernetes/'
    lacks "$name" 'http://127' 'kube-scheduler:v' 'name: system:kube-scheduler' 'ignorable: true'
done
has standalone-three 'urlPrefix: https://10.0.0.77:9300/v1' 'mode: own'
lacks standalone-three DefaultPreemption
# Only the leader is ready there: an update that waits for other pods would never end.
has standalone-three 'rollingUpdate: {maxSurge: 1, maxUnavailable: 2}'
lacks standalone-three 'kind: PodDisruptionBudget'
has sidecar-two 'rollingUpdate: {maxSurge: 1, maxUnavailable: 0}'
has preempting 'pods/eviction' 'poddisruptionbudgets' 'preempt: true' 'preemption: {maxVictims: 64, timeout: 90s, foreign: true}'
has preempting 'conditions: true' 'compositepodgroups/status'
lacks sidecar 'compositepodgroups/status' 'conditions: true'
has export 'profiles: []' 'export: {kind: HyperNode, name: "fabric", from: "fabric"}' 'hypernodes' 'mode: own'
# A standby isn't ready, and the Service for metrics has its address, too.
lacks export '--server'
has sidecar-two '--server'
lacks export 'kube-scheduler' 'pods/status' 'containerPort: 9300' 'clusternetworktopologies/'
has levels 'gang: false' 'topology: true'
has fabric 'schedulerName: "system-scheduler"' 'failureThreshold: 151'
# Monitors name the job for the chart's name.
render --values "$here/cases/monitored.yaml" --api-versions monitoring.coreos.com/v1/PrometheusRule --set nameOverride=gangs \
    --show-only templates/prometheusrule.yaml --show-only templates/dashboard.yaml >"$work/renamed.yaml"
has renamed 'up{job=~".*gangs.*"}' 'process_open_fds{job=~\".*gangs.*\"'
lacks renamed '.*echelon.*'
# Users may read GangPlans, but echelon alone writes them.
render --show-only templates/rbac-users.yaml >"$work/users.yaml"
sed '/:edit$/,$d' "$work/users.yaml" >"$work/view.yaml"
sed '1,/:edit$/d' "$work/users.yaml" >"$work/edit.yaml"
has view 'aggregate-to-view: "true"' 'resources: [gangplans, gangs]' 'verbs: [get, list, watch]'
lacks view create update patch delete '*'
has edit 'aggregate-to-edit: "true"' 'aggregate-to-admin: "true"' 'resources: [gangs]' 'verbs: [create, update, patch, delete]'
lacks edit gangplans '*'

refuses 'certificates that nothing would keep' 'tls.source chart needs the cluster' --set mode=standalone
refuses 'the same of the webhook' 'tls.source chart needs the cluster' --set webhook.enabled=true
refuses 'an address that is none' 'listenAddress' --set listenAddress=localhost
refuses 'an address beyond all of IPv4' 'listenAddress' --set listenAddress=10.0.0.256
refuses 'an unknown key' 'replicas' --set replicas=3
refuses 'an unknown key further down' 'barier' --set timeouts.barier=3
refuses 'a right that is neither on nor off' 'aggregate' --set-string rbac.aggregate=true
refuses 'an ignorable extender' 'scheduler.ignorable must be false' --set scheduler.ignorable=true
refuses 'an export of nothing' 'export.kind' --set mode=export
refuses 'an export without a name' 'export.name' --set export.kind=HyperNode
refuses 'a name that Koordinator does not read' 'must be default' --set export.kind=ClusterNetworkTopology,export.name=fabric
refuses 'a bind time-out too close to the barrier' 'at least 5 s longer' --set timeouts.bind=54
refuses 'a start without time for its lists' 'startup' --set timeouts.startup=9
refuses 'several replicas that always act' 'leader.mode follow' --set replicaCount=2
refuses 'two standalone replicas without an election' 'leader.mode own' --set mode=standalone,replicaCount=2
refuses 'an unknown leader mode' 'leader' --set leader.mode=any
refuses 'an election beside a kube-scheduler' 'leader.mode own needs mode standalone' --set leader.mode=own
refuses 'nobody to follow' 'leader.mode follow needs mode sidecar' --set mode=standalone,leader.mode=follow
refuses 'a Lease that ends at once' 'leaseSeconds' --set leader.leaseSeconds=1
refuses 'an unknown mode' 'mode' --set mode=daemon
refuses 'TLS without a CA' 'without a CA for its callers' --set mode=standalone,tls.source=secret,tls.secret.name=x,tls.secret.caKey=
refuses 'TLS without a certificate' 'needs tls.secret.name' --set mode=standalone,tls.source=secret
refuses 'a webhook that the API server would not ask' 'webhook.secretName and webhook.caBundle' --set webhook.enabled=true,tls.source=secret
refuses 'plain HTTP off loopback' 'tls' --set mode=standalone,tls.enabled=false
refuses 'cert-manager where there is none' 'cert-manager.io/v1' --set mode=standalone,tls.source=certManager
refuses 'a clearing that ends at once' 'timeout' --set preemption.timeout=0s
refuses 'a claim that ends at once' 'claimLifetime' --set queue.claimLifetime=0s
# What echelon refuses at its start must not be installed: the old pod would have ended by then.
refuses 'a clearing that is too long' 'preemption.timeout must be from 1s to 24h' --set preemption.timeout=48h
refuses 'a clearing that is too short' 'preemption.timeout must be from 1s to 24h' --set preemption.timeout=999ms
refuses 'a hold that is too long' 'limits.longestHold must be whole seconds from 1s to 24h' --set limits.longestHold=24h1s
refuses 'a hold of half a second' 'limits.longestHold must be whole seconds from 1s to 24h' --set limits.longestHold=1m0.5s
refuses 'evictions for gangs where there are none' 'preemption.enabled needs gangs.enabled' \
    --set preemption.enabled=true,gangs.enabled=false,gangs.topology=false
refuses 'a name that YAML reads as a number' 'scheduler.name' --set-string scheduler.name=1e3
refuses 'a taint of no known effect' 'taints' --set 'health.taints={broken=yes:NoStart}'
refuses 'a condition of no known status' 'conditions' --set 'health.conditions={Ready=Maybe}'
refuses 'a level that is no label key' 'levels' --set 'topologies[0].name=a,topologies[0].levels={two words}'
refuses 'a bound that no sound gang could keep' 'members' --set limits.members=0
refuses 'a duration without a unit' 'claimAfter' --set-string queue.claimAfter=10
refuses 'a duration where seconds are meant' 'timeouts' --set timeouts.bind=60s
refuses 'sampling without nomination' 'must be 100' --set gangs.nominate=false --set scheduler.percentageOfNodesToScore=50
refuses 'a second default-scheduler' 'race for every pod' --set scheduler.name=default-scheduler
refuses 'an echelon that waits for itself to be placed' 'places echelon'"'"'s own pod' --set mode=standalone,scheduler.name=default-scheduler
refuses 'the same by another name' 'places echelon'"'"'s own pod' --set mode=standalone,schedulerName=echelon-scheduler
refuses 'a pod that places itself' "can't place its own pod" --set schedulerName=echelon-scheduler
refuses 'one topology twice' 'used twice' --set 'topologies[0].name=a,topologies[0].levels={x}' \
    --set 'topologies[1].name=a,topologies[1].levels={y}'
refuses 'one name for levels and a file' 'used twice' --set 'topologies[0].name=a,topologies[0].levels={x}' \
    --set 'topologyFiles.configMap=c,topologyFiles.files[0].name=a,topologyFiles.files[0].key=a.json'
refuses 'a topology file from nowhere' 'needs topologyFiles.configMap' --set 'topologyFiles.files[0].name=a,topologyFiles.files[0].key=a.json'
refuses 'topology files that nothing reads' 'needs topologyFiles.files' --set topologyFiles.configMap=c
refuses 'a topology file from elsewhere' 'key' --set topologyFiles.configMap=c \
    --set 'topologyFiles.files[0].name=a,topologyFiles.files[0].key=../echelon/echelon.yaml'
refuses 'a topology without levels' 'levels' --set 'topologies[0].name=a'
refuses 'a digest that is none' 'digest' --set image.digest=latest
refuses 'a ServiceMonitor that nobody reads' "doesn't serve ServiceMonitor" --set metrics.serviceMonitor.enabled=true
refuses 'a PodMonitor that nobody reads' "doesn't serve PodMonitor" --set metrics.podMonitor.enabled=true
refuses 'alerts that nobody reads' "doesn't serve PrometheusRule" --set metrics.prometheusRule.enabled=true
refuses 'every pod scraped twice' 'would both scrape' --set metrics.serviceMonitor.enabled=true,metrics.podMonitor.enabled=true \
    --api-versions monitoring.coreos.com/v1/ServiceMonitor --api-versions monitoring.coreos.com/v1/PodMonitor
refuses 'a ServiceMonitor without its Service' 'needs metrics.service.enabled' \
    --set metrics.serviceMonitor.enabled=true,metrics.service.enabled=false --api-versions monitoring.coreos.com/v1/ServiceMonitor
refuses 'a cluster that is too old' 'incompatible' --kube-version v1.29.9

# The same as plain files, for people without Helm (docs/install.md).
plain() {
    file=$1
    shift
    {
        cat "$here/plain/$file.txt"
        printf '%s\n' --- 'apiVersion: v1' 'kind: Namespace' 'metadata:' '  name: echelon-system'
        "$helm" template echelon "$chart" --namespace echelon-system --kube-version v1.34.4 --include-crds --no-hooks "$@"
    } >"$work/$file.plain"
    same "config/install/$file.yaml is what the chart renders" "$work/$file.plain" "$here/../config/install/$file.yaml"
}
plain sidecar
plain standalone --set mode=standalone,tls.source=secret,tls.secret.name=echelon-tls

if python3 "$here/values.py" "$chart" >"$work/values.md" 2>"$work/error"; then
    same 'docs/values.md has every value' "$work/values.md" "$here/../docs/values.md"
else
    failed 'every value is described' "$work/error"
fi

# Alerts and the dashboard use only existing metrics, and alerts fire when they should.
if python3 "$here/metrics.py" "$here/../docs/metrics.md" "$chart/files/alerts.yaml" "$chart/files/dashboard.json" \
    "$work/dashboard.rules" >"$work/error" 2>&1; then
    passed 'alerts and dashboard ask for metrics that there are'
else
    failed 'alerts and dashboard ask for metrics that there are' "$work/error"
fi
alerts=$(sed -n 's/^ *- alert: //p' "$chart/files/alerts.yaml")
for alert in $alerts; do
    page=$here/../docs/runbook/$alert.md
    if [ -f "$page" ] && grep -q "^# $alert$" "$page" && grep -q "/docs/runbook/$alert.md$" "$chart/files/alerts.yaml" &&
        grep -q "alertname: $alert$" "$here/alerts_test.yaml"; then
        passed "$alert has a page and a test"
    else
        failed "$alert has a page (docs/runbook/$alert.md), a link to it, and a test that sees it fire"
    fi
done
for page in "$here"/../docs/runbook/Echelon*.md; do
    case " $(echo $alerts) " in
    *" $(basename "$page" .md) "*) ;;
    *) failed "$(basename "$page") is the page of an alert" ;;
    esac
done
if command -v promtool >/dev/null; then
    for rules in "$chart/files/alerts.yaml" "$work/dashboard.rules"; do
        if promtool check rules "$rules" >"$work/error" 2>&1; then
            passed "promtool reads $(basename "$rules")"
        else
            failed "promtool reads $(basename "$rules")" "$work/error"
        fi
    done
    if promtool test rules "$here/alerts_test.yaml" >"$work/error" 2>&1; then
        passed 'every alert fires when it should, and only then'
    else
        failed 'every alert fires when it should, and only then' "$work/error"
    fi
else
    echo "skip  promtool isn't installed: alerts and the dashboard's queries aren't parsed (apt-get install prometheus)"
fi

if [ "$failures" -gt 0 ]; then
    echo "$failures of the chart's checks failed"
    exit 1
fi
