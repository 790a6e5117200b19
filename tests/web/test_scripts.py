"""The scripts of the explorer: one scope, so no name may be declared twice."""

import re
from collections import Counter

from topoloom.web.assets import explorer_script, explorer_style


def test_no_name_is_declared_twice():
    """A second function of the same name would replace the first without a message."""
    own = explorer_script().partition('(() => {"use strict";')[2]
    names = re.findall(r"^(?:async )?(?:function\*?|class) (\w+)", own, re.MULTILINE)
    for words in re.findall(r"^(?:const|let) (.*)", own, re.MULTILINE):
        names += re.findall(r"(?:^|, )(\w+) = ", words.partition("=>")[0]) or []
    assert len(names) > 300
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_every_colour_of_the_styles_has_a_value_in_the_dark():
    """Each variable that a style uses is declared."""
    style = explorer_style()
    assert set(re.findall(r"var\((--[\w-]+)", style)) <= set(re.findall(r"(--[\w-]+):", style))
