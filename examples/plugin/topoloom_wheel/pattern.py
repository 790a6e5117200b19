"""The pattern `opposite`: every host sends to the host that is half of all hosts further."""

import numpy as np

from topoloom.throughput.traffic.making import to_one
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.throughput.traffic.traffic import Traffic


@pattern("opposite", "to the host on the opposite side of the ring of all hosts")
def opposite(request: PatternRequest) -> Traffic:
    """Of H hosts, host h sends to h + H/2 mod H."""
    return to_one(request, (np.arange(request.hosts) + request.hosts // 2) % request.hosts)
