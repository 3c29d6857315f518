"""The harness itself: it finds what only threads show, and says everything that it finds."""

from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py").read_text()
ALONE = pytest.mark.alone("runs pytest within pytest")


def outcome(pytester, test):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-W", "error")


@ALONE
def test_each_test_runs_plain_and_in_threads(pytester):
    result = outcome(
        pytester,
        """
        import threading, pytest
        seen = set()
        @pytest.mark.parametrize("x", [1, 2])
        def test_counts(x, tmp_path, _threads):
            (tmp_path / "mine").mkdir()
            seen.add((x, _threads, threading.get_ident()))
        @pytest.mark.alone("looks at what the others did")
        def test_seen():
            assert len([s for s in seen if s[1] == 1]) == 2
            assert len({s[2] for s in seen if s[:2] == (1, 8)}) == 8
        """,
    )
    result.assert_outcomes(passed=5)


@ALONE
def test_what_fails_in_threads_only_is_found(pytester):
    result = outcome(
        pytester,
        """
        import threading
        def test_main_thread():
            assert threading.current_thread() is threading.main_thread()
        """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*8 of 8 threads failed*"])
    for number in range(8):
        result.stdout.fnmatch_lines([f"*in thread {number} of 8*"])


@ALONE
def test_one_failure_among_eight_is_enough(pytester):
    result = outcome(
        pytester,
        """
        import itertools
        turn = itertools.count()
        def test_third(_threads):
            if next(turn) == 3:
                raise SystemExit("third")
        """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*SystemExit: third*"])


@ALONE
def test_skips_stay_skips(pytester):
    result = outcome(
        pytester,
        """
        import pytest
        def test_absent():
            pytest.importorskip("no_such_module")
        """,
    )
    result.assert_outcomes(skipped=2)


@ALONE
@pytest.mark.parametrize(
    "test",
    [
        "def test_x(monkeypatch): pass",
        "import pytest\n@pytest.mark.alone\ndef test_x(): pass",
        "import pytest\n@pytest.mark.alone('')\ndef test_x(): pass",
        "import warnings\ndef test_x(): warnings.warn('x')",
        "import threading, warnings\ndef test_x(): warnings.warn('x') if threading.active_count() > 4 else None",
    ],
)
def test_what_is_refused(pytester, test):
    result = outcome(pytester, test)
    assert result.ret != 0, result.stdout.str()
