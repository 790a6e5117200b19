"""``training``: one training step of a transformer, from a published model or a file, as MPI messages."""

from typing import TYPE_CHECKING, Any

import msgspec

from topoloom.simulation.applications.catalogue.programs import built_in_program, call_text
from topoloom.simulation.applications.program import AsSchedule, Source
from topoloom.simulation.applications.registry import application
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.training_model import Training, on_ranks, preset_names, read_model
from topoloom.topologies.spec import Choice, Integer, Parameter

if TYPE_CHECKING:
    from topoloom.simulation.applications.app_run import Measurement
    from topoloom.simulation.applications.schedule_run import ScheduleRun
    from topoloom.simulation.flows.programs import Programs

#: Collectives on more bytes are split into buckets: MPI counts to 2^31, and its collectives keep copies of the data.
BUCKET = 1 << 28


class _ModelName(Parameter):
    """A parameter that takes the name of a preset model or a file."""

    @property
    def range(self) -> str:
        return " or ".join([*preset_names(), "a .toml file"])

    def read(self, text: Any) -> str:
        return str(text)


def _degree(description: str) -> Integer:
    return Integer(1, 1 << 20, description, default=None)


@application(
    "training",
    "one training step of a transformer: tensor, data, pipeline and expert parallel",
    source="Narayanan et al., SC 2021; Rajbhandari et al. 2020; Lepikhin et al. 2021",
    model=_ModelName("the model: a preset, or a file, which may set every other key, too", default="llama2-7b"),
    tp=_degree("tensor-parallel ranks"),
    pp=_degree("pipeline stages"),
    dp=_degree("data-parallel ranks; the quotient of the ranks and the others when omitted"),
    ep=_degree("expert-parallel ranks; they divide the data-parallel ones"),
    batch=_degree("sequences per step"),
    micro=_degree("sequences per micro-batch"),
    sequence=_degree("tokens per sequence"),
    layers=_degree("layers"),
    zero=Integer(0, 1, "ZeRO stage: 0 sums gradients, 1 scatters them and gathers parameters", default=None),
    recompute=Choice(("no", "yes"), "repeat the forward pass of a layer before its backward pass", default=None),
    collectives=Choice(("ring", "mpi"), "topoloom's own rings and pairs, or MPI's collectives", default=None),
)
def training(ranks: int, model: str, **settings: Any) -> Source:
    """Return the program; given settings override those of the model; degrees that do not fit are refused.

    Raises
    ------
    InputError
        An unknown model, or degrees of parallelism that do not fit the ranks, the layers or the batch.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    changed = {**given, "recompute": given["recompute"] == "yes"} if "recompute" in given else given
    step = on_ranks(msgspec.structs.replace(read_model(model), **changed), ranks)
    degrees = {"tp": step.tp, "pp": step.pp, "dp": step.dp, "ep": step.ep if step.experts else None}
    others = {key: value for key, value in given.items() if key not in degrees}
    arguments, name = training_arguments(step), call_text("training", model=model, **degrees, **others)
    return built_in_program(name, "training.c", schedule=_schedule(name, ranks, arguments), **arguments)


def _schedule(name: str, ranks: int, arguments: dict[str, Any]) -> AsSchedule:
    def programs(settings: AppSettings) -> "Programs":
        from topoloom.simulation.applications.training_programs import training_programs

        return training_programs(name, ranks, arguments, settings)

    def results(run: "ScheduleRun", settings: AppSettings) -> "dict[str, Measurement]":
        from topoloom.simulation.applications.training_programs import training_results

        return training_results(run, arguments, settings)

    return AsSchedule(programs, results)


def training_arguments(step: Training) -> dict[str, Any]:
    """Return the arguments of ``training.c``: a rank's share of the operations of a micro-batch, and message sizes in bytes."""
    tokens = step.micro * step.sequence
    share = tokens / step.tp
    operations = ("attention_flops", "feedforward_flops", "expert_flops", "logit_flops")
    sizes = ("activation_bytes", "pair_bytes", "layer_parameters", "expert_parameters")
    return {
        **{name: getattr(step, name) for name in ("tp", "dp", "pp", "ep")},
        "layers": step.layers // step.pp,
        "every": step.every if step.experts else 0,
        "micro_batches": step.micro_batches,
        "zero": step.zero,
        "recompute": int(step.recompute),
        "ring": int(step.collectives == "ring"),
        "bucket": BUCKET,
        **{name: getattr(step, name) * share for name in operations},
        **{name: getattr(step, name) for name in sizes},
        "embedding_parameters": step.vocabulary * step.hidden / step.tp,
        "embeddings": 1 if step.tied else 2,
        **{name: getattr(step, name) for name in ("value_bytes", "gradient_bytes", "tokens", "model_flops")},
    }
