"""The problem matcher and the pre-commit hook: what editors and CI make of Heddle's messages."""
import json, os, re, subprocess, sys, tempfile, unittest

heddle, root = sys.argv.pop(1), sys.argv.pop(1)
BAD = os.path.join(root, "tests/check/shared-between-warps.bad.cu")
GOOD = os.path.join(root, "tests/check/shared-between-warps.good.cu")


def matched(text):
    """The problems that the matcher finds in a log, as dictionaries of its groups."""
    with open(os.path.join(root, "tools/integration/problem-matcher.json"), encoding="utf-8") as file:
        (pattern,) = json.load(file)["problemMatcher"][0]["pattern"]
    groups = {name: number for name, number in pattern.items() if isinstance(number, int)}
    found = (re.match(pattern["regexp"], line) for line in text.splitlines())
    return [{name: match.group(number) for name, number in groups.items()} for match in found if match]


class ProblemMatcher(unittest.TestCase):
    def messages(self, *arguments):
        return subprocess.run([heddle, *arguments], capture_output=True, text=True, check=False)

    def test_findings(self):
        run = self.messages("check", BAD, "--static", "--block", "64", "--compiler", "clang")
        problems = matched(run.stdout + run.stderr)
        self.assertTrue(problems, run.stdout + run.stderr)
        first = problems[0]
        self.assertEqual((os.path.abspath(first["file"]), first["line"], first["severity"], first["code"]), (BAD, "10", "error", "race/shared"))
        self.assertTrue(first["message"].startswith("race: tile["), first)

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "a b.cu")
            with open(file, "w", encoding="utf-8") as out:
                out.write("#pragma heddle coarsen x=2\n__global__ void k(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x + clock()] = 1; }\n"
                          "int main() { k<<<1, 32>>>(nullptr); }\n#pragma heddle corsen\n__global__ void m() {}\n")
            run = self.messages("opt", file, "-o", os.path.join(folder, "out.cu"))
            problems = matched(run.stdout + run.stderr)
        self.assertTrue(problems, run.stdout + run.stderr)
        self.assertTrue(all(os.path.abspath(problem["file"]) == file and problem["severity"] in ("error", "warning") for problem in problems), problems)

    def test_what_keeps_a_file_from_being_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, line, message in (
                    ("__global__ void k(int *p);\n", "1", "no kernel is defined in this file"),
                    ("__global__ void k(int *p) { p[threadIdx.x] = 1; }\nvoid go(int *p, int n) {\n  k<<<1, n>>>(p);\n}\n", "3",
                     "the block of kernel 'k' is unknown: 'n' is a parameter of the function that launches"),
                    ("\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n", "2", "the block of kernel 'k' is unknown")):
                file = os.path.join(folder, "a.cu")
                with open(file, "w", encoding="utf-8") as out:
                    out.write(text)
                run = self.messages("check", file, "--static", "--compiler", "clang")
                (problem,) = matched(run.stdout + run.stderr)
                self.assertEqual((os.path.abspath(problem["file"]), problem["line"], problem["severity"], problem["message"]),
                                 (file, line, "error", message))

    def test_other_lines(self):
        self.assertEqual(matched("holds: kernel 'k': all 7 properties\n  a.cu:1:2: error: quoted\nnote: a.cu:1:1\n"), [])
        (problem,) = matched("src/a.cu:3: warning: text with [brackets] inside")
        self.assertEqual((problem["line"], problem["column"], problem["code"]), ("3", None, None))


class Hook(unittest.TestCase):
    def hook(self, *arguments, program=heddle):
        return subprocess.run([os.path.join(root, "tools/integration/check-static"), *arguments],
                              env={**os.environ, "HEDDLE": program}, capture_output=True, text=True, check=False)

    options = ("--block", "64", "--compiler", "clang", "--")

    def test_one_bad_file_of_several_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            spaced = os.path.join(folder, "with space é.cu")
            with open(spaced, "w", encoding="utf-8") as out:
                out.write("__global__ void one(int *p) { p[threadIdx.x] = 1; }\n")
            self.assertEqual(self.hook(*self.options, spaced, GOOD).returncode, 0)
            run = self.hook(*self.options, BAD, spaced)
            self.assertEqual(run.returncode, 1)
            self.assertIn("[race/shared]", run.stdout + run.stderr)
            self.assertIn("holds: kernel 'one'", run.stdout + run.stderr)  # the good file was checked as well

    def test_a_file_without_kernels_is_passed_over(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "helpers.cuh")
            with open(file, "w", encoding="utf-8") as out:
                out.write("__device__ int twice(int i) { return 2 * i; }\n")
            run = self.hook(file)
            self.assertEqual((run.returncode, run.stdout + run.stderr), (0, f"check: {file}: no kernel is defined in this file\n"))
        self.assertEqual(self.hook().returncode, 0)

    def test_headers_that_declare_kernels_or_hold_templates_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("declares.cuh", "__global__ void scale(float *a, int n);\n"),
                               ("template.cuh", "template <class T> __global__ void scale(T *a) { a[threadIdx.x] *= 2; }\n")):
                file = os.path.join(folder, name)
                with open(file, "w", encoding="utf-8") as out:
                    out.write(text)
                run = self.hook("--compiler", "clang", "--", file)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_kernel_behind_a_macro_is_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "kernel.h"), "w", encoding="utf-8") as out:
                out.write("#define KERNEL __global__\n")
            file = os.path.join(folder, "macro.cu")
            with open(file, "w", encoding="utf-8") as out:
                out.write('#include "kernel.h"\nKERNEL void bad(int *o) { __shared__ int t[64]; t[threadIdx.x] = threadIdx.x; o[threadIdx.x] = t[63 - threadIdx.x]; }\n')
            run = self.hook(*self.options, file)
            self.assertEqual(run.returncode, 1)
            self.assertIn("[race/shared]", run.stdout)

    def test_heddle_is_missing(self):
        run = self.hook(*self.options, GOOD, program="/no/such/heddle")
        self.assertEqual(run.returncode, 2)
        self.assertIn("not installed", run.stderr)


if __name__ == "__main__":
    unittest.main()
