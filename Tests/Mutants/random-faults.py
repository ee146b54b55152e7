#!/usr/bin/python3
"""packaging/mutants --random N [SEED]: plants N random faults in DictationCore and Typing, one at a time.

All faults of a run are in one build; an environment variable chooses one. A fault is found if a unit test fails or
does not end, or if random sequences of the simulation break a promise. Faults that change nothing are listed with the
reason in Tests/Mutants/equivalent.tsv. Fails if fewer than nine of ten are found.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build/random-mutants"
PRISTINE = COPY / "pristine"
SOURCES = {"DictationCore": "Sources/Core/DictationCore", "Typing": "Sources/Core/Typing"}
TESTS = ["DictationCoreTests", "TypingTests", "LanguageFilesTests"]
SEQUENCES = "1500"
REQUIRED = 0.9

SWITCH = """import Glibc

private func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

private let active =
    variable("DICTATION_MUTANT_TARGET") == "%s" ? Int(variable("DICTATION_MUTANT")) ?? -1 : -1

/// Whether this fault is planted in this run.
@inline(never) func mutated(_ fault: Int) -> Bool { fault == active }
"""


def say(*words):
    print(*words, flush=True)


def run(*command, **options):
    return subprocess.run(command, text=True, **options)


class Site:
    def __init__(self, row):
        number, self.file, first, last, self.fault, self.source = row.split("\t")
        self.id, self.first, self.last = int(number), int(first), int(last)

    @property
    def key(self):
        """Names the site in the list of equivalents, whatever its line."""
        return (self.file, self.fault, self.source)

    def __str__(self):
        return f"{self.file}:{self.first} {self.fault}: {self.source}"


def mutator():
    package = ROOT / "Tests/Mutants/Mutator"
    build = ["swift", "build", "--package-path", str(package), "--scratch-path", str(ROOT / ".build/mutator")]
    run(*build, check=True, stdout=sys.stderr)
    folder = run(*build, "--show-bin-path", check=True, capture_output=True).stdout.strip()
    return f"{folder}/mutator"


def copy_tree():
    """A copy of what the tests of the core need. Its build folder is kept."""
    for name in ("Sources", "Tests", "packaging", "dbus"):
        shutil.rmtree(COPY / name, ignore_errors=True)
        shutil.copytree(ROOT / name, COPY / name, ignore=shutil.ignore_patterns(".build", ".build-*"), symlinks=True)
    shutil.rmtree(PRISTINE, ignore_errors=True)
    for name, folder in SOURCES.items():
        shutil.copytree(ROOT / folder, PRISTINE / name)
        (COPY / folder / "PlantedFault.swift").write_text(SWITCH % name)
    run(ROOT / "packaging/part", COPY, *TESTS, "dictation-simulate", check=True)
    manifest = COPY / "Package.swift"
    # A fault may cause a warning.
    manifest.write_text(manifest.read_text().replace(".treatAllWarnings(as: .error), ", ""))


BUILD = ["swift", "build", "--package-path", str(COPY), "-c", "release", "-Xswiftc", "-enable-testing"]


def build():
    log = run(*BUILD, "--build-tests", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return None if log.returncode == 0 else log.stdout


def refused(log, chosen):
    """The faults that the compiler refuses."""
    result = set()
    for path, line in re.findall(r"^(\S+\.swift):(\d+):\d+: error:", log, re.M):
        line = int(line)
        inside = [site for site in chosen if path.endswith("/" + site.file)]
        at_line = [site for site in inside if site.first <= line <= site.last]
        # Errors such as a missing return are reported behind the place that causes them.
        before = sorted((site for site in inside if site.first <= line), key=lambda site: site.first)
        result.update(site.id for site in at_line or before[-1:])
    return result


def plant(tool, count, seed, equivalents):
    """Plants faults until the compiler accepts all, and returns them."""
    sites = []
    for name in SOURCES:
        rows = run(tool, str(PRISTINE / name), check=True, capture_output=True).stdout
        for row in rows.splitlines():
            site = Site(row)
            site.target, site.number, site.id = name, site.id, len(sites)
            sites.append(site)
    order = [site for site in random.Random(seed).sample(sites, len(sites)) if site.key not in equivalents]
    say(f"{len(sites)} places for faults, seed {seed}")
    dropped = set()
    while True:
        chosen = [site for site in order if site.id not in dropped][:count]
        for name, folder in SOURCES.items():
            numbers = COPY / f"{name}.sites"
            numbers.write_text("".join(f"{site.number}\n" for site in chosen if site.target == name))
            run(tool, str(PRISTINE / name), str(numbers), str(COPY / folder), check=True)
        log = build()
        if log is None:
            return chosen
        more = refused(log, chosen)
        if not more - dropped:
            sys.exit(log + "\nThe build fails, and no planted fault is the cause.")
        dropped |= more
        say(f"the compiler refuses {len(more)} faults; others take their place")


def finder(site):
    """What finds the fault; None if nothing does."""
    programs = pathlib.Path(run(*BUILD, "--show-bin-path", check=True, capture_output=True).stdout.strip())
    environment = dict(os.environ, DICTATION_MUTANT_TARGET=site.target if site else "", DICTATION_MUTANT=str(site.number) if site else "")
    skipped = "SimulationTests|EventCostTests|RandomWordsTests"
    tests = [programs / "dictationPackageTests.xctest", "--testing-library", "swift-testing", "--skip", skipped]
    for name, command in ("unit tests", tests), ("simulation", [programs / "dictation-simulate", SEQUENCES, "1"]):
        try:
            result = run("bash", "-c", 'ulimit -v 8000000; exec "$@"', "run", *command, env=environment, timeout=120,
                         cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return f"{name}: do not end"
        if result.returncode:
            failure = re.search(r"Test (\S+) recorded an issue|^seed \d+: (.*)$", result.stdout, re.M)
            return f"{name}: {failure.group(1) or failure.group(2) if failure else result.returncode}"
    return None


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    listed = (ROOT / "Tests/Mutants/equivalent.tsv").read_text().splitlines()
    equivalents = {tuple(row.split("\t")[:3]) for row in listed if row and not row.startswith("#")}
    tool = mutator()
    copy_tree()
    chosen = plant(tool, count, seed, equivalents)
    if found := finder(None):
        sys.exit(f"Without a fault: {found}")
    killed = 0
    for site in chosen:
        found = finder(site)
        killed += found is not None
        say(f"killed    {site}  ({found})" if found else f"SURVIVED  {site}")
    say(f"{len(chosen)} faults, {killed} killed, {100 * killed // len(chosen)} %")
    sys.exit(killed < REQUIRED * len(chosen))


main()
