"""A study from six answers: its text, with a comment per line and everything else that could be set."""

import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec

from topoloom.core.errors import InputError, check_type
from topoloom.core.settings import plain_of, shown
from topoloom.core.toml_files import parse_toml
from topoloom.model.directed import DirectedNetworkError
from topoloom.model.results import Provenance, json_value
from topoloom.operations.directed import refused_by
from topoloom.operations.field import fields_of
from topoloom.operations.operation import Operation, operation_of, studied
from topoloom.start.draft import Draft, path_from
from topoloom.start.toml_text import toml_text, unset
from topoloom.studies.axes import axis_hint, axis_values
from topoloom.studies.executor import EXECUTORS
from topoloom.studies.study import Study
from topoloom.topologies.spec import facts_of

DEFAULT_OPERATION = "simulate"
DEFAULT_NETWORKS = ("slimfly:q=5,hosts=4", "fat-tree:k=8", "torus:dims=7x7,hosts=4")
#: The axis of an operation and its values, if neither is given.
_AXES = {"simulate": ("loads", "0.1:0.9:0.2")}
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER}):({_NUMBER}):(x?)({_NUMBER})\s*", re.ASCII)
_NO_STEP = re.compile(rf"\s*{_NUMBER}:{_NUMBER}\s*", re.ASCII)
_BRACES = re.compile(r"\{(\w+)\}")
#: Example values of the keys that have no default.
_SAMPLES: dict[str, Any] = {
    "title": "A study",
    "seeds": 3,
    "replicate.value": "latency_mean",
    "run.jobs": 2,
    "run.limit_s": 600,
    "run.node.memory_gb": 2,
    "run.node.setup": ["module load python"],
    "engine": "updown",
    "floor": "koibuchi-2013",
    "partition": "main",
}
#: Example settings of a preset, per operation.
_SETS: dict[str, Any] = {"simulate": {"set": {"vcs": 3}}, "app": {"set": {"rate_gbps": 400}}}
#: The declarations of the executors' options.
_OPTIONS = {
    "slurm": "topoloom.studies.executors.slurm:SlurmOptions",
    "dask": "topoloom.studies.executors.dask:DaskOptions",
}
#: Keys that few studies need, and that should be read about before they are tried.
_OMITTED = ("base", "skip", "together", "run.node.environment")
#: The argument that takes files instead of networks.
_FILES = "requirement"
_HEAD = """\
# {title}.
#
#   topoloom study FILE -o results
#
# Each line says what it sets. A line that begins with # is not read: it shows the default or an example. Remove the #
# to set it. Every key is explained in docs/how-to/run-studies.md.

"""


def new_study(
    operation: str = DEFAULT_OPERATION,
    *,
    networks: Sequence[str] = DEFAULT_NETWORKS,
    axis: str | None = None,
    values: str | None = None,
    seeds: int = 1,
    executor: str = "processes",
    task: Mapping[str, Any] | None = None,
    title: str | None = None,
    folder: str | os.PathLike[str] = ".",
) -> Draft:
    """A study from six answers, checked as `run_study` checks it; `write` puts it into a file.

    Parameters
    ----------
    operation : str
        What every task runs: ``simulate``, ``hops``, ``quality`` ...
    networks : sequence of str
        Specs or files; each is run with every value of the axis; ``{side}`` in a spec is the value of the axis ``side``.
    axis : str, optional
        The argument of the operation that varies, or a name in braces; ``none`` if only the networks vary. If omitted, the
        name in braces, or the loads of ``simulate``.
    values : str, optional
        The values of the axis: a list ``4,8,16``, steps ``0.1:0.9:0.2`` or factors ``4:64:x2``.
    seeds : int
        Every task runs with the seeds 1 to this number.
    executor : str
        Where it runs: ``processes`` or ``threads`` on this machine, ``dask`` or ``slurm``.
    task : mapping, optional
        Other arguments that all tasks share: ``{"traffic": "uniform"}``.
    title : str, optional
    folder : path
        The folder that the study will be written to: its paths are relative to it.

    Returns
    -------
    Draft

    Raises
    ------
    InputError
        No such operation, axis or executor; values that the operation does not take.

    Examples
    --------
    >>> new_study(operation="hops", networks=["torus:dims={side}x{side}"], values="4:32:x2").text.splitlines()[0]
    '# hops of torus:dims={side}x{side} by side.'
    """
    check_type(operation, str, "new_study", "name an operation, such as simulate")
    task = task or {}
    source = check_operation(operation, task)
    others = [
        setting for setting in unset(studied(operation), _SAMPLES | _SETS.get(operation, {})) if setting.name != source
    ]
    EXECUTORS.find(executor)
    check_networks(operation, networks)
    varied, written = axis_of(operation, networks, axis, values)
    check_axis(operation, networks, varied)
    about = f"{operation} of {networks[0] if len(networks) == 1 else f'{len(networks)} networks'}"
    about += f" by {varied}" if varied else ""
    named = [path_from(folder, name) if os.path.exists(name) else name for name in networks]
    axes: dict[str, Any] = {source: named} if len(named) > 1 else {}
    axes |= {varied: _values(varied, written)} if varied else {}
    given: dict[str, Any] = {
        "title": title or about,
        "operation": operation,
        "task": ({source: named[0]} if len(named) == 1 else {}) | _nested(task),
        "axes": axes,
        "run": {"executor": executor},
    }
    given |= {"seeds": seeds} if seeds > 1 else {}
    # Made from its values first: error messages then name no line of a file that does not exist yet.
    try:
        _check(Study(**{key: value for key, value in given.items() if key != "run"}), source, folder)
    except InputError:
        _refuse_mixed(axes.get(varied), written)
        raise
    # With `seeds`, a seed of the task is refused.
    used = [*given["axes"], *(["seed"] if "seeds" in given else [])]
    more = {"task": [setting for setting in others if setting.name not in used]}
    if executor in _OPTIONS:
        more["run.options"] = unset(_declared(_OPTIONS[executor]), _SAMPLES)
    drawn = any(setting.name == "seed" for setting in others)
    omit = [*_OMITTED, *([] if drawn else ["seeds"]), *([] if drawn and "seeds" not in given else ["replicate"])]
    condition = _condition(axes)
    samples = _SAMPLES | ({"where": [condition]} if condition else {})
    omit += [] if condition else ["where"]
    text = _HEAD.format(title=about) + toml_text(Study, given, samples=samples, more=more, omit=omit)
    _check(parse_toml(text, Study, "new study"), source, folder)
    answers = {
        "operation": operation,
        "networks": list(networks),
        "axis": varied,
        "values": written,
        "seeds": seeds,
        "executor": executor,
        "task": task,
    }
    return Draft("study", text, provenance=Provenance.of_run(name=about, settings=json_value(answers)))


def axis_of(operation: str, networks: Sequence[str], axis: str | None, values: str | None) -> tuple[str, str]:
    """The axis to vary, and the text of its values; both are empty for no axis.

    Parameters
    ----------
    operation : str
    networks : sequence of str
    axis, values : str, optional
        As they were given.

    Returns
    -------
    tuple of (str, str)
        The values are empty if they are not given and the axis has no default values.

    Raises
    ------
    InputError
        Values without an axis.
    """
    default, default_values = _AXES.get(operation, ("", ""))
    braces = [name for network in networks for name in _BRACES.findall(network)]
    varied = axis if axis is not None else braces[0] if braces else default
    if varied in ("", "none"):
        if values:
            raise InputError("`values`: there is no axis to take them; `axis` names one")
        return "", ""
    return varied, values if values is not None else default_values if varied == default else ""


def check_operation(operation: str, task: Mapping[str, Any]) -> str:
    """Refuse an operation that such a study cannot run; returns the argument that takes a network.

    Parameters
    ----------
    operation : str
    task : mapping
        The other arguments that are given.

    Raises
    ------
    InputError
        No such operation, one that takes no network, or one that needs an argument which is not given.
    """
    kind = studied(operation)
    source = next((field.name for field in fields_of(kind) if field.positional), None)
    if source is None:
        raise InputError(
            f"`operation`: {operation} takes no network; write its study by hand, as docs/how-to/run-studies.md shows"
        )
    if not any("{" in text for text in map(str, task.values())):
        refusal = _refusal(kind, {source: "petersen", **_nested(task)})
        if refusal and refusal == _refusal(kind, {source: "petersen"}):
            raise InputError(f"`operation`: {refusal}; `task` gives arguments")
        if refusal:
            raise InputError(f"`task`: {refusal}")
    return source


def _refusal(kind: type[Operation], arguments: Mapping[str, Any]) -> str:
    """Why an operation does not accept arguments; empty if it does."""
    try:
        operation_of(kind, arguments).repeatable()
    except InputError as error:
        return str(error)
    return ""


def check_networks(operation: str, networks: Sequence[str]) -> None:
    """Refuse networks that are neither specs nor files; those with names in braces are checked with the axis.

    Parameters
    ----------
    operation : str
    networks : sequence of str

    Raises
    ------
    InputError
        There are no networks, or one of them is neither a spec nor a file.
    """
    if not networks:
        raise InputError("`networks`: name at least one, a spec or a file")
    source = check_operation(operation, {"": "{"})
    for name in networks:
        if not _BRACES.search(name):
            _check_source(operation, source, name, ".")


def check_axis(operation: str, networks: Sequence[str], axis: str) -> None:
    """Refuse an axis that is not used.

    Parameters
    ----------
    operation : str
    networks : sequence of str
    axis : str
        Empty for none.

    Raises
    ------
    InputError
        It is neither an argument of the operation nor a name in braces, or a name in braces is not an axis.
    """
    braces = {name for network in networks for name in _BRACES.findall(network)}
    arguments = [field.name for field in fields_of(studied(operation))]
    if axis and axis.partition(".")[0] not in arguments and axis not in braces:
        raise InputError(
            f"`axis`: '{axis[:60]}' is not an argument of {operation} ({axis_hint(axis, operation, arguments)}), and no"
            f" network has {{{axis[:60]}}}"
        )
    missing = sorted(braces - {axis})
    if missing:
        raise InputError(f"`axis`: a network has {{{missing[0]}}} in it, which is not the axis; name it")


def _check_source(operation: str, source: str, name: str, folder: str | os.PathLike[str]) -> None:
    if os.path.exists(os.path.normpath(os.path.join(folder, name))):
        return
    if source == _FILES:
        raise InputError(f"`networks`: {name}: there is no such file; the operation takes requirement files")
    try:
        facts_of(name)
    except DirectedNetworkError as refused:
        if not studied(operation).directed:
            raise refused_by(refused, operation) from None
        refused.opened()


def _declared(place: str) -> Any:
    """The declaration that "module:name" names; the module is imported when it is needed."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _nested(task: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with keys such as ``change.hosts`` as tables within tables."""
    nested: dict[str, Any] = {}
    for key, value in task.items():
        *tables, last = key.split(".")
        inner = nested
        for name in tables:
            inner = inner.setdefault(name, {})
            if not isinstance(inner, dict):
                raise InputError(f"`task`: {name} is given as a value and as a table; give one of them")
        inner[last] = value
    return nested


def _values(axis: str, text: str) -> Any:
    """The values of an axis: a range, or a list of numbers and words.

    Raises
    ------
    InputError
        There are no values.
    """
    range_match = _RANGE.fullmatch(text)
    if range_match:
        first, last, factor, step = range_match.groups()
        return {"from": plain_of(first), "to": plain_of(last), "times" if factor else "step": plain_of(step)}
    if _NO_STEP.fullmatch(text):
        raise InputError(f"`values` {text.strip()}: a range needs a step: {text.strip()}:1")
    # Specs contain commas, so a list of them is separated by spaces.
    values = [plain_of(word) for word in (text.split() if " " in text.strip() else text.split(",")) if word.strip()]
    if not values:
        raise InputError(
            f"`values`: say which values {axis} takes: a list 4,8,16, steps 0.1:0.9:0.2 or factors 4:64:x2"
        )
    return values


def _refuse_mixed(values: Any, text: str) -> None:
    """Raise an error that names the text among numbers, of values that the operation does not accept."""
    words = [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
    if words and len(words) < len(values):
        raise InputError(f"`values` {text}: {shown(words[0])} is not a number, as the other values are") from None


def _condition(axes: Mapping[str, Any]) -> str:
    """An example of a condition on the last axis that has a plain name; empty without one."""
    for name in reversed([name for name in axes if name.isidentifier()]):
        values = [value for _, value in axis_values(name, axes[name])]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            return f"{name} <= {values[len(values) // 2]}"
        if len(values) > 1:
            return f"{name} != {values[0]!r}"
    return ""


def _check(study: Study, source: str, folder: str | os.PathLike[str]) -> None:
    """Refuse a study whose tasks cannot run: arguments, specs and files; its paths start from `folder`."""
    base = os.path.abspath(folder)
    given = (task.arguments.get(source) for task in msgspec.structs.replace(study, base=base).tasks())
    names = (name for value in given for name in (value if isinstance(value, list | tuple) else [value]))
    for name in dict.fromkeys(map(str, names)):
        _check_source(study.operation, source, name, base)
