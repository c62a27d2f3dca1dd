# Writes an archive with the program as a kubectl plugin, and the manifest by which krew installs it.

# krew URL: where users will download the archive.
krew() {
    url=${1:?"usage: ./dev krew URL-OF-THE-ARCHIVE"}
    out=build/krew
    version=$(sed -n 's/^project(echelon VERSION \([^ ]*\).*/\1/p' CMakeLists.txt)
    arch=$(dpkg --print-architecture)
    rm -rf "$out"
    mkdir -p "$out/files"
    strip -o "$out/files/kubectl-echelon" build/release/echelon
    cp LICENSE "$out/files/"
    archive=$out/kubectl-echelon-$version-linux-$arch.tar.gz
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -czf "$archive" -C "$out/files" .
    sum=$(sha256sum "$archive" | cut -d ' ' -f 1)
    cat >"$out/echelon.yaml" <<MANIFEST
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata: {name: echelon}
spec:
  version: v$version
  shortDescription: See why a gang of pods is pending
  description: |
    Shows what the echelon scheduler extender decided: the state of every gang, the seats it holds,
    the topology of the nodes, and the tree behind a refusal. Plans and simulates offline, too.
  caveats: |
    The program needs the shared libraries of Debian 12.
  platforms:
    - selector: {matchLabels: {os: linux, arch: $arch}}
      uri: $url
      sha256: $sum
      bin: kubectl-echelon
      files: [{from: ./kubectl-echelon, to: .}, {from: ./LICENSE, to: .}]
MANIFEST
    echo "$archive"
    echo "$out/echelon.yaml"
}
