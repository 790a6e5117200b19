"""A step of training as programs of ranks: the same operations in the same order as ``programs/training.c``."""

from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.applications.app_run import Measurement
from topoloom.simulation.applications.flow_algorithms import algorithms_of
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flows.programs import Programs, Script

if TYPE_CHECKING:
    from topoloom.simulation.applications.schedule_run import ScheduleRun

#: The labels under which time is counted, as training.c prints them.
KINDS = ("compute", "tensor", "expert", "pipeline", "data", "embedding")
_COMPUTE, _TENSOR, _EXPERT, _PIPELINE, _DATA, _EMBEDDING = range(6)
#: Groups of ranks, after the group of all ranks.
_IN_TENSOR, _IN_EXPERT, _IN_PIPELINE, _IN_DATA, _IN_EXPERT_DATA, _IN_EMBEDDING = range(1, 7)
_FORWARD, _BACKWARD = 1, 2


def training_programs(name: str, ranks: int, arguments: dict[str, Any], settings: AppSettings) -> Programs:
    """Return the operations of ranks for the arguments of ``training.c`` (`catalogue.training.training_arguments`).

    Parameters
    ----------
    name : str
        A label for messages.
    ranks : int
    arguments : dict
        The program's arguments.
    settings : AppSettings
        Give the algorithms where the model uses MPI's collectives.

    Returns
    -------
    Programs
        The programs, with one script per pipeline stage.

    Raises
    ------
    InputError
        MPI's collectives with an algorithm that flows do not support.
    """
    tp, dp, pp, ep = (int(arguments[key]) for key in ("tp", "dp", "pp", "ep"))
    rank = np.arange(ranks)
    t, d, stage = rank % tp, rank // tp % dp, rank // (tp * dp)
    data = stage * tp + t
    edge = (stage == 0) | (stage == pp - 1)
    groups = (
        np.zeros(ranks, np.int64),
        rank // tp,
        data * dp + d // ep,
        rank % (tp * dp),
        data,
        data * dp + d % ep,
        rank % (tp * dp) * (pp + 1) + np.where(edge, pp, stage),
    )
    scripts = tuple(_Stage(name, number, arguments, settings).step() for number in range(pp))
    return Programs(scripts, stage, groups, KINDS, settings.speed_gflops * 1e9)


def training_results(run: "ScheduleRun", arguments: dict[str, Any], settings: AppSettings) -> dict[str, Measurement]:
    """Return the results that training.c prints for a step.

    Parameters
    ----------
    run : ScheduleRun
    arguments : dict
        The program's arguments.
    settings : AppSettings

    Returns
    -------
    dict of str to Measurement
    """
    time, flops = run.seconds, float(arguments["model_flops"])
    results = {"time": Measurement(time, "s")}
    if run.spent.size:
        results |= {kind: Measurement(float(run.spent[:, i].max()), "s") for i, kind in enumerate(KINDS)}
    computing = (run.spent[:, _COMPUTE] if run.spent.size else run.worked) / np.maximum(
        run.finished if run.spent.size else time, np.finfo(float).tiny
    )
    speed = flops / time
    ranks = run.worked.size
    return results | {
        "communication": Measurement(float(1 - computing.mean()), "-"),
        "tokens": Measurement(float(arguments["tokens"]) / time, "1/s"),
        "speed": Measurement(speed, "flop/s"),
        "utilisation": Measurement(speed / (ranks * settings.speed_gflops * 1e9), "-"),
    }


class _Stage:
    """Writes the script of the ranks of one pipeline stage."""

    def __init__(self, name: str, stage: int, arguments: dict[str, Any], settings: AppSettings) -> None:
        self.name, self.stage, self.arguments, self.settings = name, stage, arguments, settings
        self.stages, self.layers, self.every = int(arguments["pp"]), int(arguments["layers"]), int(arguments["every"])
        self.ring, self.bucket = bool(arguments["ring"]), int(arguments["bucket"])
        self.script = Script()

    def step(self) -> Script:
        """Return the script of one step, in the order of training.c's main."""
        arguments = self.arguments
        last = self.stages - 1
        edge = self.stage in (0, last)
        copies = (float(arguments["embeddings"]) if self.stages == 1 else 1.0) if edge else 0.0
        embedding = float(arguments["embedding_parameters"])
        shared = float(arguments["layer_parameters"]) + copies * embedding
        self._pipeline(int(arguments["micro_batches"]))
        self._gradients(shared, _IN_DATA, int(arguments["dp"]))
        self._gradients(
            float(arguments["expert_parameters"]), _IN_EXPERT_DATA, int(arguments["dp"]) // int(arguments["ep"])
        )
        if float(arguments["embeddings"]) == 1 and edge and self.stages > 1:
            self._sum(embedding * float(arguments["gradient_bytes"]), _IN_EMBEDDING, _EMBEDDING)
        return self.script

    def _pipeline(self, batches: int) -> None:
        ahead = min(self.stages - 1 - self.stage, batches)
        for _ in range(ahead):
            self._forward()
        for _ in range(batches - ahead):
            self._forward()
            self._backward()
        for _ in range(ahead):
            self._backward()
        for slot in range(2):
            self.script.wait(slot, _PIPELINE)

    def _forward(self) -> None:
        self._receive(_FORWARD)
        self._pass(1, logits=True)
        self._send(_FORWARD)

    def _backward(self) -> None:
        self._receive(_BACKWARD)
        if self.arguments["recompute"]:
            self._pass(1, logits=False)
        self._pass(2, logits=True)
        self._send(_BACKWARD)

    def _pass(self, times: int, *, logits: bool) -> None:
        arguments, script, ends = self.arguments, self.script, logits and self.stage == self.stages - 1
        if ends and times == 2:
            script.compute(2 * arguments["logit_flops"], _COMPUTE)
        for i in range(self.layers):
            layer = self.stage * self.layers + (i if times == 1 else self.layers - 1 - i)
            experts = self.every > 0 and (layer + 1) % self.every == 0
            for half in range(2):
                attention = (half == 0) == (times == 1)
                what = "attention" if attention else "expert" if experts else "feedforward"
                if not attention and experts:
                    self._dispatch()
                script.compute(times * arguments[f"{what}_flops"], _COMPUTE)
                if not attention and experts:
                    self._dispatch()
                if int(arguments["tp"]) > 1:
                    self._sum(float(arguments["activation_bytes"]), _IN_TENSOR, _TENSOR)
        if ends and times == 1:
            script.compute(arguments["logit_flops"], _COMPUTE)

    def _dispatch(self) -> None:
        """Send tokens to their experts, or back."""
        if int(self.arguments["ep"]) > 1:
            chosen = ("shift",) if self.ring else algorithms_of("alltoall", self.settings, self.name)
            for algorithm in chosen:
                self.script.collective(algorithm, self.arguments["pair_bytes"], _IN_EXPERT, _EXPERT)

    def _sum(self, size: float, kind: int, label: int) -> None:
        chosen = ("ring", "ring") if self.ring else algorithms_of("allreduce", self.settings, self.name)
        self._buckets(chosen, size, kind, label)

    def _gradients(self, parameters: float, kind: int, ranks: int) -> None:
        gradient, value = (parameters * float(self.arguments[key]) for key in ("gradient_bytes", "value_bytes"))
        if ranks == 1:
            return
        if not self.arguments["zero"]:
            self._sum(gradient, kind, _DATA)
            return
        if not self.ring:
            raise InputError(
                f"{self.name}: flows support zero=1 with collectives=ring only; set collectives=ring or zero=0"
            )
        self._buckets(("ring",), gradient, kind, _DATA)
        self._buckets(("ring",), value, kind, _DATA)

    def _buckets(self, chosen: tuple[str, ...], size: float, kind: int, label: int) -> None:
        """Run collectives bucket by bucket, in whole bytes, as training.c counts them."""
        full, rest = divmod(int(size), self.bucket)
        if len(chosen) == 1:
            self.script.collective(chosen[0], self.bucket, kind, label, times=full)
        else:
            for _ in range(full):
                for algorithm in chosen:
                    self.script.collective(algorithm, self.bucket, kind, label)
        if rest:
            for algorithm in chosen:
                self.script.collective(algorithm, rest, kind, label)

    def _receive(self, way: int) -> None:
        source = self.stage - 1 if way == _FORWARD else self.stage + 1
        if 0 <= source < self.stages:
            self.script.receive(source, way, _IN_PIPELINE, _PIPELINE)

    def _send(self, way: int) -> None:
        to = self.stage + 1 if way == _FORWARD else self.stage - 1
        if 0 <= to < self.stages:
            slot = way - _FORWARD
            self.script.wait(slot, _PIPELINE)
            self.script.post_send(slot, to, float(self.arguments["activation_bytes"]), way, _IN_PIPELINE, _PIPELINE)
