"""A transformer and how its training is spread over ranks: parameters, operations, and the bytes of each message.

Sources: Shoeybi et al. 2019 (Megatron-LM, arXiv:1909.08053), Narayanan et al., SC 2021 (arXiv:2104.04473), Rajbhandari et al.
2020 (ZeRO, arXiv:1910.02054), Lepikhin et al. 2021 (GShard, arXiv:2006.16668), Chowdhery et al. 2022 (PaLM, arXiv:2204.02311).
"""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError, hint
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable, parse_toml, read_toml


def _count(description: str, unit: str = "") -> Any:
    return setting(description, unit=unit, least=1, most=1 << 24)


def _or_none(description: str) -> Any:
    return setting(description, least=0, most=1 << 24)


class Training(TomlTable, frozen=True):
    """A model, its batch and its parallel degrees; 0 where a number follows from others.

    The degrees multiply to the ranks: ``dp * tp * pp``; `ep` divides `dp`. Biases, norms, positions and routers are omitted
    of every count: they are below one in a thousand.
    """

    group: ClassVar[str] = "training"

    layers: Annotated[int, _count("layers")]
    hidden: Annotated[int, _count("width of a layer, in values")]
    heads: Annotated[int, _count("heads of attention")]
    sequence: Annotated[int, _count("length of a sequence", "tokens")]
    vocabulary: Annotated[int, _count("tokens that there are")]
    batch: Annotated[int, _count("sequences in a step")]
    name: Annotated[str, setting("what the model is called")] = ""
    source: Annotated[str, setting("where the numbers come from")] = ""
    kv_heads: Annotated[
        int, _or_none("heads of keys and values, where several heads share one; 0: as many as heads")
    ] = 0
    feedforward: Annotated[int, _or_none("width of the feed-forward part, in values; 0: four times hidden")] = 0
    matrices: Annotated[
        int, setting("matrices of the feed-forward part: two, or three with a gate (SwiGLU)", least=2, most=3)
    ] = 2
    tied: Annotated[bool, setting("whether the output's embedding is the input's")] = True
    experts: Annotated[int, _or_none("experts of a layer of experts; 0: none")] = 0
    top_k: Annotated[int, _count("experts that each token goes to")] = 2
    every: Annotated[int, _count("one layer in so many has experts")] = 1
    micro: Annotated[int, _count("sequences in a micro-batch")] = 1
    tp: Annotated[int, _count("tensor-parallel ranks")] = 1
    pp: Annotated[int, _count("pipeline stages")] = 1
    dp: Annotated[int, _or_none("data-parallel ranks; 0: what the ranks leave")] = 0
    ep: Annotated[int, _count("expert-parallel ranks; they divide the data-parallel ones")] = 1
    zero: Annotated[
        int, setting("ZeRO stage: 0 sums gradients, 1 scatters them and gathers parameters", least=0, most=1)
    ] = 0
    recompute: Annotated[bool, setting("whether layers run forward once more before backward")] = False
    value_bytes: Annotated[
        int, setting("size of a value that is sent or multiplied", unit="bytes", least=1, most=8)
    ] = 2
    gradient_bytes: Annotated[int, setting("size of a gradient that is summed", unit="bytes", least=1, most=8)] = 2
    collectives: Annotated[
        Literal["ring", "mpi"], setting("ring: rings and pairs of our own; mpi: MPI's collectives")
    ] = "ring"

    @property
    def wide(self) -> int:
        """The width of the feed-forward part: four times hidden where it is not given."""
        return self.feedforward or 4 * self.hidden

    @property
    def attention_parameters(self) -> float:
        """Of a layer: query and output hidden^2 each, key and value as many as there are heads of them."""
        return self.hidden**2 * (2 + 2 * (self.kv_heads or self.heads) / self.heads)

    @property
    def feedforward_parameters(self) -> int:
        """Of a layer, or of one expert: two matrices, or three where a gate has one (SwiGLU)."""
        return self.matrices * self.hidden * self.wide

    @property
    def expert_layers(self) -> int:
        """Layers whose feed-forward part is a choice of experts: every `every`-th (GShard: every other)."""
        return self.layers // self.every if self.experts else 0

    @property
    def embedding_parameters(self) -> int:
        """Vocabulary times hidden; twice where the output's is not the input's (`tied`)."""
        return self.vocabulary * self.hidden * (1 if self.tied else 2)

    @property
    def parameters(self) -> float:
        """All of the model's."""
        plain = self.layers * self.attention_parameters + self.embedding_parameters
        dense = (self.layers - self.expert_layers) * self.feedforward_parameters
        return plain + dense + self.expert_layers * self.experts * self.feedforward_parameters

    @property
    def attention_flops(self) -> float:
        """Of a layer and a token, forward: 2 a parameter, and 4 sequence hidden for scores and sums (Narayanan, appendix)."""
        return 2 * self.attention_parameters + 4 * self.sequence * self.hidden

    @property
    def feedforward_flops(self) -> float:
        """Of a dense layer and a token, forward: 2 a parameter."""
        return 2.0 * self.feedforward_parameters

    @property
    def expert_flops(self) -> float:
        """Of an expert layer and a token, forward: as many experts as a token has."""
        return self.top_k * self.feedforward_flops

    @property
    def logit_flops(self) -> float:
        """Of the vocabulary and a token, forward."""
        return 2.0 * self.hidden * self.vocabulary

    @property
    def model_flops(self) -> float:
        """Of a step: backward is twice forward, 6 a parameter and token in all; what is recomputed does not count (PaLM, B)."""
        dense = (self.layers - self.expert_layers) * self.feedforward_flops
        layers = self.layers * self.attention_flops + dense + self.expert_layers * self.expert_flops
        return 3 * self.tokens * (layers + self.logit_flops)

    @property
    def tokens(self) -> int:
        """Of a step."""
        return self.batch * self.sequence

    @property
    def activation_bytes(self) -> int:
        """Micro-batch times sequence times hidden values.

        A tensor-parallel all-reduce is of as many (Shoeybi, section 3: after attention and after the feed-forward part,
        forward and backward: four a layer), and so is what a stage sends to the next (Narayanan, 2.2).
        """
        return self.micro * self.sequence * self.hidden * self.value_bytes

    @property
    def pair_bytes(self) -> int:
        """What a rank sends to each rank of its expert group when tokens go to experts, and again when they come back.

        Tokens are spread evenly over the experts; each goes to `top_k` of them. Experts are cut over the tensor ranks as
        dense layers are, so that each tensor rank sends all tokens to its like.
        """
        return self.activation_bytes * self.top_k // self.ep if self.experts else 0

    @property
    def layer_parameters(self) -> float:
        """That a rank keeps of its stage, and shares with all data-parallel ranks: without experts and embeddings."""
        dense = (self.layers - self.expert_layers) * self.feedforward_parameters
        return (self.layers * self.attention_parameters + dense) / self.pp / self.tp

    @property
    def expert_parameters(self) -> float:
        """That a rank keeps of its stage's experts, and shares with ``dp / ep`` ranks."""
        return self.expert_layers * self.experts * self.feedforward_parameters / self.ep / self.pp / self.tp

    @property
    def micro_batches(self) -> int:
        """That run through a pipeline in a step."""
        return self.batch // (self.dp * self.micro)


def preset_names() -> list[str]:
    """The published models that come with topoloom."""
    return sorted(path.name.removesuffix(".toml") for path in _folder().iterdir() if path.name.endswith(".toml"))


def read_model(text: str) -> Training:
    """The model of a preset's name or of a TOML file.

    Raises
    ------
    InputError
        No such preset or file, or a key that is unknown, missing or out of range.

    Examples
    --------
    >>> round(read_model("gpt3-175b").parameters / 1e9, 1)
    174.6
    """
    if text.endswith(".toml"):
        return read_toml(Path(text), Training)
    if text not in preset_names():
        raise InputError(f"training: no model '{text[:60]}'; {hint(text, preset_names())}; or name a .toml file")
    return parse_toml((_folder() / f"{text}.toml").read_text(encoding="utf-8"), Training, f"{text}.toml")


def on_ranks(training: Training, ranks: int) -> Training:
    """The training with its data-parallel degree on so many ranks.

    Raises
    ------
    InputError
        Degrees that do not multiply to the ranks, or that do not divide what they cut.
    """
    given = training
    across = given.tp * given.pp
    if given.dp == 0:
        if ranks % across:
            raise InputError(f"training: {ranks} ranks are no multiple of tp*pp = {given.tp}*{given.pp} = {across}")
        given = msgspec.structs.replace(given, dp=ranks // across)
    if given.dp * across != ranks:
        raise InputError(
            f"training: dp*tp*pp = {given.dp}*{given.tp}*{given.pp} = {given.dp * across}, but there are {ranks} ranks;"
            f" leave dp= out"
        )
    _divides("pp", given.pp, "layers", given.layers)
    _divides("tp", given.tp, "heads", given.heads)
    _divides("tp", given.tp, "feedforward", given.wide)
    _divides("ep", given.ep, "dp", given.dp)
    _divides("dp*micro", given.dp * given.micro, "batch", given.batch)
    if given.kv_heads:
        _divides("kv_heads", given.kv_heads, "heads", given.heads)
    if given.experts:
        _divides("ep", given.ep, "experts", given.experts)
        _divides("every", given.every * given.pp, "layers a stage, so every*pp divides layers", given.layers)
    elif given.ep > 1:
        raise InputError(f"training: ep={given.ep} needs experts, and the model has none; give a model file that has")
    if given.experts and given.top_k > given.experts:
        raise InputError(f"training: top_k={given.top_k} is more than experts={given.experts}")
    if max(given.activation_bytes, given.pair_bytes) >= 1 << 31:
        raise InputError(f"training: a message of {given.activation_bytes} bytes is past MPI's 2^31; lower micro=")
    return given


def _divides(what: str, parts: int, whole: str, size: int) -> None:
    if size % parts:
        raise InputError(f"training: {what}={parts} must divide {whole}={size}")


def _folder() -> Traversable:
    return files("topoloom.simulation.applications") / "data"
