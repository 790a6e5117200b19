"""The Cartesian product of topologies."""

from collections.abc import Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology


def cartesian_product(factors: Sequence[Topology]) -> Topology:
    """The Cartesian product: switches are tuples, linked where exactly one entry differs and is linked in its factor.

    Orders multiply; degrees and diameters add. Switch (a, b, c) has the number (a * n_b + b) * n_c + c. Labels:
    ``factor0``, ``factor1``, ...: the switch's entry in each factor. Hosts of the factors are dropped; link rates are kept if
    all factors have them.

    Source: Xu 2019 (MDBs), Definition 1.
    """
    total = int(np.prod([factor.switches for factor in factors]))
    links, labels, rates = [], {}, list[np.ndarray]()
    rated = any(factor.rated for factor in factors)
    stride = total
    for index, factor in enumerate(factors):
        before, stride = total // stride, stride // factor.switches
        # Every copy of the factor: `before` blocks of size n_i * stride, and `stride` offsets inside.
        base = (np.arange(before)[:, None] * (factor.switches * stride) + np.arange(stride)[None, :]).ravel()
        links.append((factor.links.astype(np.int64)[None, :, :] * stride + base[:, None, None]).reshape(-1, 2))
        if factor.link_rate_gbps is not None:
            rates.append(np.tile(factor.link_rate_gbps, base.size))
        elif rated and len(factor.links):
            raise InputError(
                f"{factor.name} has no link rates, but another factor has; give rates to all factors or to none"
            )
        labels[f"factor{index}"] = np.arange(total) // stride % factor.switches
    return Topology(
        links=np.concatenate(links),
        switches=total,
        labels=labels,
        link_rate_gbps=np.concatenate(rates) if rates else None,
    )
