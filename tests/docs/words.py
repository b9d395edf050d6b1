#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds words that docs/style.md advises against, in the documentation, in help texts and in messages that tests expect.

Most of these words are ordinary English; what is wrong is one meaning of them ("turn" for an iteration, "the machine" for the
simulator). Each rule is therefore a pattern for that meaning, with sentences that it must find and sentences that it must not find;
--self-test checks those. A legitimate use that a pattern finds nevertheless is listed in ALLOWED with the reason. An entry there that
no text needs any more is an error, so that the list stays true.

What is read: prose of README.md, CONTRIBUTING.md, docs/**/*.md, the README.md of other folders, tests/**/PROGRAMS.md, the newest version of CHANGELOG.md, and
with --heddle PROGRAM the output of `PROGRAM VERB --help` for each verb that its help lists, and of --runner PROGRAM. Code blocks, `code`, addresses of
links and comments are not prose. With --outputs, messages are read too: the expected outputs in console blocks, what golden tests
(tests/golden) look for, the messages of golden transforms (tests/transform/golden) without the source lines that they quote, and
string literals of src.

Usage: words.py ROOT [--heddle PROGRAM] [--runner PROGRAM] [--outputs]
       words.py --self-test
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

class Rule(NamedTuple):
    name: str
    pattern: str
    advice: str
    bad: tuple   # sentences in which the pattern must be found
    good: tuple  # sentences in which it must not


UNITS = ("thread|warp|block|lane|point|second|microsecond|cycle|SM|multiprocessor|access|instruction|reaction|species|line|iteration|launch|kernel|"
         "task|item|state|row|branch|barrier|run|candidate|step|message|finding|sentence")
COUNTED = ("registers?|instructions?|bytes|KB|MB|values?|elements?|words?|threads?|warps?|blocks?|cycles?|slots?|accesses|loads?|points?|sectors?|"
           "exponentials?|reciprocals?|logarithms?|additions?|operations?|tickets?|barriers?|findings?|ideas?|names?|lines?|iterations?|"
           "multiprocessors?|G|M|\\d+|one|two|four|much")

RULES = (
    Rule("machine", r"\b(our|Heddle'?s?)( own)?( SIMT)? machines?\b|\bSIMT machine\b|"
         r"\bthe machine(?:'s|s)?\b(?! (?:has|have|with|that has|it is built|must|on which))|\bon the machine\b",
         "the simulator; a machine is the host computer",
         ("It runs on Heddle's machine.", "the machine's counters", "the SIMT machine behind it", "our machine runs it", "counted on the machine"),
         ("on another machine", "a machine with a GPU", "the cores of this machine", "some candidates crash the whole machine", "machine instructions")),
    Rule("room, house", r"\b(?:the|this|that|each|every|which|its|own) room\b|\brooms\b|\bhouses?\b", "module, tree",
         ("each room is a library", "rooms use each other", "the whole house"), ("leaves room for two blocks", "has no room")),
    Rule("Place, Voice", r"\bboth places\b|\bother place\b|\bwith (?:its|the|both|their) places?\b|\bPlaces? (?:is|are)\b|"
         r"\bplaces (?:that|where|are) (?:is |are )?shown\b|\bthread's place\b|\bVoices?\b", "source location; severity",
         ("both places are shown", "refused, with the place", "Places are objects", "the thread's place in the grid"),
         ("takes the place of the call", "in place of a program", "constructed in its place", "placed before the loop")),
    Rule("turn", r"(?<!in )(?<!\bby )\bturns?\b(?! (?:into|on|off|out|regrouping|it|them)|(?: \w+){1,4} (?:into|off)\b)", "iteration",
         ("in each turn of the loop", "loops of no turn or one", "a later turn loads it", "two turns"),
         ("the original and the variant in turn", "it turns into a loop", "turns regrouping off", "it turned out", "turn off the check")),
    Rule("part, meet", r"\bparted\b|\b(?:lanes?|threads?|warps?|they) (?:that |which )?(?:may )?part\b|\bparts? (?:a kernel's|the) warps?\b|\bmeets? again\b|"
         r"\b(?:lanes?|threads?|warps?|roles?|loads?|ways?|they|all) (?:that |which |would |may |must )?meet\b|\bmeets at\b",
         "diverge; reconverge, synchronize",
         ("where lanes part", "lanes that parted", "they meet again", "warps meet at the barrier", "lanes may part", "which branches part a kernel's warps"),
         ("a part of the lanes", "two ranges that are adjacent", "parts of warps", "meets the requirements")),
    Rule("tell", r"\btells?\b|\btold\b|\btelling\b", "report, print, state; determine; distinguish",
         ("the report tells which", "functions are told the task", "is told"), ("the report states which",)),
    Rule("says of", r"\b(?:says?|said) of\b|\bis said\b|\bsays it\b", "report, state",
         ("what ptxas says of its kernel", "the block is said by --block"), ("the message says what to do",)),
    Rule("stand", r"\bstands?\b|\bstood\b|\bstanding\b", "is in, represents, follows",
         ("it stands in the header", "a run stands for a launch", "what stands after --"), ("a standalone program", "CUDA understands it")),
    Rule("whole number", r"\bwhole numbers?\b", "integer", ("division of whole numbers",), ("the whole space",)),
    Rule("rates with 'a'", rf"\b(?:{COUNTED}) an? (?:{UNITS})\b(?! (?:that|which|of|has|is|in|can|may|reads?|writes?|does|executes?|must|with|at|to|needs?|loads?))",
         "per: registers per thread, blocks per SM",
         ("with 40 registers a thread", "1142 G reciprocals a second", "3.65 instructions a cycle", "one thread a point.", "32 threads a block"),
         ("registers per thread", "two blocks, one a warp of threads that", "elements a thread loads")),
    Rule("on an SM", r"\b(?:blocks|warps|threads) (?:and \d+ warps(?: of \d+)? )?(?:on|a) (?:an SM|a multiprocessor|multiprocessor)\b", "per SM",
         ("6 blocks on an SM", "4 blocks on a multiprocessor"), ("blocks per SM",)),
    Rule("work out", r"\bwork(?:s|ed|ing)?(?: (?:it|this|that|them))? out\b(?! of)", "compute, recompute", ("is worked out again", "work it out"), ("moves work out of the loop",)),
    Rule("come back", r"\b(?:brought|brings?|bring|come|comes|came|coming) back\b|\bcop(?:y|ies) that counts?\b|\ball that counts\b", "copied to the host; device-to-host copies",
         ("what it brought back", "what comes back from the device", "the copies that count"), ("copied back after the launch",)),
    Rule("obstacle", r"\bobstacles?\b", "legality failure, reason", ("the obstacle is a barrier",), ()),
    Rule("kept", r"(?:^|: )kept:|\bkept as (?:it|they) (?:is|are|was|were)\b|\bstays? as (?:it|they) (?:is|are|was|were)\b", "left unchanged: not profitable",
         ("a.cu:3:1: kept: nothing to merge", "kept: nothing", "the kernel stays as it is"), ("guards are kept, and", "where constants are kept: shuffle")),
    Rule("recipe, crew", r"\brecipes?\b|\bcrews?\b", "configuration; executor", ("the recipe of a point", "the crew"), ()),
    Rule("weave", r"\bweav(?:e|es|ing)\b(?!,)|\bwoven\b|\bwove\b", "warp partitioning, scheduling", ("woven kernels", "weaving warps", "weave the warps"), ("support, flow, weave, chem",)),
    Rule("judge", r"\bcourts?\b|\bjudge[sd]?\b|\bjudg(?:e?ments?|ing)\b", "race detector, checker; evaluate", ("One judge for both checks", "is judged by"), ()),
    Rule("treated", r"\btreated (?:chemistry|mechanisms?|kernels?|programs?)\b|\bwithout treatment\b", "with QSSA and stiff species",
         ("the treated mechanism", "treated chemistry"), ("treated like the first", "treated by QSSA")),
    Rule("warps stay", r"\b(?:warps|blocks) (?:that )?stay(?! together)\b", "persistent kernel", ("warps that stay and take block after block",), ("threads stay together",)),
    Rule("choice", r"\bbecomes? a choice\b|\ba choice (?:between|of two)\b|\bthe choice (?:itself|comes)\b", "select, if-conversion",
         ("a branch becomes a choice", "a choice of two registers"), ("the model's first choice",)),
    Rule("reckon, earnest, lots, nobody, hopeless", r"\breckon(?:s|ed|ing)?\b|\bearnest\b|\b(?:draws?|drawn|drew|by) lots\b|\bnobody\b|\bhopeless\b|\bsomebody\b|\bwhoever\b",
         "compute, target, at full size, random, no thread, unpromising",
         ("to compile and reckon for", "in earnest", "drawn by lots", "nobody waits", "the hopeless"), ("lots of registers",)),
    Rule("shared out, dealt", r"\bshar(?:e|es|ed|ing)(?: \w+)? out\b|\bdealt\b|\bdeals? (?:\w+ )?out\b|\bshares? of (?:the )?(?:memory|DRAM|L2|L1|shared memory|bandwidth)",
         "distributed; portion",
         ("work shared out to the warps", "species are dealt to lanes", "shares of L2's bandwidth"), ("warps share code", "deals with")),
    Rule("broadcast, stride", r"\bone address for the warp\b|\bdistance between lanes\b", "broadcast; stride between lanes", ("one address for the warp",), ()),
    Rule("outside", r"\b(?:verdict|answer)s?(?: is| are|:)? outside\b|\boutside:", "undecided", ("the verdict is outside", "outside: loops"), ("outside of the loop",)),
    Rule("could do", r"\bcould do\b", "opportunities", ("could do   merge two",), ()),
    Rule("candidate", r"\boriginal is (?:always )?a candidate\b", "the original is the baseline", ("the original is a candidate itself",), ()),
    Rule("prove", r"\bprov(?:e|es|ed|en) (?:it |this )?(?:by running|on this input|for this (?:run|input)|for one run)\b", "checked on this input",
         ("proved on this input",), ("proved for every input",)),
    Rule("off by", r"(?<!switched )\boff by\b(?!-)|\bWRONG\b", "pass, FAIL, maximum relative error", ("right, off by 1e-9", "WRONG"), ("an off-by-one error", "switched off by an option", "is wrong")),
    Rule("waits for", r"\b(?:kernels?|programs?|launch(?:es)?|original) (?:that |which )?waits? (?:longest )?for\b", "memory-bound, compute-bound",
         ("a kernel that waits for memory", "the original waits for"), ("a thread waits for memory", "warps wait for a barrier")),
    Rule("form", r"\b(?:matrix|plain|warps) forms?\b|\bforms? (?:are )?(?:plain|warps|matrix)\b|\bForm warps\b|\bin which forms\b|\bin the form `?warps\b|\bform, fits\b",
         "variant: thread per point, warp-specialized, tensor cores",
         ("the matrix form", "forms are plain, warps", "form, fits"), ("a fit in CHEMKIN's form", "equivalent form")),
    Rule("held to", r"\b(?:is|are|was|were|been|and|be) held (?:to|against)\b|\bholds? (?:\w+ ){1,6}against\b|\bheld (?:to|against)\b", "compared with; must",
         ("is held to the evaluator", "were held against each other"), ("values held in registers",)),
    Rule("kin, friends", r"\band (?:its|their) (?:kin|like)\b|\band friends\b|\band the like\b", "and its variants, and similar functions",
         ("__syncthreads_or and its kin", "-std= and friends"), ()),
    Rule("behind", r"\bbehind (?:it|the|a|an|its|each|their|one|them)\b", "after",
         ("the code behind the loop", "used behind a barrier", "the machine behind it"), ("falls behind",)),
    Rule("inversion", r"(?:^|[.:] )(?:Also )?(?:Refused|Undecided|Supported|Assumed|Exempt|Allowed|Checked|Compared|Missed by that|Taken for granted)(?:,[^,.]*,)? (?:is|are)\b",
         "subject, verb, object: 'coarsen refuses ...'", ("Refused is what coarsen refuses", "It ends. Also undecided are strides"), ("What is refused", "A refused directive is")),
    Rule("anew, forever", r"\banew\b|\bfor ever\b|\bsave for\b|\bthereof\b|\bwherever\b(?! possible)|\bby way of\b", "again; always; except for",
         ("write it anew", "hide it for ever", "calls, save for mathematics"), ()),
)

# (file or "help", a piece of the text around the match, reason)
ALLOWED = (
)


class Text(NamedTuple):
    """Prose of one paragraph, with the line that each character is from."""
    source: str
    text: str
    lines: list

    def line_at(self, offset):
        return self.lines[min(offset, len(self.lines) - 1)]


def blank(match):
    """The same length of text without words, so that offsets stay."""
    return re.sub(r"\S", "\x00", match.group(0))


def strip_options(line):
    """Names of options, which are code also where nothing marks them: --form, -d."""
    return re.sub(r"(?<!\S)--?[A-Za-z][\w-]*", blank, line)


def strip_markup(line):
    line = re.sub(r"`[^`]*`", blank, line)
    line = re.sub(r"\]\([^)]*\)", blank, line)
    line = re.sub(r"<!--.*?-->|https?://\S+", blank, line)
    return line.replace("*", " ")


def prose_of(path, outputs):
    """Yields (line number, text) of the lines that are prose."""
    fence = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip().startswith("```"):
            fence = None if fence is not None else line.strip()[3:]
            yield number, ""
        elif fence is None:
            yield number, strip_markup(line) if not line.startswith("    ") else ""
        elif outputs and fence == "console" and not line.startswith("$ "):
            yield number, strip_options(line)


def newest_section(lines):
    """Of a changelog: from its first heading of a version to the second."""
    count = 0
    for number, line in lines:
        count += line.startswith("## ")
        if count == 1:
            yield number, line


def paragraphs(source, lines):
    """Lines that follow each other are one text, so that a pattern can go over the end of a line. A table's row is by itself."""
    text, numbers = "", []
    for number, line in lines:
        words = line.strip()
        is_row = words.startswith("|")
        if not words or is_row or words.startswith(("#", "- ")):
            if text:
                yield Text(source, text, numbers)
            text, numbers = "", []
        if words:
            text += words + " "
            numbers += [number] * (len(words) + 1)
        if is_row and text:
            yield Text(source, text, numbers)
            text, numbers = "", []
    if text:
        yield Text(source, text, numbers)


def documents(root, outputs):
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("**/*.md")),
             *sorted(page for folder in ("arch", "bench", "examples", "runtime") for page in (root / folder).glob("**/README.md")),
             *sorted((root / "tests").glob("**/PROGRAMS.md"))]
    for page in pages:
        if not page.exists():
            continue
        name = str(page.relative_to(root))
        lines = prose_of(page, outputs)
        if name == "CHANGELOG.md":
            lines = newest_section(lines)
        yield from paragraphs(name, lines)


LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')


def source_texts(root):
    """String literals of the sources that are more than one word: messages, and code that Heddle emits with its comments."""
    for page in sorted(path for path in (root / "src").glob("**/*") if path.suffix in (".cpp", ".h", ".def")):
        text = re.sub(r"(?m)^\s*//.*$|\s//(?:/<)?\s.*$", blank, page.read_text())
        for found in LITERALS.finditer(text):
            words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0]))
            if " " in words:
                yield Text(str(page.relative_to(root)), strip_message(words), [text.count("\n", 0, found.start()) + 1])


def shown_by(command):
    shown = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if shown.returncode:
        sys.exit(f"{' '.join(command)}: exit code {shown.returncode}")
    return shown.stdout


def help_text(name, text):
    return paragraphs(name, ((number, strip_options(line)) for number, line in enumerate(text.splitlines(), 1)))


def help_texts(program):
    overview = shown_by([program, "--help"])
    yield from help_text("heddle --help", overview)
    verbs = re.findall(r"^  ([a-z]+) ", overview.split("\nVerbs (")[-1], re.M)
    if len(verbs) < 2:
        sys.exit("the verbs that `heddle --help` lists could not be read")
    for verb in verbs:
        yield from help_text(f"heddle {verb} --help", shown_by([program, verb, "--help"]))
    yield from help_text("heddle help exit-codes", shown_by([program, "help", "exit-codes"]))


MESSAGE = re.compile(r"^(?:\S*: )?(?:error|warning|note|hint|done|unchanged|internal error): ")
CHECKED = re.compile(r"^\W*([A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*): *(.*)$")  # a line that FileCheck reads


def strip_message(line):
    """Without the location, and without names and code in quotes."""
    line = MESSAGE.sub(blank, line)
    return strip_options(re.sub(r"'[^']*'|\([^()]*\)|\[[\w/-]+\]$", blank, line))


def strip_check(line):
    """What FileCheck looks for, without its patterns."""
    found = CHECKED.match(line)
    kind = found and found[1]
    if not found or kind == "RUN" or kind.endswith(("-NOT", "-LABEL", "-DAG-NOT", "-COUNT")):
        return ""
    return strip_message(re.sub(r"\{\{.*?\}\}|\[\[.*?\]\]", blank, found[2]))


def golden_texts(root):
    """Each line by itself: they are messages, not paragraphs."""
    for page in sorted((root / "tests/transform/golden").glob("**/*")):
        if page.suffix in (".refused", ".messages"):
            for number, line in enumerate(page.read_text().splitlines(), 1):
                if MESSAGE.match(line):
                    yield Text(str(page.relative_to(root)), strip_message(line), [number])
    for page in sorted((root / "tests/golden").glob("**/*")):
        if page.suffix in (".test", ".cu", ".ptx") and page.parent.name != "Inputs":
            for number, line in enumerate(page.read_text(errors="replace").splitlines(), 1):
                if words := strip_check(line):
                    yield Text(str(page.relative_to(root)), words, [number])


def findings(texts, allowed, used):
    rules = [(rule, re.compile(rule.pattern, re.IGNORECASE if rule.name != "off by" else 0)) for rule in RULES]
    for text in texts:
        for rule, pattern in rules:
            for match in pattern.finditer(text.text):
                around = text.text[max(0, match.start() - 60):match.end() + 60]
                excuse = next((entry for entry in allowed if entry[0] == text.source and entry[1] in around), None)
                if excuse:
                    used.add(excuse)
                else:
                    shown = around.replace("\x00", "_").strip()
                    yield f"{text.source}:{text.line_at(match.start())}: '{match.group(0)}': write {rule.advice} [{rule.name}]\n    ... {shown} ..."


def self_test():
    wrong = []
    names = [rule.name for rule in RULES]
    if len(set(names)) != len(names):
        wrong.append("two rules have the same name")
    for rule in RULES:
        pattern = re.compile(rule.pattern, re.IGNORECASE if rule.name != "off by" else 0)
        if not rule.bad:
            wrong.append(f"[{rule.name}] has no sentence that it finds")
        wrong += [f"[{rule.name}] does not find: {sentence}" for sentence in rule.bad if not pattern.search(sentence)]
        wrong += [f"[{rule.name}] finds: {sentence}" for sentence in rule.good if pattern.search(sentence)]
    wrong += test_reading() + test_messages()
    print("\n".join(wrong) or f"{len(RULES)} rules find what they should")
    return bool(wrong)


def test_reading():
    """What is prose, over the ends of lines; what is not; and that an entry of the list applies to its page alone."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "docs/page.md").write_text("Nothing is said of it, by the\nmachine of ours. `nobody`\n\n```console\n$ heddle nobody\nnobody waits\n```\n\n"
                                           "| a | 3 registers a thread |\n\n    nobody in code\n")
        (root / "CHANGELOG.md").write_text("# Changelog\n\n## 2\n\nnobody\n\n## 1\n\nthe hopeless\n")
        (root / "README.md").write_text("See [this](nobody.md).\n")
        def found(outputs=False, allowed=(), used=None):
            return [line.split("\n")[0] for line in findings(documents(root, outputs), allowed, used if used is not None else set())]
        plain, with_outputs = found(), found(outputs=True)
        used = set()
        excused = found(allowed=(("CHANGELOG.md", "nobody", "a test"), ("README.md", "nobody", "not needed")), used=used)
    wanted = ["CHANGELOG.md:5: 'nobody'", "docs/page.md:1: 'the machine'", "docs/page.md:1: 'is said'", "docs/page.md:9: 'registers a thread'"]
    wrong = [f"reading does not find {want} in {plain}" for want in wanted if not any(line.startswith(want) for line in plain)]
    if len(plain) != len(wanted):
        wrong.append(f"reading finds {plain}")
    if not any(line.startswith("docs/page.md:6: 'nobody'") for line in with_outputs) or len(with_outputs) != len(plain) + 1:
        wrong.append(f"with outputs, reading finds {with_outputs}")
    if len(excused) != len(plain) - 1 or [entry[0] for entry in used] != ["CHANGELOG.md"]:
        wrong.append(f"with exceptions, reading finds {excused}, and used {used}")
    return wrong


def test_messages():
    """Which part of a golden test is a message."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "tests/transform/golden/x").mkdir(parents=True)
        (root / "tests/golden/y").mkdir(parents=True)
        (root / "tests/transform/golden/x/nobody.refused").write_text(
            "$ heddle opt nobody\nnobody.cu:3:1: error: 'nobody' waits, and nobody writes [coarsen]\n   3 | nobody();\n     | ^\nhint: the hopeless\n")
        (root / "tests/golden/y/a.test").write_text(
            "nobody reads this\nRUN: nobody\nCHECK: {{.*}}nobody.cu:3: error: obstacle {{nobody}}\nCHECK-NOT: nobody\n// ONE-NEXT: reckon\n")
        (root / "src").mkdir()
        (root / "src/a.cpp").write_text('// "nobody reads this"\nf("an obsta"\n  "cle is here"); // nobody "nobody at all"\ng("nobody");\n')
        found = [line.split(": write")[0] for texts in (golden_texts(root), source_texts(root)) for line in findings(texts, (), set())]
    wanted = ["tests/transform/golden/x/nobody.refused:2: 'nobody'", "tests/transform/golden/x/nobody.refused:5: 'hopeless'",
              "tests/golden/y/a.test:3: 'obstacle'", "tests/golden/y/a.test:5: 'reckon'",
              "src/a.cpp:2: 'obstacle'"]  # the name of a file is no word of ours
    return [] if sorted(found) == sorted(wanted) else [f"in golden tests, {found} is found, not {wanted}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", type=Path)
    parser.add_argument("--heddle")
    parser.add_argument("--runner")
    parser.add_argument("--outputs", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        sys.exit(self_test())
    if not arguments.root:
        parser.error("ROOT is missing")
    used = set()
    found = list(findings(documents(arguments.root, arguments.outputs), ALLOWED, used))
    if arguments.heddle:
        found += findings(help_texts(arguments.heddle), ALLOWED, used)
    if arguments.runner:
        found += findings(help_text("heddle-runner --help", shown_by([arguments.runner, "--help"])), ALLOWED, used)
    if arguments.outputs:
        found += findings(golden_texts(arguments.root), ALLOWED, used)
        found += findings(source_texts(arguments.root), ALLOWED, used)
    for entry in ALLOWED:
        if entry not in used and (not entry[0].startswith("heddle ") or arguments.heddle):
            found.append(f"tests/docs/words.py: no text needs the exception {entry[:2]} any more")
    print("\n".join(found) or "no word that docs/style.md advises against")
    sys.exit(bool(found))


main()
