# For the programs that measure peers: adds figures to the file that MUSTER_BENCH_FIGURES names, as muster-bench does.

# record ROW FIGURE VALUE
record() {
    [ -n "${MUSTER_BENCH_FIGURES:-}" ] || return 0
    printf '{"row":"%s","figure":"%s","value":%s}\n' "$1" "$2" "$3" >>"$MUSTER_BENCH_FIGURES"
}

# record_absence PEER WHAT: says that a peer cannot be measured here
record_absence() {
    echo "skipped: $2: not installed"
    [ -n "${MUSTER_BENCH_FIGURES:-}" ] || return 0
    printf '{"absent":"%s"}\n' "$1" >>"$MUSTER_BENCH_FIGURES"
}
