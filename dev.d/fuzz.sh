# Runs the targets of fuzz/ under libFuzzer, starting from the committed inputs. Findings are kept in build/fuzz/findings.

fuzz_targets() { sed -n 's/^ *foreach(target \(.*\))$/\1/p' "$root/fuzz/CMakeLists.txt"; }

# fuzz [TARGET] [SECONDS]: one target or all of them, one after another.
fuzz() {
    targets=$(fuzz_targets)
    case ${1:-} in
    '' | [0-9]*) ;;
    *)
        case " $targets " in
        *" $1 "*) targets=$1 ;;
        *)
            echo "./dev fuzz $1: there is no such target, there are: $targets" >&2
            exit 2
            ;;
        esac
        shift
        ;;
    esac
    seconds=${1:-60}
    step "configure fuzz" cmake --preset fuzz
    for target in $targets; do
        step "build fuzz-$target" cmake --build --preset fuzz --target "fuzz-$target"
    done
    for target in $targets; do
        fuzz_one "$target" "$seconds"
    done
}

# fuzz_one TARGET SECONDS: keeps new inputs in build/fuzz/corpus for the next run.
fuzz_one() {
    kept=$root/build/fuzz/corpus/$1
    mkdir -p "$kept" "$root/build/fuzz/findings"
    seeds=$root/fuzz/corpus/$1
    [ "$1" != manifest ] || seeds="$seeds $root/examples $root/unit-tests/scenarios"
    dictionary=$root/fuzz/$1.dict
    [ -f "$dictionary" ] || dictionary=$root/fuzz/kubernetes.dict
    # Under sanitizers, objects of 12,000 parts take 7 s on an idle machine. `./dev gates` judges how cost grows.
    "$root/build/fuzz/fuzz/fuzz-$1" -max_total_time="$2" -timeout=40 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -dict="$dictionary" -artifact_prefix="$root/build/fuzz/findings/$1-" "$kept" $seeds >"$logs/fuzz-$1.log" 2>&1 &
    running=$!
    wait "$running" && status=0 || status=$?
    running=
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/fuzz-$1.log")
    printf '%-12s %10s inputs in %s s: %s\n' "$1" "${runs:-?}" "$2" "$([ "$status" -eq 0 ] && echo "nothing found" || echo "FOUND, see $logs/fuzz-$1.log")"
    [ "$status" -eq 0 ] || exit "$status"
}
