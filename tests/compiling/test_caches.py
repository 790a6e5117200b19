"""Code is run only from folders into which nobody else could have put any."""

import os

import pytest

from topoloom.core.compiling.caches import code_cache


def test_the_users_own_folder_is_taken_and_closed_to_others(tmp_path):
    """Made with all folders around it; what is compiled is nobody else's to read or write."""
    folder = code_cache(str(tmp_path / "cache"), "topoloom", "kernels")
    assert folder == tmp_path / "cache" / "topoloom" / "kernels"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("where", ["folder", "around"])
def test_a_folder_that_every_user_can_write_is_not_taken(tmp_path, where):
    """Neither itself, nor one around it that has no sticky bit."""
    inner = tmp_path / "cache" / "topoloom"
    inner.mkdir(parents=True)
    {"folder": inner, "around": tmp_path / "cache"}[where].chmod(0o777)
    assert not code_cache(str(tmp_path / "cache"), "topoloom").is_relative_to(tmp_path)
    (tmp_path / "cache").chmod(0o1777)
    inner.chmod(0o755)
    code_cache.cache_clear()
    assert code_cache(str(tmp_path / "cache"), "topoloom") == inner


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users: root can be both")
def test_a_folder_that_another_user_made_first_is_not_taken(tmp_path):
    """As anybody can in /tmp."""
    inner = tmp_path / "topoloom"
    inner.mkdir()
    os.chown(inner, 12345, 12345)
    assert not code_cache(str(tmp_path), "topoloom").is_relative_to(tmp_path)


def test_where_nothing_can_be_made_a_folder_of_the_process_is_taken(tmp_path):
    """A file in the way, or a name that no folder can have."""
    (tmp_path / "file").touch()
    for home in (str(tmp_path / "file"), "x" * 300, "a\0b"):
        assert os.access(code_cache(home, "topoloom"), os.W_OK)
