"""Does with heddle opt what heddle analyze offers, and what it does not offer.

    opportunities.py HEDDLE FILE...
"""
import json, os, subprocess, sys, tempfile

heddle, files = sys.argv[1], sys.argv[2:]
wrong = offered = notOffered = 0


def run(*words):
    return subprocess.run([heddle, *words, "--cuda-path", "none"], capture_output=True, text=True)


def opt(file, each, output):
    """Whether opt changes the file so; what it says."""
    done = run("opt", file, "-o", output, "--remarks", *each["arguments"])
    isChanged = done.returncode == 0 and "left unchanged" not in done.stderr
    return isChanged and open(output).read() != open(file).read(), done.stderr


with tempfile.TemporaryDirectory() as folder:
    output = os.path.join(folder, "out.cu")
    for file in files:
        analyzed = json.loads(run("analyze", file, "--no-ptxas", "--json").stdout)
        for kernel in analyzed["kernels"]:
            name = f"{os.path.basename(file)}: {kernel['name']}"
            for each in kernel["opportunities"]:
                offered += 1
                isChanged, messages = opt(file, each, output)
                if not isChanged:
                    wrong += 1
                    print(f"{name}: offered, and refused: {each['arguments']}\n{messages}")
            for each in kernel["notOffered"]:
                notOffered += 1
                isChanged, messages = opt(file, each, output)
                if each["reason"].startswith("saves no loads"):
                    if not isChanged:
                        wrong += 1
                        print(f"{name}: not offered ({each['reason']}), and refused: {each['arguments']}\n{messages}")
                elif isChanged or each["reason"] not in messages:
                    wrong += 1
                    print(f"{name}: not offered ({each['reason']}), but: {each['arguments']}\n{messages}")
print(f"{wrong} wrong of {offered} offered and {notOffered} not offered")
