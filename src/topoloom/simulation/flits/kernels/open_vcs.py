"""Which virtual channels a packet may choose that waits for nothing else."""

from topoloom.core.compiling.decorators import inner


@inner
def open_to_choice(spare: int, sent: int) -> bool:
    """Return whether a VC with `sent` flits may be chosen: it is empty, or a whole packet has room behind its flits.

    A packet with a VC waits for nothing else, so it must not wait there behind other packets: this is the assumption under
    which escape channels are verified as deadlock-free (Duato 1993, assumption 4: a queue holds flits of one message; Duato
    1996, for cut-through: a queue takes whole packets).
    """
    return sent == 0 or sent <= spare
