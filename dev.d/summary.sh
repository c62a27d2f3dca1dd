# Runs tests of all kinds, and adds up `N passed, N failed`.

passed=0
failed=0

unit_tests() {
    mkdir -p "$logs"
    : >"$logs/unit.log"
    {
        ctest --preset "$1" --verbose 2>&1 || echo "ctest failed"
    } | tee "$logs/unit.log" | grep -E '^ *[0-9]+/[0-9]+ Test|tests passed|ERROR:|FATAL|TEST CASE|\.cpp:[0-9]+' || true
    # doctest counts the cases of each program.
    cases() { sed -n 's/.*test cases:.*[| ]\([0-9][0-9]*\) '"$1"'.*/\1/p' "$logs/unit.log" | awk '{ n += $1 } END { print n + 0 }'; }
    unit_passed=$(cases passed)
    unit_failed=$(cases failed)
    unit_status=0
    if grep -q '^ctest failed' "$logs/unit.log"; then
        unit_status=1
        [ "$unit_failed" -gt 0 ] || unit_failed=1 # A program that crashed counts nothing.
    fi
    echo "unit tests: $unit_passed passed, $unit_failed failed"
    passed=$((passed + unit_passed))
    failed=$((failed + unit_failed))
    return "$unit_status"
}

# e2e_tests [PATTERN [FLAG...]]: FLAG is a flag of the test program.
e2e_tests() {
    mkdir -p "$logs"
    pattern=${1:-}
    [ $# -eq 0 ] || shift
    {
        in_e2e test -v -count=1 -timeout 40m ${pattern:+-run "$pattern"} . "$@" 2>&1 || echo "go test failed"
    } | tee "$logs/e2e.log"
    # Counts tests, not subtests.
    end_passed=$(grep -c '^--- PASS' "$logs/e2e.log" || true)
    end_failed=$(grep -c '^--- FAIL' "$logs/e2e.log" || true)
    end_status=0
    if grep -q '^go test failed' "$logs/e2e.log"; then
        end_status=1
        [ "$end_failed" -gt 0 ] || end_failed=1
    fi
    end_skipped=$(grep -c '^--- SKIP' "$logs/e2e.log" || true)
    echo "end-to-end tests on Kubernetes $kubernetes: $end_passed passed, $end_failed failed, $end_skipped skipped"
    passed=$((passed + end_passed))
    failed=$((failed + end_failed))
    return "$end_status"
}

# charts/test.sh prints a line per check, "ok" or "FAIL" first.
chart_tests() {
    mkdir -p "$logs"
    { sh "$root/charts/test.sh" 2>&1 || echo "FAIL  charts/test.sh"; } | tee "$logs/chart.log"
    chart_passed=$(grep -c '^ok' "$logs/chart.log" || true)
    chart_failed=$(grep -c '^FAIL' "$logs/chart.log" || true)
    echo "chart tests: $chart_passed passed, $chart_failed failed"
    passed=$((passed + chart_passed))
    failed=$((failed + chart_failed))
    [ "$chart_failed" -eq 0 ]
}

# e2e/image.sh prints such lines, too. It needs root, since it builds in a chroot.
image_tests() {
    mkdir -p "$logs"
    if [ "$(id -u)" -ne 0 ]; then
        echo "skip  the image: only root can build it"
        return 0
    fi
    install_missing buildah python3
    { sh "$root/e2e/image.sh" "$@" 2>&1 || echo "FAIL  e2e/image.sh"; } | tee "$logs/image.log"
    image_passed=$(grep -c '^ok' "$logs/image.log" || true)
    image_failed=$(grep -c '^FAIL' "$logs/image.log" || true)
    echo "image tests: $image_passed passed, $image_failed failed"
    passed=$((passed + image_passed))
    failed=$((failed + image_failed))
    [ "$image_failed" -eq 0 ]
}

# The last line of the gates: "N gates failed, N passed".
gate_tests() {
    mkdir -p "$logs"
    . dev.d/gates.sh
    { gates 2>&1 || echo "gates failed"; } | tee "$logs/gates.log"
    gate_passed=$(sed -n 's/.* gates failed, \([0-9]*\) passed$/\1/p' "$logs/gates.log")
    gate_failed=$(sed -n 's/^\([0-9]*\) gates failed, .*/\1/p' "$logs/gates.log")
    passed=$((passed + ${gate_passed:-0}))
    failed=$((failed + ${gate_failed:-1}))
    [ "${gate_failed:-1}" -eq 0 ]
}

summary() { echo "$passed passed, $failed failed"; }
