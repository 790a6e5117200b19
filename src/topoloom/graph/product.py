"""The Cartesian product of topologies."""

from collections.abc import Sequence

import numpy as np

from topoloom.topology import Topology


def cartesian_product(factors: Sequence[Topology]) -> Topology:
    """The Cartesian product: switches are tuples, linked where exactly one entry differs and is linked in its factor.

    Orders multiply; degrees and diameters add. Switch (a, b, c) has the number (a * n_b + b) * n_c + c. Labels:
    ``factor0``, ``factor1``, ...: the switch's entry in each factor. Hosts of the factors are not carried over.

    Source: Xu 2019 (MDBs), Definition 1.
    """
    total = int(np.prod([factor.switches for factor in factors]))
    links, labels = [], {}
    stride = total
    for index, factor in enumerate(factors):
        before, stride = total // stride, stride // factor.switches
        # Every copy of the factor: `before` blocks of size n_i * stride, and `stride` offsets inside.
        base = (np.arange(before)[:, None] * (factor.switches * stride) + np.arange(stride)[None, :]).ravel()
        links.append((factor.links.astype(np.int64)[None, :, :] * stride + base[:, None, None]).reshape(-1, 2))
        labels[f"factor{index}"] = np.arange(total) // stride % factor.switches
    return Topology(links=np.concatenate(links), switches=total, labels=labels)
