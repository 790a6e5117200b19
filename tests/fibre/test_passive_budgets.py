"""Budgets in `verify`: passive parts lose, and transceivers allow, what the catalogue of the plan or of `--parts` says."""

import pytest
from test_plant import PARTS, SMALL

from in_process import run
from topoloom import open_network


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("budgets")
    (path / "parts.toml").write_text(PARTS)
    open_network(SMALL).placed(parts=path / "parts.toml", rate_gbps=100, panels="shuffle", map="rows").save(
        path / "net"
    )
    return path / "net"


def over(folder, path, text):
    """The texts of TL605 by a catalogue of this text."""
    path.write_text(text)
    done = run("verify", folder, "--parts", path, "--only", "TL605", "--json")
    return [each["text"] for each in done.record["diagnostics"]]


def test_a_catalogue_with_poor_connectors_is_over_budget_with_loss_and_budget_of_each_link(folder, tmp_path):
    """At 0.8 dB four mated pairs alone lose 3.2 dB: all 512 links, the worst first, each with its numbers."""
    poor = PARTS.replace('kind = "shuffle panel"', 'kind = "shuffle panel"\nconnector_db = 0.8')
    (text,) = over(folder, tmp_path / "poor.toml", poor)
    assert text.startswith("512 of 512 links through panels lose more than their transceivers allow, up to 3.2")
    named = text.split(": ", 1)[1].split(", ")
    assert all("dB of 3)" in each for each in named[:3])
    assert " S" in named[0]
    losses = [float(each.split("(")[1].split()[0]) for each in named[:3]]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(("loss_db", "count"), [(1.5, 0), (1.4, 1)])
def test_the_budget_is_that_of_the_transceivers_in_the_catalogue(folder, tmp_path, loss_db, count):
    """Links lose 1.40 to 1.43 dB: transceivers that allow 1.5 pass, those that allow 1.4 do not."""
    assert over(folder, tmp_path / "plain.toml", PARTS) == []
    texts = over(folder, tmp_path / "other.toml", PARTS.replace("loss_db = 3.0", f"loss_db = {loss_db}"))
    assert [f"dB of {loss_db:g}" in text for text in texts] == [True] * count


def test_a_module_that_the_cages_do_not_take_has_no_say(folder, tmp_path):
    """The fibre takes two modules; the switches hold the one for QSFP-DD, and the other allows 0.5 dB."""
    both = PARTS.replace('modules = ["DR4"]', 'modules = ["other", "DR4"]').replace(
        'name = "DR4"\n', 'name = "DR4"\nconnector = "QSFP-DD"\n'
    )
    both += '[[transceiver]]\nname = "other"\nconnector = "OSFP finned"\nlinks = 4\nloss_db = 0.5\n'
    assert over(folder, tmp_path / "both.toml", both) == []
    fitting = both.replace('connector = "OSFP finned"', 'connector = "QSFP-DD"')
    (text,) = over(folder, tmp_path / "fitting.toml", fitting)
    assert "dB of 0.5" in text


def test_parts_of_other_names_lose_what_the_plan_says(folder, tmp_path):
    other = PARTS.replace(
        'name = "box"\nkind = "shuffle panel"', 'name = "other box"\nkind = "shuffle panel"\nconnector_db = 9'
    )
    assert over(folder, tmp_path / "other.toml", other) == []


def test_a_catalogue_without_modules_for_the_links_is_refused_in_a_sentence(folder, tmp_path):
    path = tmp_path / "none.toml"
    path.write_text(PARTS.replace("rates_gbps = [100]", "rates_gbps = [200]"))
    done = run("verify", folder, "--parts", path)
    assert done.code == 2
    assert "100 Gb/s" in done.err
