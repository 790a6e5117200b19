"""A transformer, and the distribution of its training over ranks: parameters, operations, and bytes per message.

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

    The degrees multiply to the ranks: ``dp * tp * pp``; `ep` divides `dp`. Biases, norms, positions and routers are not counted
    anywhere: they are below one in a thousand.
    """

    group: ClassVar[str] = "training"

    layers: Annotated[int, _count("layers")]
    hidden: Annotated[int, _count("width of a layer, in values")]
    heads: Annotated[int, _count("attention heads")]
    sequence: Annotated[int, _count("length of a sequence", "tokens")]
    vocabulary: Annotated[int, _count("size of the vocabulary, in tokens")]
    batch: Annotated[int, _count("sequences per step")]
    name: Annotated[str, setting("name of the model")] = ""
    source: Annotated[str, setting("source of the numbers")] = ""
    kv_heads: Annotated[
        int, _or_none("heads of keys and values, where several heads share them; 0: equal to heads")
    ] = 0
    feedforward: Annotated[int, _or_none("width of the feed-forward part, in values; 0: four times hidden")] = 0
    matrices: Annotated[
        int, setting("matrices of the feed-forward part: two, or three with a gate (SwiGLU)", least=2, most=3)
    ] = 2
    tied: Annotated[bool, setting("whether input and output share one embedding")] = True
    experts: Annotated[int, _or_none("experts per layer of experts; 0: none")] = 0
    top_k: Annotated[int, _count("experts per token")] = 2
    every: Annotated[int, _count("every n-th layer has experts")] = 1
    micro: Annotated[int, _count("sequences per micro-batch")] = 1
    tp: Annotated[int, _count("tensor-parallel ranks")] = 1
    pp: Annotated[int, _count("pipeline stages")] = 1
    dp: Annotated[int, _or_none("data-parallel ranks; 0: the quotient of the ranks and tp*pp")] = 0
    ep: Annotated[int, _count("expert-parallel ranks; they divide the data-parallel ones")] = 1
    zero: Annotated[
        int, setting("ZeRO stage: 0 sums gradients, 1 scatters them and gathers parameters", least=0, most=1)
    ] = 0
    recompute: Annotated[bool, setting("whether layers repeat the forward pass before the backward pass")] = False
    value_bytes: Annotated[
        int, setting("size of a value that is sent or multiplied", unit="bytes", least=1, most=8)
    ] = 2
    gradient_bytes: Annotated[int, setting("size of a gradient that is summed", unit="bytes", least=1, most=8)] = 2
    collectives: Annotated[
        Literal["ring", "mpi"], setting("ring: topoloom's own rings and pairs; mpi: MPI's collectives")
    ] = "ring"

    @property
    def wide(self) -> int:
        """The width of the feed-forward part: four times hidden where it is omitted."""
        return self.feedforward or 4 * self.hidden

    @property
    def attention_parameters(self) -> float:
        """Parameters of attention per layer: query and output hidden^2 each, key and value in proportion to their heads."""
        return self.hidden**2 * (2 + 2 * (self.kv_heads or self.heads) / self.heads)

    @property
    def feedforward_parameters(self) -> int:
        """Parameters of the feed-forward part per layer, or per expert: two matrices, or three with a gate (SwiGLU)."""
        return self.matrices * self.hidden * self.wide

    @property
    def expert_layers(self) -> int:
        """Layers with experts in the feed-forward part: every `every`-th (GShard: every other)."""
        return self.layers // self.every if self.experts else 0

    @property
    def embedding_parameters(self) -> int:
        """Parameters of embeddings: vocabulary times hidden; twice that where input and output do not share one (`tied`)."""
        return self.vocabulary * self.hidden * (1 if self.tied else 2)

    @property
    def parameters(self) -> float:
        """All parameters of the model."""
        plain = self.layers * self.attention_parameters + self.embedding_parameters
        dense = (self.layers - self.expert_layers) * self.feedforward_parameters
        return plain + dense + self.expert_layers * self.experts * self.feedforward_parameters

    @property
    def attention_flops(self) -> float:
        """Forward operations of attention per layer and token: 2 per parameter, 4 sequence hidden for scores (Narayanan)."""
        return 2 * self.attention_parameters + 4 * self.sequence * self.hidden

    @property
    def feedforward_flops(self) -> float:
        """Forward operations of a dense feed-forward part, per layer and token: 2 per parameter."""
        return 2.0 * self.feedforward_parameters

    @property
    def expert_flops(self) -> float:
        """Forward operations of a layer of experts per token, for `top_k` experts."""
        return self.top_k * self.feedforward_flops

    @property
    def logit_flops(self) -> float:
        """Forward operations of the output logits per token."""
        return 2.0 * self.hidden * self.vocabulary

    @property
    def model_flops(self) -> float:
        """Operations per step: backward is twice forward, 6 per parameter and token; recomputation does not count (PaLM, B)."""
        dense = (self.layers - self.expert_layers) * self.feedforward_flops
        layers = self.layers * self.attention_flops + dense + self.expert_layers * self.expert_flops
        return 3 * self.tokens * (layers + self.logit_flops)

    @property
    def tokens(self) -> int:
        """Tokens per step."""
        return self.batch * self.sequence

    @property
    def activation_bytes(self) -> int:
        """Bytes of the activations of a micro-batch: micro-batch times sequence times hidden values.

        A tensor-parallel all-reduce has this size (Shoeybi, section 3: after attention and after the feed-forward part, forward
        and backward: four per layer), and so has a message from one pipeline stage to the next (Narayanan, 2.2).
        """
        return self.micro * self.sequence * self.hidden * self.value_bytes

    @property
    def pair_bytes(self) -> int:
        """Bytes that a rank sends to each rank of its expert group when tokens go to experts, and again when they return.

        Tokens are spread evenly over the experts; each goes to `top_k` of them. Experts are divided over the tensor ranks as
        dense layers are, so that each tensor rank sends all tokens to its counterparts.
        """
        return self.activation_bytes * self.top_k // self.ep if self.experts else 0

    @property
    def layer_parameters(self) -> float:
        """Parameters of its stage that a rank holds and shares with all data-parallel ranks, without experts and embeddings."""
        dense = (self.layers - self.expert_layers) * self.feedforward_parameters
        return (self.layers * self.attention_parameters + dense) / self.pp / self.tp

    @property
    def expert_parameters(self) -> float:
        """Parameters of its stage's experts that a rank holds and shares with ``dp / ep`` ranks."""
        return self.expert_layers * self.experts * self.feedforward_parameters / self.ep / self.pp / self.tp

    @property
    def micro_batches(self) -> int:
        """Micro-batches per pipeline and step."""
        return self.batch // (self.dp * self.micro)


def preset_names() -> list[str]:
    """Return the names of the published models that come with topoloom."""
    return sorted(path.name.removesuffix(".toml") for path in _folder().iterdir() if path.name.endswith(".toml"))


def read_model(text: str) -> Training:
    """Return the model of a preset or of a TOML file.

    Raises
    ------
    InputError
        An unknown preset or file, or a key that is unknown, missing or out of range.

    Examples
    --------
    >>> round(read_model("gpt3-175b").parameters / 1e9, 1)
    174.6
    """
    if text.endswith(".toml"):
        return read_toml(Path(text), Training)
    if text not in preset_names():
        raise InputError(f"training: unknown model '{text[:60]}'; {hint(text, preset_names())}; or give a .toml file")
    return parse_toml((_folder() / f"{text}.toml").read_text(encoding="utf-8"), Training, f"{text}.toml")


def on_ranks(training: Training, ranks: int) -> Training:
    """Return the training with its data-parallel degree for a number of ranks.

    Raises
    ------
    InputError
        Degrees that do not multiply to the ranks, or that do not divide the layers, heads, experts or sequences.
    """
    model = training
    across = model.tp * model.pp
    if model.dp == 0:
        if ranks % across:
            raise InputError(f"training: {ranks} ranks are not a multiple of tp*pp = {model.tp}*{model.pp} = {across}")
        model = msgspec.structs.replace(model, dp=ranks // across)
    if model.dp * across != ranks:
        raise InputError(
            f"training: dp*tp*pp = {model.dp}*{model.tp}*{model.pp} = {model.dp * across}, but there are {ranks} ranks;"
            f" omit dp="
        )
    _divides("pp", model.pp, "layers", model.layers)
    _divides("tp", model.tp, "heads", model.heads)
    _divides("tp", model.tp, "feedforward", model.wide)
    _divides("ep", model.ep, "dp", model.dp)
    _divides("dp*micro", model.dp * model.micro, "batch", model.batch)
    if model.kv_heads:
        _divides("kv_heads", model.kv_heads, "heads", model.heads)
    if model.experts:
        _divides("ep", model.ep, "experts", model.experts)
        _divides(
            "every", model.every * model.pp, "the layers of each stage, so every*pp must divide layers", model.layers
        )
    elif model.ep > 1:
        raise InputError(
            f"training: ep={model.ep} needs experts, but the model has none; use a model file with experts"
        )
    if model.experts and model.top_k > model.experts:
        raise InputError(f"training: top_k={model.top_k} is more than experts={model.experts}")
    if max(model.activation_bytes, model.pair_bytes) >= 1 << 31:
        raise InputError(
            f"training: a message of {model.activation_bytes} bytes exceeds MPI's limit of 2^31; lower micro="
        )
    return model


def _divides(what: str, parts: int, whole: str, size: int) -> None:
    if size % parts:
        raise InputError(f"training: {what}={parts} must divide {whole}={size}")


def _folder() -> Traversable:
    return files("topoloom.simulation.applications") / "data"
