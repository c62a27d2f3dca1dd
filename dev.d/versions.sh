# Kubernetes releases besides that of e2e/go.mod. Each is built from a separate module into the cache.

other_versions='1.34.4 1.35.4 1.36.3'

# Tests of differences between releases, and of the main functions. CI runs them on each release in the cache.
smoke='^Test(GangOfTheReleasesOwnKind|GangByLabels|GangOf16WithGate|GangOf16WithoutGate|MinimumOfGroups|PriorityDecides|PlainPodsAreNotHeldUp|PromisedRoomIsKept|DevicesAreCounted|EchelonKilledBetweenPlanAndCommit)$'

# use_version V: selects the release of the control plane.
use_version() {
    kubernetes=$1
    plane=$cache/control-plane/v$kubernetes
    export ECHELON_KUBERNETES="v$kubernetes"
}

# The folder of the module that builds $kubernetes. Its go.mod states versions of the staging modules, which Kubernetes' own lacks.
version_module() { echo "$cache/control-plane/module-v$kubernetes"; }

need_version_module() {
    [ -f "$(version_module)/complete" ] || step "fetch Kubernetes $kubernetes" write_version_module
}

write_version_module() {
    module=$(version_module)
    rm -rf "$module"
    mkdir -p "$module"
    own=$(cd "$module" && GOFLAGS=-mod=mod "$go" mod download -json "k8s.io/kubernetes@v$kubernetes" |
        sed -n 's/^[[:space:]]*"GoMod": "\(.*\)",*$/\1/p')
    {
        echo "module echelon.sh/echelon/e2e/version"
        grep '^go ' "$own"
        echo "require k8s.io/kubernetes v$kubernetes"
        sed -n "s|^[[:space:]]*\(k8s\.io/[a-z-]*\) v0\.0\.0\( .*\)*$|replace \1 => \1 v0.${kubernetes#1.}|p" "$own"
    } >"$module/go.mod"
    (cd "$module" && GOFLAGS="$GOFLAGS -mod=mod" "$go" list k8s.io/kubernetes/cmd/kube-apiserver >/dev/null)
    touch "$module/complete"
}

# The programs of $kubernetes; etcd and kubeconform come from the modules of the tests.
need_version() {
    need_version_module
    mkdir -p "$plane"
    for program in etcd kubeconform; do
        [ -x "$plane/$program" ] || cp "$cache/control-plane/v$default_kubernetes/$program" "$plane/$program"
    done
    for program in kube-apiserver kube-scheduler kubectl kube-controller-manager; do
        need_tool "$program" "k8s.io/kubernetes/cmd/$program"
    done
}

is_in_cache() { [ -x "$cache/control-plane/v$1/kube-controller-manager" ]; }

# The smoke tests on each other release that is in the cache.
cached_versions_tests() {
    cached_status=0
    for version in $other_versions; do
        if is_in_cache "$version"; then
            use_version "$version"
            e2e_tests "$smoke" || cached_status=1
        fi
    done
    use_version "$default_kubernetes"
    return "$cached_status"
}

# All tests on all releases.
all_versions_tests() {
    all_status=0
    for version in $other_versions $default_kubernetes; do
        use_version "$version"
        [ "$version" = "$default_kubernetes" ] || need_version
        e2e_tests "$@" || all_status=1
    done
    return "$all_status"
}
