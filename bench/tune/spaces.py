# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of kernels.tsv, and what `heddle tune` is given for each."""
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parent.parent
sys.path.insert(0, str(here.parent / "variants"))
from pages import rows_of  # noqa: E402
from variants import table  # noqa: E402


class Search:
    """One program and its space."""

    def __init__(self, row):
        self.program, self.size, self.small = row["program"], row["size"].split(), row["small"].split()
        self.copies = row["copies"]
        # nbody.cu is an example and a program of two suites
        folder, stem = Path(row["program"]).parent.name, Path(row["program"]).stem
        self.name = stem if folder == "examples" else f"{folder}-{stem}"
        self.space = [word for option in row["space"].split(";") for word in option.strip().split(" ", 1)]

    def command(self, heddle, *further, arguments):
        return [heddle, "tune", self.program, *self.space, *further, "--", *arguments]


def searches(wanted=()):
    """Of all rows, or of those whose names are wanted."""
    found = [Search(row) for row in table(here / "kernels.tsv")]
    return [search for search in found if not wanted or search.name in wanted]


def write_rows(data, head, columns, found):
    """Writes a table: rows by program, of those that are not among them what the table has, in the order of kernels.tsv."""
    old = {}
    for row in rows_of(data) if data.exists() else []:
        old.setdefault(row["program"], []).append(row)
    with open(data, "w") as out:
        print(head, file=out)
        print("\t".join(columns), file=out)
        for search in searches():
            for row in found.get(search.program, old.get(search.program, [])):
                print("\t".join(str(row.get(column, "")) for column in columns), file=out)
