"""What a paper's words mean where it gives no number: one threshold per word, for all papers.

They were chosen before the claims were computed with them. Where a paper itself says what it means by a word, its number
is used instead, and the claim says so.
"""

#: "The same", "almost the same", "about equal", "nearly identical": relative differences up to this.
SAME = 0.05
#: "Similar", "comparable", "close to", "approximately", "about a half": relative differences up to this.
SIMILAR = 0.10
#: "Slightly", "a little", "modestly": changes in the named direction of at most this.
SLIGHTLY = 0.10
#: "Much", "significantly", "tremendously": changes in the named direction of more than this.
MUCH = 0.20
#: "Almost all": at least this share of the cases.
ALMOST_ALL = 0.99


def means(word: str, threshold: float) -> str:
    """How a claim reads a word: ``'similar' is read as within 10 %``.

    Parameters
    ----------
    word : str
        The paper's word.
    threshold : float
        One of this module.

    Returns
    -------
    str
        Without a full stop, for a reason.

    Examples
    --------
    >>> means("similar", SIMILAR), means("modestly", SLIGHTLY), means("tremendously", MUCH)
    ("'similar' is read as within 10 %", "'modestly' is read as within 10 %", "'tremendously' is read as by more than 20 %")
    """
    return f"'{word}' is read as {'by more than' if threshold == MUCH else 'within'} {100 * threshold:g} %"
