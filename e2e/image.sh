#!/bin/sh
# Builds the container image without a Docker engine, starts it, and looks at what is inside. A line per check, "ok" or "FAIL" first.
#
#   e2e/image.sh                  from the program that is built here already (build/release/echelon, on Debian 12): half a minute
#   e2e/image.sh --from-source    by the Dockerfile, which compiles it on a bare Debian 12: several minutes
#   e2e/image.sh --from-source --twice    and once more from nothing, to compare
#
# Either way image/root.sh lays out the same files; what is built from the program is always built twice. Needs root, buildah
# (apt-get install buildah); --from-source a debian:12-slim that can be pulled, or debootstrap to make one.
# Leaves in build/image: echelon.tar (docker-archive: docker load, kind load image-archive, ctr import), its list of contents
# echelon.spdx.json, and echelon.openvex.json.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${ECHELON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/echelon}/image
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}
base=localhost/echelon-base:12
version=$(sed -n 's/^project(echelon VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
commit=${COMMIT:-$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)}
program=${ECHELON:-$here/build/release/echelon}
image=localhost/echelon:$version
largest=$((40 * 1024 * 1024))
failures=0
from=program
twice=yes
case "$*" in
'') ;;
--from-source) from=source twice=no ;;
'--from-source --twice') from=source ;;
*)
    echo "usage: e2e/image.sh [--from-source [--twice]]" >&2
    exit 2
    ;;
esac

complain() {
    echo "FAIL  image: $*"
    exit 1
}
passed() { echo "ok    image: $1"; }
failed() {
    echo "FAIL  image: $1"
    failures=$((failures + 1))
}
# check TEXT COMMAND...
check() {
    text=$1
    shift
    if "$@"; then passed "$text"; else failed "$text"; fi
}
[ -n "$version" ] || complain "CMakeLists.txt names no version"
[ "$(id -u)" -eq 0 ] || complain "needs root (a chroot is built in)"
command -v buildah >/dev/null || complain "needs buildah: apt-get install buildah"

mkdir -p "$cache" "$here/build/image"
work=$(mktemp -d "$cache/work.XXXXXX")
container=
serving=
cleanup() {
    [ -z "$serving" ] || kill -9 "$serving" 2>/dev/null || true
    [ -z "$container" ] || store rm "$container" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# A store of our own: nothing of the machine's images is touched.
store() { buildah --root "$cache/storage-$driver" --runroot "$cache/run-$driver" --storage-driver "$driver" "$@"; }
driver=overlay
store info >/dev/null 2>&1 || driver=vfs # Slower, works everywhere.

# Debian's minimal system with its security updates, as debian:12-slim has them.
make_base() {
    command -v debootstrap >/dev/null || complain "no base image can be pulled; to make one: apt-get install debootstrap"
    debootstrap --variant=minbase bookworm "$work/base" "$mirror/debian" >"$work/debootstrap.log" 2>&1 ||
        { tail -n 20 "$work/debootstrap.log" >&2; complain "debootstrap failed"; }
    {
        echo "deb $mirror/debian bookworm main"
        echo "deb $mirror/debian bookworm-updates main"
        echo "deb $mirror/debian-security bookworm-security main"
    } >"$work/base/etc/apt/sources.list"
    rm -rf "$work/base/var/cache/apt/archives" "$work/base/var/lib/apt/lists" "$work/base/usr/share/doc" \
        "$work/base/usr/share/locale" "$work/base/var/log"
    mkdir -p "$work/base/var/cache/apt/archives/partial" "$work/base/var/lib/apt/lists/partial" "$work/base/var/log"
    container=$(store from scratch)
    store add --quiet "$container" "$work/base" / >/dev/null
    store commit --quiet "$container" "$base" >/dev/null
    store rm "$container" >/dev/null
    container=
    rm -rf "$work/base"
}

need_base() {
    store inspect --type image "$base" >/dev/null 2>&1 && return 0
    if store pull --quiet docker.io/library/debian:12-slim >/dev/null 2>&1; then
        store tag docker.io/library/debian:12-slim "$base"
    else
        make_base
    fi
}

# build_from_source TAG ARGUMENTS...
build_from_source() {
    tag=$1
    shift
    store bud --layers --isolation chroot --timestamp 0 --build-arg "BASE=$base" --build-arg "COMMIT=$commit" --tag "$tag" "$@" \
        --file "$here/Dockerfile" "$here" >"$work/build.log" 2>&1 ||
        { tail -n 40 "$work/build.log" >&2; complain "the build of $tag failed"; }
}

# The last stage of the Dockerfile, on the program of this machine, which has the same libraries.
build_from_program() {
    rm -rf "$work/root" "$work/context"
    mkdir "$work/context"
    sh "$here/image/root.sh" "$program" "$work/context/image" "$version" "$commit"
    sed -n '/^FROM scratch/,$p' "$here/Dockerfile" | sed 's/^COPY --from=build \/image/COPY image/' >"$work/context/Dockerfile"
    store bud --no-cache --isolation chroot --timestamp 0 --tag "$1" "$work/context" >"$work/build.log" 2>&1 ||
        { tail -n 40 "$work/build.log" >&2; complain "the build of $1 failed"; }
}

contents() { store inspect --type image --format '{{.FromImageDigest}}' "$1"; }

if [ "$from" = source ]; then
    need_base
    build_from_source "$image"
    [ "$twice" = no ] || build_from_source "$image-again" --no-cache
else
    [ -x "$program" ] || complain "there is no $program: ./dev build"
    grep -q '^VERSION_ID="12"' /etc/os-release && grep -q '^ID=debian' /etc/os-release ||
        complain "this isn't Debian 12, so its libraries aren't those of the image; use --from-source"
    build_from_program "$image"
    build_from_program "$image-again"
fi
if [ "$twice" = yes ]; then
    check "two builds are the same, $(contents "$image" | cut -c1-19)" [ "$(contents "$image")" = "$(contents "$image-again")" ]
fi

container=$(store from --pull-never "$image")
said=$(store run --isolation chroot "$container" -- /usr/bin/echelon version) || said="nothing"
case $said in
"echelon $version "*) passed "it runs: $said" ;;
*) failed "echelon version says \"$said\", expected \"echelon $version (...)\"" ;;
esac
user=$(store inspect --type image --format '{{.OCIv1.Config.User}}' "$image")
check "it runs as 65532 ($user)" [ "$user" = 65532:65532 ]
root=$(store mount "$container")
shells=$(find "$root" -name '*sh' -perm -u+x -type f; find "$root" -name 'busybox*' -o -name 'apt*' -o -name 'dpkg*')
check "there is no shell and no package manager $shells" [ -z "$shells" ]
check "nothing in it is set-user-ID or writable for others" [ -z "$(find "$root" -type f -perm /6002)" ]
bytes=$(du --summarize --bytes "$root" | cut -f1)
check "it has $((bytes / 1024 / 1024)) MiB, less than 40" [ "$bytes" -lt "$largest" ]

# Every library is there, and nothing else is loaded: asked of the loader in the image.
linked=$(chroot "$root" /lib64/ld-linux-x86-64.so.2 --list /usr/bin/echelon 2>&1) || linked="not found: $linked"
missing=$(echo "$linked" | grep 'not found' || true)
check "every library of the program is there $missing" [ -z "$missing" ]
case $linked in *libre2.so.*) passed "RE2 is among them" ;; *) failed "RE2 is among them" ;; esac

# The hardening, as the file has it.
binary=$root/usr/bin/echelon
elf() { readelf --wide "$@" "$binary" 2>/dev/null; }
check "the program is position independent" sh -c "readelf --wide --file-header --dynamic '$binary' | grep -q 'Type: *DYN' &&
    readelf --wide --dynamic '$binary' | grep -q 'FLAGS_1.*PIE'"
check "relocations are read-only, all bound at the start" sh -c "readelf --wide --segments '$binary' | grep -q GNU_RELRO &&
    readelf --wide --dynamic '$binary' | grep -q 'BIND_NOW\|FLAGS_1.*NOW'"
check "the stack can't be executed" sh -c "readelf --wide --segments '$binary' | grep GNU_STACK | grep -q 'RW  *0x'"
elf --dyn-syms >"$work/symbols"
check "stack protector" grep -q '__stack_chk_fail' "$work/symbols"
# Debian's crt1.o has no note of IBT and SHSTK, so the program has none: its instructions tell. The runtime's own files have some of each.
objdump --disassemble --no-show-raw-insn "$binary" >"$work/instructions"
at_least() { [ "$(grep -Ec "$2" "$work/instructions")" -ge "$1" ]; }
check "a large stack frame is touched page by page" at_least 1 'or[lq]? +\$0x0,\(%rsp'
check "an indirect jump lands on its mark (CET)" at_least 1000 'endbr64'
check "fortified libc calls" grep -Eq '__[a-z]+_chk(@|$)' "$work/symbols"
check "the library's assertions are kept" grep -q '__glibcxx_assert_fail' "$work/symbols"
check "it has no symbols to give away" sh -c "! readelf --wide --sections '$binary' | grep -q ' \.symtab '"

# The list of contents names every library in it.
list=$root/usr/share/sbom/echelon.spdx.json
check "the list of contents (SPDX) names each library's package and the program's sum" python3 - "$list" "$root" <<'PYTHON'
import hashlib, json, pathlib, sys

document = json.load(open(sys.argv[1]))
root = pathlib.Path(sys.argv[2])
packages = {package["SPDXID"]: package for package in document["packages"]}
related = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in document["relationships"]}
assert document["spdxVersion"] == "SPDX-2.3" and ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-echelon") in related
assert all(one in packages or one == "SPDXRef-DOCUMENT" for one, _, _ in related)
assert all(other in packages for _, _, other in related)
assert set(packages) - {"SPDXRef-echelon"} == {other for _, kind, other in related if kind.endswith("_LINK")}
program = (root / "usr/bin/echelon").read_bytes()
assert packages["SPDXRef-echelon"]["checksums"][0]["checksumValue"] == hashlib.sha256(program).hexdigest()
names = " ".join(package["name"] for package in packages.values()).replace("-", "")
for library in root.glob("lib/x86_64-linux-gnu/*.so*"):
    stem = library.name.removeprefix("lib").split(".so")[0].replace("-", "").replace("_", "")
    known = {"crypto": "ssl", "brotlicommon": "brotli", "brotlidec": "brotli", "brotlienc": "brotli", "z": "zlib",
             "m": "libc6", "c": "libc6", "gccs": "libgccs", "cpphttplib": "cpphttplib"}
    assert known.get(stem, stem) in names, library
PYTHON
check "what is said of known faults (OpenVEX) is about packages in that list" python3 - "$list" "$root/usr/share/sbom/echelon.openvex.json" <<'PYTHON'
import json, sys

packages = {package["name"] for package in json.load(open(sys.argv[1]))["packages"]}
statements = json.load(open(sys.argv[2]))["statements"]
assert len({statement["vulnerability"]["name"] for statement in statements}) == len(statements) > 0
for statement in statements:
    assert statement["status"] == "not_affected" and statement["justification"] and statement["impact_statement"]
    for product in statement["products"]:
        assert product["@id"] == "pkg:oci/echelon"
        assert all(part["@id"].removeprefix("pkg:deb/debian/") in packages for part in product["subcomponents"])
PYTHON

# It serves: as its user, in its own root, with nothing to reach. It waits for the API server, says so, and ends when told to.
# Three ports that are free, all of them asked for before one is given back.
read -r extender bind admin <<PORTS
$(python3 -c '
import socket
ports = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(port.getsockname()[1] for port in ports))')
PORTS
cat >"$root/tmp/kubeconfig" <<'YAML'
apiVersion: v1
kind: Config
current-context: none
clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
users: [{name: none, user: {token: none}}]
YAML
cat >"$root/tmp/echelon.yaml" <<YAML
apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
clientConnection: {kubeconfig: /tmp/kubeconfig}
extender: {address: "127.0.0.1:$extender"}
bind: {address: "127.0.0.1:$bind"}
admin: {address: "127.0.0.1:$admin"}
profiles: [{schedulerName: default-scheduler}]
YAML
chroot --userspec=65532:65532 "$root" /usr/bin/echelon serve --config /tmp/echelon.yaml >"$work/serve.log" 2>&1 &
serving=$!
answer=
for _ in $(seq 100); do
    answer=$(chroot --userspec=65532:65532 "$root" /usr/bin/echelon ready --server "http://127.0.0.1:$admin" 2>&1) || true
    case $answer in *"not ready"*) break ;; esac
    kill -0 "$serving" 2>/dev/null || break
    sleep 0.1
done
case $answer in
*"not ready: "*"not listed yet"*) passed "it serves, and says what it waits for" ;;
*) failed "it serves, and says what it waits for: $answer; $(tail -n 3 "$work/serve.log")" ;;
esac
kill -TERM "$serving"
wait "$serving" && status=0 || status=$?
serving=
check "it ends when it is told to, with status 0" [ "$status" -eq 0 ]

cp "$list" "$root/usr/share/sbom/echelon.openvex.json" "$here/build/image/"
rm -f "$root/tmp/kubeconfig" "$root/tmp/echelon.yaml" "$here/build/image/echelon.tar"
store umount "$container" >/dev/null
store push --quiet "$image" "docker-archive:$here/build/image/echelon.tar:$image" >/dev/null
store rmi "$image-again" >/dev/null 2>&1 || true
echo "      $image, from $from: $((bytes / 1024 / 1024)) MiB, $(contents "$image")"
[ "$failures" -eq 0 ]
