"""What nvcc makes of the kernels, without a GPU: no spilled registers; registers, stack and shared memory as recorded in
resources.txt, with the occupancy that follows; and no instruction of PTX that is not recorded there.

    resources_test.py NVCC KERNELS.cu INCLUDE            compares
    resources_test.py NVCC KERNELS.cu INCLUDE --record   writes resources.txt anew

Another version of nvcc allocates other registers: then only spills and instructions are tested, and the rest is
skipped (status 77). The flags are those of engine/devices/cuda/CMakeLists.txt.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("resources.txt")
FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-fmad=false", "--expt-relaxed-constexpr", "-Xcompiler=-fPIC"]
SKIPPED = 77

# Limits of a multiprocessor (cuda_occupancy.h): threads, blocks, bytes of shared memory, bytes that the system takes of
# each block's, the unit of shared memory. All have 65,536 registers, given in units of 256 to warps by each of four
# schedulers.
LIMITS = {
    "75": (1024, 16, 65536, 0, 256),
    "80": (2048, 32, 167936, 1024, 128),
    "90": (2048, 32, 233472, 1024, 128),
    "120": (1536, 24, 102400, 1024, 128),
}


def occupancy(architecture, threads, registers, shared):
    """Threads that a multiprocessor holds at once, in per cent of its most."""
    most_threads, most_blocks, all_shared, reserved, unit = LIMITS[architecture]
    warps = -(-threads // 32)
    registers_of_warp = -(-max(registers, 1) * 32 // 256) * 256
    by_registers = 65536 // 4 // registers_of_warp * 4 // warps
    shared_of_block = -(-(shared + reserved) // unit) * unit
    by_shared = all_shared // shared_of_block if shared_of_block else most_blocks
    blocks = min(most_blocks, most_threads // (warps * 32), by_registers, by_shared)
    return 100 * blocks * warps * 32 // most_threads


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout + done.stderr


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    short = []
    for name in done.stdout.splitlines():
        name = re.sub(r"headway::devices::(cuda::|kernels::)?(\(anonymous namespace\)::)?", "", name)
        name = re.sub(r"\((?!anonymous).*", "", name)  # the parameters
        short.append(name.removeprefix("void ").replace("> >", ">>").replace("> >", ">>"))
    return dict(zip(names, short))


def compiled(nvcc, kernels, include):
    """The version of nvcc; {kernel: {architecture: (registers, stack, shared)}}; spills; the instructions of PTX."""
    version = re.search(r"release (\d+\.\d+)", run([nvcc, "--version"])).group(1)
    with tempfile.TemporaryDirectory(prefix="headway-ptx-") as folder:
        targets = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in LIMITS]
        said = run([nvcc, *FLAGS, f"-I{include}", *targets, "-Xptxas=-v", "--threads=2", "-c", kernels, "-o",
                    f"{folder}/kernels.o"])
        run([nvcc, *FLAGS, f"-I{include}", "-arch=compute_75", "-ptx", kernels, "-o", f"{folder}/kernels.ptx"])
        ptx = pathlib.Path(folder, "kernels.ptx").read_text(encoding="utf-8")
    found, spills = {}, []
    for part in said.split("Compiling entry function ")[1:]:
        name, architecture = re.match(r"'(\w+)' for 'sm_(\d+)'", part).groups()
        stack, stores, loads = map(int, re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups())
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        shared = re.search(r"(\d+) bytes smem", part)
        found.setdefault(name, {})[architecture] = (registers, stack, int(shared.group(1)) if shared else 0)
        if stores or loads:
            spills.append((name, architecture, stores + loads))
    names = demangled(list(found))
    body = re.sub(r"//[^\n]*", "", ptx)
    used = set(re.findall(r"^\s*(?:@!?%\w+\s+)?([a-z]\w*)[\w.:]*(?=[\s;])[^\n]*;", body, re.MULTILINE))
    return (version, {names[name]: rows for name, rows in found.items()},
            [(names[name], *rest) for name, *rest in spills], sorted(used))


def as_text(version, found, instructions):
    lines = [
        f"# What nvcc {version} makes of engine/devices/cuda/kernels.cu; written by resources_test.py --record.",
        "# Each column: registers of a thread, bytes of its stack, bytes of shared memory of a block, occupancy.",
        "# PTX: " + " ".join(instructions),
        f"{'kernel':44}" + "".join(f"{'sm_' + a:>24}" for a in LIMITS),
    ]
    for name in sorted(found):
        threads = 1 if name == "nothing" else 256
        row = f"{name:44}"
        for architecture in LIMITS:
            registers, stack, shared = found[name][architecture]
            filled = occupancy(architecture, threads, registers, shared)
            row += f"{registers:>7}{stack:>5}{shared:>6}{filled:>5}%"
        lines.append(row)
    return "\n".join(lines) + "\n"


def main():
    nvcc, kernels, include = sys.argv[1:4]
    record = f"python3 {' '.join([sys.argv[0], *sys.argv[1:4]])} --record"
    if not nvcc or nvcc.endswith("NOTFOUND"):
        print("skipped: there is no nvcc")
        sys.exit(SKIPPED)
    version, found, spills, instructions = compiled(nvcc, kernels, include)
    for name, architecture, size in spills:
        print(f"{name} spills {size} bytes of registers on sm_{architecture}: it needs more registers than there are")
    if spills:
        sys.exit(1)
    text = as_text(version, found, instructions)
    if "--record" in sys.argv:
        RECORDED.write_text(text, encoding="utf-8")
        return
    recorded = RECORDED.read_text(encoding="utf-8")
    of_version = re.search(r"nvcc ([\d.]+)", recorded).group(1)
    known = re.search(r"^# PTX: (.*)$", recorded, re.MULTILINE).group(1).split()
    if of_version == version:
        before, after = (dict((line[:44].strip(), line) for line in lines.splitlines()) for lines in (recorded, text))
        changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        for name in changed:
            print(f"{name or 'a line'} has changed:\n  recorded {before.get(name, 'nothing')}\n  now      "
                  f"{after.get(name, 'nothing')}")
        if changed:
            sys.exit(f"If the change is meant, record it: {record}")
        print(f"{len(found)} kernels on {len(LIMITS)} architectures as recorded, without spills; "
              f"{len(instructions)} instructions of PTX")
        return
    if fresh := sorted(set(instructions) - set(known)):
        sys.exit(f"The kernels use instructions of PTX that are not recorded, and that tests/simt/gpu.h may not know: "
                 f"{' '.join(fresh)}. If they are meant, record them: {record}")
    print(f"skipped: resources.txt is of nvcc {of_version}, and this is {version}; no spills, no new instructions")
    sys.exit(SKIPPED)


if __name__ == "__main__":
    main()
