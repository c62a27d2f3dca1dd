# Counts of instructions and of bytes against what was accepted (bench/instructions.txt). Neither depends on how busy the
# machine is; instructions depend on the compiler, so that another one is judged by ratios to a plain scan.

accepted=bench/instructions.txt
gate_percent=5   # More than this much more fails.
other_percent=25 # The same for ratios, under another compiler.
most_exponent=1.2 # Of what one object costs, by what it says.
most_bytes=1024  # Of a pod that is kept, and of a node with 25 labels.

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

# Judges "NAME@N:BYTES COUNT" lines of file $1: from n to 4n, cost may grow to the power of $most_exponent with n, or with the
# bytes of the objects where these grow faster.
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

# Judges the counts of file $1 against file $2.
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
                verdict = "ok"
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
