# Compares counts of instructions and bytes with the accepted ones (bench/instructions.txt). No count depends on the load of
# the machine. Instructions depend on the compiler; for another compiler, ratios to a plain scan are compared.

accepted=bench/instructions.txt
gate_percent=5   # A larger increase fails.
other_percent=25 # The same for ratios, with another compiler.
most_exponent=1.2 # The largest exponent with which the cost of an object may grow with its size.
most_bytes=1024  # Of a stored pod, and of a stored node with 25 labels.

compiler_of() { sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/release/CMakeCache.txt; }

# Prints "NAME INSTRUCTIONS" for each case of program $1.
count_instructions() {
    counts=build/release/bench/counts-of-$1
    rm -rf "$counts"
    mkdir -p "$counts"
    valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$counts/out" "build/release/bench/$1" \
        >"$counts/log" 2>&1 || {
        cat "$counts/log" >&2
        return 1
    }
    for dump in $(ls "$counts" | sed -n 's/^out\.//p' | sort -n); do
        awk '/^desc: Trigger: Client Request: / { name = $NF } /^(summary|totals): / { count = $2 }
            END { if (name != "") print name, count }' "$counts/out.$dump"
    done
}

# Prints "NAME COUNT" for each case.
count_all() {
    count_instructions gates || return 1
    build/release/bench/memory
}

# Judges the lines "NAME@N:BYTES COUNT" of file $1. From n to 4n, cost may grow by 4 to the power of $most_exponent. If the
# bytes of the objects grow faster than n, their growth counts instead of 4.
judge_growth() {
    awk -v most="$most_exponent" '
        { split($1, part, /[@:]/); name = part[1] }
        name != before { first = $2; n = part[2]; bytes = part[3]; before = name; next }
        part[2] == 4 * n {
            more = part[3] / bytes
            exponent = log($2 / first) / log(more > 4 ? more : 4)
            verdict = exponent > most ? "MORE" : "ok"
            if (verdict != "ok") failed++
            printf "%-40s %8d %12d %12d  n^%.2f  %s\n", name, part[2], first, $2, exponent, verdict
            rows++
        }
        END { print failed + 0 " of " rows + 0 " grow too fast"; exit failed > 0 || rows == 0 }' "$1"
}

# Compares the counts of file $1 with those of file $2.
judge_counts() {
    awk -v gate="$gate_percent" -v other="$other_percent" -v most="$most_bytes" '
        /^#/ { next }
        $1 == "compiler" { $1 = ""; if (FNR == NR) now = $0; else was = $0; next }
        FNR == NR { order[++cases] = $1; count[$1] = $2; next }
        { old[$1] = $2 }
        END {
            same = now == was
            if (!same) printf "counted with%s, accepted with%s: ratios to reference-scan are compared\n", now, was
            for (i = 1; i <= cases; i++) {
                name = order[i]
                bytes = name ~ /^bytes-/
                verdict = "ok"; change = 0
                if (!(name in old)) {
                    verdict = "not accepted yet"
                } else {
                    base = old[name]
                    limit = gate
                    if (!same && !bytes) {
                        base = old[name] / old["reference-scan"] * count["reference-scan"]
                        limit = other
                    }
                    change = base > 0 ? (count[name] / base - 1) * 100 : 0
                    if (change > limit) verdict = "MORE"
                }
                if (bytes && count[name] > most) verdict = "MORE than " most
                if (verdict != "ok") failed++
                printf "%-36s %12d %12d %+7.1f %%  %s\n", name, old[name], count[name], change, verdict
            }
            for (name in old) if (!(name in count)) { print name " is counted no more"; failed++ }
            print failed + 0 " gates failed, " cases - failed " passed"
            exit failed > 0
        }' "$1" "$2"
}

gates() {
    step "configure release with benchmarks" cmake --preset release -DECHELON_BENCH=ON
    step "build gates" cmake --build --preset release --target gates growth memory
    now=build/release/bench/counts.txt
    echo "compiler $("$(compiler_of)" --version | head -n 1)" >"$now"
    count_all >>"$now" || return 1
    if [ "${1:-}" = --accept ]; then
        {
            echo "# Instructions of each case of bench/gates.cpp, bytes of bench/memory.cpp. Written by ./dev gates --accept."
            cat "$now"
        } >"$accepted"
        cat "$accepted"
        return 0
    fi
    judge_counts "$now" "$accepted" || return 1
    grown=build/release/bench/growth.txt
    count_instructions growth >"$grown" || return 1
    judge_growth "$grown"
}
