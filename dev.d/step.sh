# Shows a long step as one line with its duration. The output goes to a file, whose end is printed if the step fails.

logs=$root/build/logs
running=
trap '[ -z "$running" ] || kill "$running" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM

# step LABEL COMMAND...
step() {
    label=$1
    shift
    mkdir -p "$logs"
    log=$logs/$(printf '%s' "$label" | tr -c 'A-Za-z0-9.' '-').log
    begin=$(date +%s)
    "$@" >"$log" 2>&1 &
    running=$!
    if [ -t 1 ]; then
        while kill -0 "$running" 2>/dev/null; do
            printf '\r%-44s %4ss' "$label" $(($(date +%s) - begin))
            sleep 0.2
        done
        printf '\r'
    fi
    wait "$running" && status=0 || status=$?
    running=
    took=$(($(date +%s) - begin))
    if [ "$status" -ne 0 ]; then
        printf '%-44s %4ss  failed (%s)\n' "$label" "$took" "$log"
        tail -n 60 "$log"
        exit "$status"
    fi
    if [ "$took" -gt 0 ]; then printf '%-44s %4ss\n' "$label" "$took"; elif [ -t 1 ]; then printf '\033[K'; fi
}
