"""Compile the kernels ahead, into the package: python tools/kernels.py [--level LEVEL] [--jobs N]

Runs every verb on small networks, so that each kernel is compiled for the types that the verbs call it with, and keeps what
comes of it in src/topoloom/compiling/shipped. Without --level for this machine's processor alone, as is right for a checkout;
what the user's cache holds already is taken from there. With --level x86-64-v3 or x86-64-v4 for every processor of that level:
what tools/wheel.sh puts into a wheel.
"""

import argparse
import contextlib
import io
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

#: Lines of commands, each run in one process, the longest first. OUT is a folder that is thrown away; `then` joins
#: commands of which a later one needs what an earlier one left.
WORK = """
design OUT/need.toml -o OUT/design
optimize torus:dims=5x5 --moves 300 --jobs 2 then optimize torus:dims=18x18 --moves 30 --jobs 1
optimize jellyfish:n=64,degree=8 --moves 300 --tempering then optimize jellyfish:n=600,degree=3 --moves 40 --jobs 1
optimize grid:rows=8,columns=8,degree=4,length=3 --moves 300 then optimize diagrid:rows=8,columns=8,degree=4,length=3 --moves 300
optimize jellyfish:n=36,degree=3 --start structured --moves 300
optimize jellyfish:n=200,degree=5 --moves 2000 --jobs 1 then optimize jellyfish:n=100,degree=5 --moves 2000 --jobs 1
optimize grid:rows=6,columns=6,degree=4,length=3 --objective latency --moves 200
simulate slimfly:q=5,hosts=4 --engine hop-lanes --loads 0.3 --saturation --width 0.1 --preset slimfly-2014
simulate slimfly:q=5,hosts=4 --engine ugal-l --loads 0.3 then simulate slimfly:q=5,hosts=4 --engine ugal-g --loads 0.3
simulate slimfly:q=5,hosts=4 --engine ugal-l --loads 0.3 --set packet_flits=4 --set vcs=8
simulate torus:dims=4x4,hosts=1 --engine duato --loads 0.3 then simulate fat-tree:k=4 --engine anca --loads 0.2
simulate torus:dims=4x4,hosts=1 --engine duato --loads 0.3 --set packet_flits=4
simulate torus:dims=4x4,hosts=1 --engine dor --loads 0.2 --set packet_flits=4 --set buffer_flits=512
simulate torus:dims=9x8,hosts=1 --engine dor --preset noc-2016 --traffic chip:requests=5
layout jellyfish:n=60,degree=5 --floor koibuchi-2013 --cabinet 8 -o OUT/room then optimize OUT/room --cap-m 12 --moves 100 then optimize OUT/room --keep cabinets --moves 100 then route OUT/room --engine latency
layout slimfly:q=5,hosts=4 --cluster walktrap then layout torus:dims=8x8 --floor koibuchi-2013 --cabinet 4 --objective longest
layout jellyfish:n=60,degree=5 --map anneal --objective cost then layout jellyfish:n=60,degree=5 --map tabu
layout jellyfish:n=900,degree=8 --floor koibuchi-2013 --cabinet 2 --map anneal --improve
route slimfly:q=5,hosts=4 then route slimfly:q=5,hosts=4 --without 0-1,7 then route jellyfish:n=300,degree=6,hosts=2 --lanes 2
route slimfly:q=5,hosts=4 --engine minimal then route jellyfish:n=40,degree=4 --engine updown then route jellyfish:n=40,degree=4 --engine lash
route jellyfish:n=40,degree=4 --engine nue then route jellyfish:n=40,degree=4 --engine dfsssp
route jellyfish:n=40,degree=4 --engine lnmp then route jellyfish:n=40,degree=4 --engine balanced
route torus:dims=4x4 --engine dor then route torus:dims=4x4 --engine dor-pairs then route fat-tree:k=4 --engine fat-tree
route torus:dims=4x4 --engine duato --lanes 4 then route fat-tree:k=4 --engine ecmp then route fat-tree:k=4 --engine nca then route dragonfly:h=2 --engine dragonfly
route complete:n=300 then route slimfly:q=5 --engine ugal-l then route slimfly:q=5 --engine valiant
quality slimfly:q=5,hosts=4 --bisections 20 then quality slimfly:q=5,hosts=4 --engine minimal --bisections 20
quality torus:dims=4x4,hosts=2 --traffic hotspot:hosts=2,share=0.1 --bisections 20 --gap 0.1
resilience slimfly:q=5,hosts=4 --levels 10%,20% --samples 20 then resilience slimfly:q=5 --fail switches --levels 10% --samples 20
resilience slimfly:q=5,hosts=4 --metric aspl --levels 10% --samples 10 then resilience slimfly:q=5 --metric diameter --levels 10% --samples 10
resilience slimfly:q=5,hosts=4 --levels 10% --throughput --reroute orders --share 5% --draws 1 --samples 10
expand jellyfish:n=40,degree=4 --to 44 --batch 2 --floor koibuchi-2013 -o OUT/plan --check then expand hypercube:n=4 --into torus:dims=4x4
cuts slimfly:q=5,hosts=4 then cuts torus:dims=4x4 then info jellyfish:n=100,degree=5 then info jellyfish:n=20,degree=3
hops jellyfish:n=1000,degree=8 then hops torus:dims=40x40 then hops fat-tree:k=4 then hops dsn:n=64 then bounds --switches 64 --degree 8
balance --rows 8 --columns 8 --degrees 3-6 then build grid:rows=10,columns=10,degree=4,length=2 -o OUT/a.json then build optimal:n=32,degree=3 -o OUT/b.json
build jellyfish:n=50,degree=2 -o OUT/a.json then cost slimfly:q=5,hosts=4 then layout jellyfish:n=200,degree=6 --floor nakano-grid
"""

#: A requirement small enough to be designed for in a second or two.
_NEED = "hosts = 200\n[switch]\nradix = 16\n"


def main() -> None:
    """Compile in parallel, and say how it went."""
    from topoloom.compiling.kept import LEVELS, SHIPPED

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--level", choices=list(LEVELS), help="for every processor of this level")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options.add_argument("-v", "--verbose", action="store_true", help="print what fails")
    given = options.parse_args()
    if given.level is None:
        shutil.rmtree(SHIPPED, ignore_errors=True)
    else:
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = LEVELS[given.level]
    began, lines = time.monotonic(), WORK.strip().splitlines()
    failed = []
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        running = {pool.submit(_run, line, str(SHIPPED)): line for line in lines}
        for done in as_completed(running):
            failed += done.result()
    for command, said in failed:
        print(f"failed: topoloom {command}\n{said}", file=sys.stderr)
    kept = [file for file in SHIPPED.glob("*/*") if file.is_file()]
    size = sum(file.stat().st_size for file in kept) / 1e6
    print(f"{len(kept)} kernels compiled, {size:.0f} MB, {time.monotonic() - began:.0f} s", file=sys.stderr)
    sys.exit(bool(failed))


def _run(line: str, shipped: str) -> list[tuple[str, str]]:
    """Run the commands of a line in this process; those that failed, with what they said."""
    from topoloom.cli.main import main as topoloom
    from topoloom.compiling import kept

    kept.keep_in(Path(shipped))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "need.toml").write_text(_NEED)
        for command in line.split(" then "):
            said = io.StringIO()
            sys.argv = ["topoloom", *command.replace("OUT", folder).split()]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
                try:
                    topoloom()
                    code = 0
                except SystemExit as end:
                    code = end.code
            if code:
                failed.append((command, said.getvalue()))
    return failed


if __name__ == "__main__":
    main()
