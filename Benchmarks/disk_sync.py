"""How long this machine's disk takes for what each commit waits for: 4 KiB of a file overwritten, and an fdatasync.

SQLite overwrites its write-ahead log from one checkpoint to the next.
"""

import json
import os
import tempfile
import time

ROUNDS = 500

with tempfile.TemporaryFile() as file:
    os.write(file.fileno(), bytes(4096 * ROUNDS))
    os.fsync(file.fileno())
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        os.write(file.fileno(), bytes(4096))
        # macOS has no fdatasync.
        getattr(os, "fdatasync", os.fsync)(file.fileno())
        times.append((time.perf_counter() - begin) * 1000)
times.sort()
print(f"4 KiB and fdatasync: p50 {times[ROUNDS // 2]:.3f} ms, p99 {times[ROUNDS * 99 // 100]:.3f} ms")
if "MUSTER_BENCH_FIGURES" in os.environ:
    with open(os.environ["MUSTER_BENCH_FIGURES"], "a", encoding="utf-8") as figures:
        for figure, index in (("p50 ms", ROUNDS // 2), ("p99 ms", ROUNDS * 99 // 100)):
            print(json.dumps({"row": "4 KiB and fdatasync", "figure": figure, "value": times[index]}), file=figures)
