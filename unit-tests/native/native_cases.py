#!/usr/bin/env python3
"""Are the acceptance cases answered alike when their gangs are written in the objects of the dialect they come from?

    unit-tests/native/native_cases.py --cases DIR --echelon PATH [--family F] [--case ID] [--dialect D] [--keep DIR]

DIR has a folder of cases for each family, and `cases.py`, whose `check` judges a report. Each case is written in every
wording of its dialect that can say it, `echelon plan` answers, names are translated back, and the referee judges.
--dialect: all families in that one dialect. --keep: manifests and reports stay in that folder. What a dialect can't say
is listed with the reason. Exit status: 0 no case fails, 1 one does. Standard library only.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

import grove
import koordinator
import kueue
import volcano
from answer import in_words_of_the_case
from written import CantBeSaid, check_is_plain

DIALECTS = {"koordinator": koordinator, "grove": grove, "volcano": volcano, "kueue": kueue}
NATIVE_OF = {
    "koord": ("koordinator", "grove"),
    "volcano-u": ("volcano",),
    "volcano-e": ("volcano",),
    "kueue": ("kueue",),
}
PLACED, REFUSED = 0, 3  # Exit statuses of `echelon plan`.


def cases_of(args):
    """(case, dialects that it is written in), by family and id."""
    found = []
    for path in sorted(glob.glob(os.path.join(args.cases, "*", "*.json"))):
        with open(path, encoding="utf-8") as file:
            case = json.load(file)
        dialects = (args.dialect,) if args.dialect else NATIVE_OF.get(case["family"], ())
        if dialects and args.family in (None, case["family"]) and args.case in (None, case["id"]):
            found.append((case, dialects))
    return found


def wordings_of(case, dialect):
    """({wording: what was written}, why the others can't say it)."""
    written, reasons = {}, []
    for wording, write in DIALECTS[dialect].WORDINGS.items():
        try:
            check_is_plain(case)
            written[wording] = write(case)
        except CantBeSaid as reason:
            reasons.append(f"{wording}: {reason}")
    return written, reasons


def planned(echelon, path):
    """(report, problems): what `echelon plan` answers, and whether its exit status says the same."""
    command = [echelon, "plan", "-f", path, "-o", "json"]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode not in (PLACED, REFUSED):
        return None, [f"exit status {run.returncode}: {run.stderr.strip()[-300:]}"]
    report = json.loads(run.stdout)
    status = PLACED if all(gang["outcome"] == "Placed" for gang in report["gangs"]) else REFUSED
    return report, [] if run.returncode == status else [f"exit status {run.returncode}, not {status}"]


def judged(args, case, report_path):
    """What the referee of the cases has to say; empty: nothing."""
    referee = os.path.join(args.cases, "cases.py")
    check = [sys.executable, referee, "check", "--cases", args.cases, case["id"], report_path]
    run = subprocess.run(check, capture_output=True, text=True)
    if run.returncode == 0 and run.stdout == "ok\n":
        return []
    return (run.stdout + run.stderr).splitlines() or [f"the referee ends with status {run.returncode}"]


def problems_of(args, folder, case, name, written):
    stem = os.path.join(folder, f"{case['id']}.{name.replace(' ', '-')}")
    manifest, answer = stem + ".list.json", stem + ".report.json"
    with open(manifest, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": written.items}, file, indent=1)
    report, problems = planned(args.echelon, manifest)
    if report is None:
        return problems
    problems += in_words_of_the_case(report, written)
    with open(answer, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
    return problems + judged(args, case, answer)


def try_case(args, folder, case, dialect):
    """(lines to print, verdict): a case holds in a dialect when it does in every wording that can say it."""
    written, reasons = wordings_of(case, dialect)
    if not written:
        return [f"can't be said: {case['id']} in {dialect}: {'; '.join(reasons)}"], "unsaid"
    lines = []
    for wording, what in written.items():
        if problems := problems_of(args, folder, case, f"{dialect} {wording}", what):
            lines.append(f"FAIL {case['id']} in {dialect}, {wording}: {'; '.join(problems[:4])}")
    return lines, "fails" if lines else "holds"


def sum_of(verdicts):
    text = f"{verdicts.count('holds')} of {len(verdicts)} hold"
    return f"{text}, {verdicts.count('unsaid')} can't be said"


def of_all_dialects(verdicts):
    """A case fails where one dialect fails, and isn't said where none can say it."""
    if "fails" in verdicts:
        return "fails"
    return "holds" if "holds" in verdicts else "unsaid"


def run(args, folder):
    cases = cases_of(args)
    if not cases:
        sys.exit("no cases")
    tasks = [(case, dialect) for case, dialects in cases for dialect in dialects]
    by_dialect, by_case = {}, {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tries = pool.map(lambda task: try_case(args, folder, *task), tasks)
        for (case, dialect), (lines, verdict) in zip(tasks, tries):
            print("".join(f"{line}\n" for line in lines), end="", flush=True)
            by_dialect.setdefault(dialect, []).append(verdict)
            by_case.setdefault(case["id"], []).append(verdict)
    for dialect, verdicts in by_dialect.items():
        print(f"{dialect}: {sum_of(verdicts)}")
    verdicts = [of_all_dialects(of_case) for of_case in by_case.values()]
    print(sum_of(verdicts))
    return 1 if "fails" in verdicts else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True, help="folder with one folder for each family, and cases.py")
    parser.add_argument("--echelon", required=True, help="the program")
    parser.add_argument("--family")
    parser.add_argument("--case", help="one id")
    parser.add_argument("--dialect", choices=sorted(DIALECTS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", metavar="DIR")
    args = parser.parse_args()
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
        return run(args, args.keep)
    with tempfile.TemporaryDirectory(prefix="native-cases-") as folder:
        return run(args, folder)


if __name__ == "__main__":
    sys.exit(main())
