"""The claims of five papers, computed again: one folder per paper, one function per claim."""

#: Same meaning as in `typing`. The names below are imported at first use, because `topoloom --help` imports this package.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from topoloom_papers.reproduction import Reproduction as Reproduction
    from topoloom_papers.reproduction import reproduce as reproduce

__all__ = ["Reproduction", "reproduce"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'topoloom_papers' has no attribute '{name}'")
    from topoloom_papers import reproduction

    return getattr(reproduction, name)
