#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts what the threads of a program share, per operation, and fails when it is more than allowed.

  audit.py [--threads N] [--ops A,B] [--max KEY=VALUE ...] [--name NAME] -- PROGRAM ARG... with {threads} and {ops} in it

The program is run twice under Valgrind's sharelines tool (sl_main.c), with A and B operations for each thread; the
difference divided by the difference in operations is exact per operation and free of start-up and shut-down noise.
TOOL_DIR (environment) is the folder that build.sh filled; it is built into a temporary folder when unset."""
import argparse, json, os, subprocess, sys, tempfile
KEYS = ["instructions", "loads", "stores", "locked", "fences", "syscalls", "shared_loads", "shared_stores",
        "shared_locked", "epoch_loads",
        "epoch_stores", "epoch_locked", "miss_read", "miss_write", "invalidated", "vdso"]

def syscall_names():
    try:
        with open("/usr/include/x86_64-linux-gnu/asm/unistd_64.h") as f:
            return {"syscall_" + l.split()[2]: l.split()[1][5:] for l in f if l.startswith("#define __NR_")}
    except OSError:
        return {}

def once(tool, a, ops, show, epoch=0):
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        return once_in(folder, tool, a, ops, show, epoch)

def once_in(folder, tool, a, ops, show, epoch):
    out = os.path.join(folder, "r.json")
    cmd = [c.replace("{threads}", str(a.threads)).replace("{ops}", str(ops)) for c in a.cmd]
    env = dict(os.environ, VALGRIND_LIB=tool, PYTHONHASHSEED="0")
    pin = ["taskset", "-c", a.cpu] if a.cpu else []
    vg = pin + ["valgrind", "--tool=sharelines", "--fair-sched=yes", "--max-stackframe=8000000", f"--threads={a.threads}",
                f"--quantum={a.quantum}", f"--seed={a.seed}", f"--line={a.line}", f"--epoch={epoch}",
                f"--unmarked={'yes' if a.unmarked else 'no'}", f"--top={a.top if show else 0}", f"--json={out}"] + a.valgrind
    p = subprocess.run(vg + cmd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=a.timeout)
    if not os.path.exists(out):
        sys.exit(p.stdout[-4000:] + "\nno report was written")
    with open(out) as f:
        return json.load(f), p.stdout

def native(a, ops):
    """Page faults and context switches of a plain run, from the kernel's own account of the child."""
    pid = os.fork()
    if pid == 0:
        n = os.open(os.devnull, os.O_WRONLY); os.dup2(n, 1)
        cmd = [c.replace("{threads}", str(a.threads)).replace("{ops}", str(ops)) for c in a.cmd]
        os.execvp(cmd[0], cmd)
    _, status, ru = os.wait4(pid, 0)
    if status:
        sys.exit(f"the plain run failed: {status}")
    return {"page_faults": ru.ru_minflt + ru.ru_majflt, "waits": ru.ru_nvcsw}

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--ops", default="200,1000")
    ap.add_argument("--max", action="append", default=[], metavar="KEY=VALUE")
    ap.add_argument("--name", default="")
    ap.add_argument("--quantum", type=int, default=0, help="mean accesses between forced thread switches; 0: half an operation, 4 to 64")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--epoch-ops", type=float, default=8)
    ap.add_argument("--unmarked", action=argparse.BooleanOptionalAction, default=True)
    ap.add_argument("--native-ops", default="2000,22000", help="operations of two plain runs for page faults; empty: none")
    ap.add_argument("--overlap", type=float, default=0.9, help="share of the epochs in which every thread must be active")
    ap.add_argument("--noise", type=float, default=0.05)
    ap.add_argument("--line", type=int, default=64)
    ap.add_argument("--top", type=int, default=0)
    ap.add_argument("--timeout", type=int, default=600)
    ap.add_argument("--cpu", default="0")
    ap.add_argument("--json")
    ap.add_argument("--valgrind", action="append", default=[])
    ap.add_argument("cmd", nargs=argparse.REMAINDER)
    a = ap.parse_args()
    if a.cmd and a.cmd[0] == "--":
        a.cmd = a.cmd[1:]
    tool = os.environ.get("TOOL_DIR")
    if not tool:
        tool = tempfile.mkdtemp(prefix="sharelines-")
        subprocess.run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "build.sh"), tool], check=True)
    o1, o2 = (int(x) for x in a.ops.split(","))
    # A line counts as shared in an epoch of about --epoch-ops operations of every thread.
    auto = not a.quantum
    a.quantum = a.quantum or 64
    r0, _ = once(tool, a, o1, False)
    size = (r0["loads"] + r0["stores"] + r0["locked"]) / max(1, r0["ops"])
    epoch = max(128, int(a.epoch_ops * a.threads * size))
    if auto:
        a.quantum = max(4, min(64, int(size / 2)))
    r1, _ = once(tool, a, o1, False, epoch)
    r2, text = once(tool, a, o2, True, epoch)
    n = r2["ops"] - r1["ops"]
    per = {k: (r2[k] - r1[k]) / n for k in KEYS}
    # The whole-region count does not depend on the order in which threads ran: zero there is the proof. The epoch and MESI
    # counts do depend on it and fall towards zero when threads ran one after the other, so they need the overlap below.
    per["shared_writes"] = per["shared_stores"] + per["shared_locked"]
    per["epoch_writes"] = per["epoch_stores"] + per["epoch_locked"]
    overlap = min(r["epochs_all"] / r["epochs"] if r["epochs"] else 0.0 for r in (r1, r2))
    per["misses"] = per["miss_read"] + per["miss_write"]
    names = syscall_names()
    for s in set(r1["by_syscall"]) | set(r2["by_syscall"]):
        per["sys_" + names.get(s, s)] = (r2["by_syscall"].get(s, 0) - r1["by_syscall"].get(s, 0)) / n
    if a.native_ops:
        q1, q2 = (int(x) for x in a.native_ops.split(","))
        m1, m2 = native(a, q1), native(a, q2)
        for k in m1:
            per["native_" + k] = (m2[k] - m1[k]) / ((q2 - q1) * a.threads)
    # lines that are hit again and again: at least once in two operations of the longer run
    per["hot_shared_lines"] = sum(1 for h in r2["hot"] if h["loads"] + h["stores"] + h["locked"] >= r2["ops"] / 2)
    if a.top:
        print("\n".join(l.split("== ", 1)[-1] for l in text.splitlines() if l.startswith("==") and l.split("== ", 1)[-1][:1] == " "))
    print(f"{a.name or ' '.join(a.cmd)}: {a.threads} threads, {n} operations counted")
    for k in per:
        if k != "hot_shared_lines" and abs(per[k]) < 5e-5:
            per[k] = 0.0
    for k, v in sorted(per.items(), key=lambda kv: (kv[0].startswith("sys_"), 0)):
        if v or k in ("shared_writes", "epoch_writes", "epoch_loads", "miss_read", "miss_write", "syscalls"):
            print(f"  {k:24} {v:14.4f} per op" if k != "hot_shared_lines" else f"  {k:24} {v:9d}")
    print(f"  all threads active in {overlap:.1%} of the epochs")
    odd = [k for k in ("shared_writes", "epoch_writes", "misses", "locked") if per[k] < -a.noise]
    unsure = []
    if overlap < a.overlap:
        unsure.append(f"threads overlapped in only {overlap:.1%} of the epochs (wanted {a.overlap:.0%}): epoch and MESI counts are too low")
    if r2["threads"] != a.threads:
        unsure.append(f"{r2['threads']} marked threads, expected {a.threads}")
    if odd:
        unsure.append("negative counts, the two runs do not compare: " + ", ".join(f"{k} {per[k]:.3f}" for k in odd))
    for u in unsure:
        print("  INCONCLUSIVE " + u)
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"name": a.name, "threads": a.threads, "ops": n, "overlap": overlap, "inconclusive": unsure, "per_op": per}, f, indent=1)
    bad = 0
    for m in a.max:
        k, v = m.split("=")
        if per.get(k, 0) > float(v) + 1e-9:
            print(f"  FAIL {k} {per.get(k, 0):.4f} > {v}"); bad = 1
    return bad or (2 if unsure else 0)
if __name__ == "__main__":
    sys.exit(main())
