"""One example for each command: the last line of its help text."""

from inspect import cleandoc

#: Arguments that a reader can type after the command's name; the files stand for the reader's own files.
EXAMPLES = {
    "new": "requirement -o requirement.toml --hosts 10000 --switch 64x400 --yes",
    "examples": "ai-4k -o examples",
    "families": "slimfly --hosts 10000 --radix 48",
    "draw": "fat-tree:k=8 -o tree.svg",
    "info": "slimfly:q=19,hosts=15",
    "report": "machine -o report.html",
    "hops": "torus:dims=8x8x8 --latency",
    "bounds": "torus:dims=8x8x8",
    "balance": "--rows 30 --columns 30",
    "cuts": "slimfly:q=5 --ways 4",
    "expander": "shuffled:n=960,degree=64",
    "build": "slimfly:q=19,hosts=15 -o slimfly.json",
    "convert": "slimfly.json slimfly.graphml",
    "optimize": "torus:dims=8x8 --seconds 10 -o better.json",
    "route": "slimfly:q=5,hosts=3 --engine dfsssp-switches -o tables",
    "reroute": "slimfly:q=5,hosts=3 0-1,7",
    "export": "slimfly:q=5,hosts=3 opensm -o fabric",
    "repair": "old.net old.lft new.net -o repaired",
    "quality": "slimfly:q=5,hosts=3 --traffic worst-case",
    "simulate": "slimfly:q=5,hosts=3 --traffic uniform --loads 0.1:0.9:0.2",
    "paths": "slimfly:q=5",
    "resilience": "slimfly:q=5 torus:dims=7x7 --fail switches",
    "losses": "fat-tree:k=8,hosts=32",
    "outage": "fat-tree:k=8,hosts=32 switch:0,link:1-16 --pair 1,9",
    "lifetime": "slimfly:q=5,hosts=4 --link-fit 100 --switch-mtbf 200000",
    "degradation": "slimfly:q=5,hosts=4 --shares 5%,10%",
    "damage": "slimfly:q=5,hosts=4 --share 10% -o left.json",
    "app": "slimfly:q=5,hosts=3 --app alltoall:bytes=4096 --ranks 64",
    "collective": "fat-tree:k=4 --operation allreduce --bytes 64MiB -o allreduce.json",
    "verify": "planned.json discovered.ibnetdiscover",
    "verify-tables": "fabric.net opensm.lft",
    "rules": "--only TL2xx",
    "watch": "plan monday.net tuesday.net -o sheets",
    "layout": "slimfly:q=19,hosts=15 -o plan",
    "expand": "plan --to 800 -o grown",
    "phases": "fat-tree:k=64,hosts=2048 --hosts 1024,2048",
    "methods": "--json",
    "manual": "-o /usr/local",
    "facility": "slimfly:q=19,hosts=15 --parts ethernet-2026 --rate 400 --air-k 15",
    "cost": "slimfly:q=19,hosts=15 dragonfly:a=16,h=8,p=8",
    "compare": "slimfly:q=5,hosts=4 fat-tree:k=8 --reference fat-tree:k=8",
    "flat-or-tree": "8192 --radix 128 --oversubscription 2",
    "design": "examples/cluster-10k.toml -o designs",
    "serve": "demo studies",
    "study": "examples/studies/load-curves.toml -o curves",
}


def with_example(command: str, text: str) -> str:
    """A command's help text with the example below it. A text that has an example already is returned unchanged.

    Examples
    --------
    >>> with_example("info", "What it is.").splitlines()[-1]
    'Example: topoloom info slimfly:q=19,hosts=15'
    """
    if command not in EXAMPLES or "Example:" in text:
        return text
    return f"{cleandoc(text)}\n\n\b\nExample: topoloom {command} {EXAMPLES[command]}"
