"""docs/reference/parts-catalogue.md names every key, every word and every catalogue; its examples run with the others."""

from doc_blocks import ROOT

PAGE = (ROOT / "docs" / "reference" / "parts-catalogue.md").read_text(encoding="utf-8")


def test_every_catalogue_is_documented():
    """The catalogues that come along."""
    catalogues = [path.stem for path in (ROOT / "src/topoloom/cost/catalogues").glob("*.toml")]
    assert len(catalogues) >= 3
    for word in catalogues:
        assert f"`{word}`" in PAGE, word
