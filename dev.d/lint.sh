# Style checks: clang-format, clang-tidy, gofmt, go vet and the house test.

sources() { git ls-files -co --exclude-standard -- '*.cpp' '*.hpp'; }

# Files that differ from the point where this branch left origin/main; without that branch, from the last commit.
changed_sources() {
    base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
    { git diff --name-only --diff-filter=d "$base" -- '*.cpp' && git ls-files -o --exclude-standard -- '*.cpp'; } | sort -u
}

tidy() { clang-tidy-19 -p build/release --quiet --warnings-as-errors='*' "$@"; }

lint() {
    step "clang-format" sh -c 'clang-format-19 --dry-run -Werror "$@"' format $(sources)
    if [ "${1:-}" = --all ]; then files=$(sources | grep '\.cpp$'); else files=$(changed_sources); fi
    for file in $files; do
        step "clang-tidy $file" tidy "$file"
    done
    step "gofmt" sh -c 'test -z "$(gofmt -l e2e | tee /dev/stderr)"'
    step "go vet" in_e2e vet ./...
    step "house" build/release/test-house
    echo "clean"
}
