#!/usr/bin/python3
"""packaging/mutants: plants faults in DictationCore and Typing, one at a time, and says what finds each.

    NAME...                  the faults Tests/Mutants/NAME.patch; all without a name
    --random N [SEED [LOG]]  N faults that are made at random; with the output LOG of such a run only those that survived

All faults are in one build; an environment variable chooses one. A fault is found if a unit test fails or does not end, or
if random sequences of the simulation break a promise. Faults that change nothing are listed with the reason in
Tests/Mutants/equivalent.tsv, and are not made at random. Fails if a fault of a patch survives, or more than one of ten that
were made at random.
"""
import fnmatch
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
COPY = ROOT / ".build/mutants"
PRISTINE = COPY / "pristine"
SOURCES = {"DictationCore": "Sources/Core/DictationCore", "Typing": "Sources/Core/Typing"}
TESTS = ["DictationCoreTests", "TypingTests"]
# Those of the languages find many random faults in the written form.
LANGUAGE_TESTS = ["LanguageFilesTests"]
# Those that take long run after the others, which find most faults.
LONG_TESTS = ("aUnitOfAnyLength|everyWordIsInTheTextOnce|everyPassageHasOneOutcome|everyLivePassageHasOneOutcome|"
              "latestRequestGetsTheMicrophone")
SEQUENCES = "1500"
REQUIRED = 0.9
FAILURE = re.compile(r"Test (\S+) recorded an issue|^seed \d+: (.*)$")

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


class Patch:
    """A fault that is described by a patch."""

    def __init__(self, number, name):
        self.number, self.name = number, name
        self.path = FOLDER / f"{name}.patch"
        text = self.path.read_text()
        self.description = text.split("\n", 1)[0]
        path = re.search(r"^\+\+\+ b/(\S+)$", text, re.M).group(1)
        self.target = next(name for name, folder in SOURCES.items() if path.startswith(folder + "/"))
        self.file = pathlib.Path(path).relative_to(SOURCES[self.target])
        self.variant = COPY / "variants" / name

    def make_variant(self):
        """The file with the fault."""
        self.variant.parent.mkdir(exist_ok=True)
        original = PRISTINE / self.target / self.file
        run("patch", "--quiet", "--fuzz=0", f"--output={self.variant}", original, self.path, check=True)

    def __str__(self):
        return self.name


class Site:
    """A place where a fault can be made."""

    def __init__(self, row):
        number, self.file, first, last, self.fault, self.source = row.split("\t")
        self.id, self.first, self.last = int(number), int(first), int(last)

    def matches(self, equivalents):
        """Whether it is in the list of equivalents, whatever its line."""
        mine = (self.file, self.fault, self.source)
        return any(mine == row or all(map(fnmatch.fnmatchcase, mine, row)) for row in equivalents)

    def __str__(self):
        return f"{self.file}:{self.first} {self.fault}: {self.source}"


def mutator():
    package = FOLDER / "Mutator"
    build = ["swift", "build", "--package-path", str(package), "--scratch-path", str(ROOT / ".build/mutator")]
    run(*build, check=True, stdout=sys.stderr)
    folder = run(*build, "--show-bin-path", check=True, capture_output=True).stdout.strip()
    return f"{folder}/mutator"


COPIED = [*SOURCES.values(), *(f"Tests/{name}" for name in TESTS + LANGUAGE_TESTS), "Tests/Support/DictationSimulation"]


def copy_tree(tests):
    """A tree with copies of the core and its tests, and links to the rest. Its build folder is kept."""

    def fill(path):
        if path in COPIED:
            shutil.copytree(ROOT / path, COPY / path)
        elif any(copied.startswith(path + "/") for copied in COPIED):
            (COPY / path).mkdir()
            for child in (ROOT / path).iterdir():
                fill(f"{path}/{child.name}")
        else:
            (COPY / path).symlink_to(ROOT / path)

    COPY.mkdir(parents=True, exist_ok=True)
    for name in ("Sources", "Tests", "packaging", "dbus"):
        if (COPY / name).is_symlink():
            (COPY / name).unlink()
        shutil.rmtree(COPY / name, ignore_errors=True)
        fill(name)
    shutil.rmtree(PRISTINE, ignore_errors=True)
    for name, folder in SOURCES.items():
        shutil.copytree(ROOT / folder, PRISTINE / name)
        (COPY / folder / "PlantedFault.swift").write_text(SWITCH % name)
    run(ROOT / "packaging/part", COPY, *tests, "dictation-simulate", check=True)
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
        # Errors such as a missing return, or another type of a closure, are reported near the place that causes them.
        nearest = sorted(inside, key=lambda site: min(abs(line - site.first), abs(line - site.last)))
        result.update(site.id for site in at_line or nearest[:1])
    return result


def merge(tool, patches):
    """Plants the faults of patches. Returns those that need a build of their own."""
    single = []
    for target, file in sorted({(patch.target, patch.file) for patch in patches}):
        variants = [patch for patch in patches if (patch.target, patch.file) == (target, file)]
        for patch in variants:
            patch.make_variant()
        ids = run(tool, "merge", str(PRISTINE / target / file), str(COPY / SOURCES[target] / file),
                  *(f"{patch.number}={patch.variant}" for patch in variants), check=True, capture_output=True).stdout
        single += [patch for patch in variants if str(patch.number) in ids.split()]
    if log := build():
        sys.exit(log)
    return single


def nearest(sites, file, line, fault):
    """The site of a log, whose line may have changed; None if there is no such fault any more."""
    same = [site for site in sites if (site.file, f"{site.fault}: {site.source}") == (file, fault)]
    return min(same, key=lambda site: abs(site.first - int(line)), default=None)


def planted(site):
    return f"mutated({site.number})" in (COPY / SOURCES[site.target] / site.file).read_text()


def plant(tool, count, seed, equivalents, survivors):
    """Plants faults until the compiler accepts all, and returns them."""
    sites = []
    for name in SOURCES:
        rows = run(tool, "sites", str(PRISTINE / name), check=True, capture_output=True).stdout
        for row in rows.splitlines():
            site = Site(row)
            site.target, site.number, site.id = name, site.id, len(sites)
            sites.append(site)
    order = [site for site in random.Random(seed).sample(sites, len(sites)) if not site.matches(equivalents)]
    if survivors is not None:
        found = {nearest(sites, *survivor) for survivor in survivors}
        order = [site for site in order if site in found]
    say(f"{len(sites)} places for faults, seed {seed}")
    dropped = set()
    while True:
        chosen = [site for site in order if site.id not in dropped][:count]
        for name, folder in SOURCES.items():
            numbers = COPY / f"{name}.sites"
            numbers.write_text("".join(f"{site.number}\n" for site in chosen if site.target == name))
            run(tool, "plant", str(PRISTINE / name), str(numbers), str(COPY / folder), check=True)
        # A fault may hide another at the same place.
        if hidden := {site.id for site in chosen if not planted(site)}:
            dropped |= hidden
            continue
        log = build()
        if log is None:
            return chosen
        more = refused(log, chosen)
        if not more - dropped:
            sys.exit(log + "\nThe build fails, and no planted fault is the cause.")
        dropped |= more
        say(f"the compiler refuses {len(more)} faults; others take their place")


class Finder:
    """Runs the tests and the simulation on a planted fault."""

    def __init__(self):
        folder = run(*BUILD, "--show-bin-path", check=True, capture_output=True).stdout.strip()
        tests = [f"{folder}/dictationPackageTests.xctest", "--testing-library", "swift-testing"]
        self.steps = {
            "unit tests": [*tests, "--skip", f"SimulationTests|EventCostTests|RandomWordsTests|{LONG_TESTS}"],
            "long tests": [*tests, "--filter", LONG_TESTS],
            "simulation": [f"{folder}/dictation-simulate", SEQUENCES, "1"],
        }
        # In seconds of the processor, which a busy machine does not change.
        self.limits = {name: 600 for name in self.steps}

    def measure(self):
        """Runs all without a fault. A fault may cause an endless loop, so no step may take much longer."""
        for name in self.steps:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if failure := self.failure(name, None):
                sys.exit(f"Without a fault: {failure}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.limits[name] = 10 + int(4 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime))
        say(f"limits of processor time: {self.limits}")

    def failure(self, name, site):
        """How a step fails; None if it passes."""
        environment = dict(os.environ, DICTATION_MUTANT_TARGET=site.target if site else "",
                           DICTATION_MUTANT=str(site.number) if site else "")
        limited = f'ulimit -v 8000000 -t {self.limits[name]}; exec "$@"'
        process = subprocess.Popen(["bash", "-c", limited, "run", *self.steps[name]], env=environment, cwd=COPY, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", start_new_session=True)
        late = threading.Timer(600, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        try:
            for line in process.stdout:
                if failure := FAILURE.search(line):
                    # The first failure is enough.
                    os.killpg(process.pid, signal.SIGKILL)
                    return f"{name}: {failure.group(1) or failure.group(2)}"
            code = process.wait()
            return None if code == 0 else f"{name}: {code}"
        finally:
            late.cancel()
            process.stdout.close()
            process.wait()

    def found(self, site):
        """What finds the fault; None if nothing does."""
        return next(filter(None, (self.failure(name, site) for name in self.steps)), None)


def run_patches(names):
    names = names or sorted(path.stem for path in FOLDER.glob("*.patch"))
    patches = [Patch(number, name) for number, name in enumerate(names)]
    tool = mutator()
    copy_tree(TESTS)
    single = merge(tool, patches)
    finder = Finder()
    finder.measure()
    survivors = 0
    for patch in [patch for patch in patches if patch not in single] + single:
        if patch in single:
            for target, folder in SOURCES.items():
                shutil.copytree(PRISTINE / target, COPY / folder, dirs_exist_ok=True)
            shutil.copyfile(patch.variant, COPY / SOURCES[patch.target] / patch.file)
            if log := build():
                sys.exit(log)
        found = finder.found(patch)
        survivors += found is None
        say(f"killed    {patch}  ({found})" if found else f"SURVIVED  {patch}: {patch.description}")
    say(f"{len(patches)} faults, {survivors} survived")
    sys.exit(survivors > 0)


def run_random(count, seed=None, log=None):
    count, seed = int(count), int(seed) if seed else random.randrange(10**6)
    listed = (FOLDER / "equivalent.tsv").read_text().splitlines()
    equivalents = {tuple(row.split("\t")[:3]) for row in listed if row and not row.startswith("#")}
    survivors = None
    if log:
        survivors = re.findall(r"^SURVIVED  (\S+?):(\d+) (.*)$", pathlib.Path(log).read_text(), re.M)
    tool = mutator()
    copy_tree(TESTS + LANGUAGE_TESTS)
    chosen = plant(tool, count, seed, equivalents, survivors)
    finder = Finder()
    finder.measure()
    killed = 0
    for site in chosen:
        found = finder.found(site)
        killed += found is not None
        say(f"killed    {site}  ({found})" if found else f"SURVIVED  {site}")
    say(f"{len(chosen)} faults, {killed} killed, {100 * killed // len(chosen)} %")
    sys.exit(killed < REQUIRED * len(chosen))


if sys.argv[1:2] == ["--random"]:
    run_random(*sys.argv[2:])
else:
    run_patches(sys.argv[1:])
