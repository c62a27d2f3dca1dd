# Kubernetes releases besides the one of e2e/go.mod. Each is built from its own module into the cache, like the first one.

other_versions='1.34.4 1.35.4 1.36.3'

# Tests of what differs between releases, and of the main job: in CI for each release that is in the cache.
smoke='^Test(GangOfTheReleasesOwnKind|GangByLabels|GangOf16WithGate|GangOf16WithoutGate|MinimumOfGroups|PriorityDecides|PlainPodsAreNotHeldUp|PromisedRoomIsKept|DevicesAreCounted|EchelonKilledBetweenPlanAndCommit)$'

# use_version V: from now on the control plane is that release.
use_version() {
    kubernetes=$1
    plane=$cache/control-plane/v$kubernetes
    export ECHELON_KUBERNETES="v$kubernetes"
}

# The folder of the module in which $kubernetes is built. In its own go.mod the staging modules have no version.
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

# The programs of $kubernetes; etcd and kubeconform are those of the tests' own modules.
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
